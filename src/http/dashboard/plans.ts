/** Plans, for admins. */
import { planBody } from "../../protocol/dashboard/api.js";
import { actorOf } from "./accounts.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { planView } from "./views.js";

export function planRoutes({ dashboard: { accountAdmin } }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/plans", async () => {
      const plans = await accountAdmin.listPlans();
      return { plans: plans.map(({ plan, accounts }) => ({ ...planView(plan), accounts })) };
    }),
    admin("PUT", "/admin/plans/:id", async (visit, me) => {
      const body = await visit.body(planBody);
      return planView(await accountAdmin.savePlan(actorOf(me), { id: visit.id, ...body }));
    }),
    admin("DELETE", "/admin/plans/:id", async ({ id }, me) => {
      await accountAdmin.deletePlan(actorOf(me), id);
      return {};
    }),
  ];
}
