import type { Entered } from "../../../core/single-sign-on/single-sign-on.js";
import type { SessionRecord } from "../../../core/sign-in/ports.js";
import type { Visit } from "../guard/visit.js";
import type { DashboardServices } from "../services.js";
import { startSession } from "../welcome.js";

/** Starts a session for someone whom a provider has named, and notes by which of its own it was begun. */
export async function enter(
  dashboard: DashboardServices,
  visit: Visit,
  { account, origin }: Entered,
): Promise<SessionRecord> {
  const me = await startSession(dashboard, visit, account, "oidc");
  await dashboard.singleSignOn.noteSession(me.session.hash, origin);
  return me;
}
