/** What happens in a browser whose owner has proven who they are. */
import type { Account } from "../../core/entities.js";
import { deviceLifeMs } from "../../core/sign-in/known-devices.js";
import type { StartedSession } from "../../core/sign-in/sessions.js";
import type { Me } from "../../protocol/dashboard/api.js";
import type { Visit } from "./guard/visit.js";
import type { DashboardServices } from "./services.js";
import { meView } from "./views.js";

type Parts = Pick<DashboardServices, "store" | "clock" | "devices">;

export async function startSession(
  { clock, devices }: Parts,
  visit: Visit,
  account: Account,
): Promise<StartedSession> {
  const session = await visit.signIn(account.id);
  const device = await devices.remember(visit.device, account.email);
  visit.rememberDevice(device, new Date(clock.now().getTime() + deviceLifeMs));
  return session;
}

export async function welcome(parts: Parts, visit: Visit, account: Account): Promise<Me> {
  await startSession(parts, visit, account);
  return describe(parts, account);
}

export async function describe({ store }: Parts, account: Account): Promise<Me> {
  const plan = await store.findPlan(account.planId);
  if (plan === null) throw new Error("An account is always on a plan that exists.");
  return meView({ account, plan });
}
