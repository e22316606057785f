import type { Entered } from "../../../core/single-sign-on/single-sign-on.js";
import { tokenHash } from "../../../core/sign-in/secret-token.js";
import type { Visit } from "../guard/visit.js";
import type { DashboardServices } from "../services.js";
import { startSession } from "../welcome.js";

/** Starts a session for someone whom a provider has named, and notes by which of its own it was begun. */
export async function enter(
  dashboard: DashboardServices,
  visit: Visit,
  { account, origin }: Entered,
): Promise<void> {
  const { token } = await startSession(dashboard, visit, account);
  const hash = tokenHash(token);
  if (hash !== null) await dashboard.singleSignOn.noteSession(hash, origin);
}
