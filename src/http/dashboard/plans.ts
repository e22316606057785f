/** Plans, for admins. */
import { newPlanBody, planBody, type PlanMonths } from "../../protocol/dashboard/api.js";
import type { DashboardParts } from "./parts.js";
import { admin, confirmed, type DashboardRoute } from "./route.js";
import { planView } from "./views.js";

export function planRoutes({ dashboard: { accountAdmin, monthUse } }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/plans", async () => {
      const plans = await accountAdmin.listPlans();
      return { plans: plans.map(({ plan, accounts }) => ({ ...planView(plan), accounts })) };
    }),
    admin("GET", "/admin/plans/month", async (): Promise<PlanMonths> => {
      const months = await monthUse.ofPlans(await accountAdmin.listPlans());
      return { plans: [...months].map(([planId, month]) => ({ planId, ...month })) };
    }),
    admin("POST", "/admin/plans", async (visit, actor) =>
      planView(await accountAdmin.createPlan(actor, await visit.body(newPlanBody))),
    ),
    admin("GET", "/admin/plans/:id", async ({ id }) => planView(await accountAdmin.requirePlanById(id))),
    admin("PUT", "/admin/plans/:id", async (visit, actor) => {
      const body = await visit.body(planBody);
      return planView(await accountAdmin.savePlan(actor, { id: visit.id, ...body }));
    }),
    admin("DELETE", "/admin/plans/:id", confirmed, ({ id }, actor) => accountAdmin.deletePlan(actor, id)),
  ];
}
