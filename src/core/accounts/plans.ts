/** Changing plans, for the admin pages and the command line. */
import { defaultPlanId } from "./accounts.js";
import { DashboardError, existing, invalid } from "../dashboard-error.js";
import type { Plan } from "../entities.js";
import type { Store } from "../store.js";
import type { AccountStore } from "./ports.js";

type PlanStore = Store & { readonly accounts: AccountStore };

/** With how many accounts are on each. */
export async function listPlans(store: PlanStore): Promise<{ plan: Plan; accounts: number }[]> {
  const [plans, counts] = await Promise.all([store.listPlans(), store.accounts.countByPlan()]);
  return plans.map((plan) => ({ plan, accounts: counts.get(plan.id) ?? 0 }));
}

/** Creates the plan or replaces it. */
export async function savePlan(store: PlanStore, plan: Plan): Promise<Plan> {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(plan.id)) {
    throw invalid("id", "A plan's id has lowercase letters, digits and hyphens.");
  }
  await store.putPlan(plan);
  return plan;
}

export async function deletePlan(store: PlanStore, id: string): Promise<void> {
  if (id === defaultPlanId) {
    throw new DashboardError("conflict", "New accounts start on this plan. It can be changed, not deleted.");
  }
  await requirePlan(store, id);
  if (!(await store.accounts.deletePlan(id))) {
    throw new DashboardError("conflict", "Accounts are on this plan. Move them to another one first.");
  }
}

export async function requirePlan(store: PlanStore, id: string): Promise<Plan> {
  return existing(await store.findPlan(id), "There is no such plan.");
}

/** For a request about something else, which names the plan that it is to have. */
export async function checkPlanId(store: Pick<Store, "findPlan">, planId: string): Promise<Plan> {
  const plan = await store.findPlan(planId);
  if (plan === null) throw invalid("planId", "There is no such plan.");
  return plan;
}
