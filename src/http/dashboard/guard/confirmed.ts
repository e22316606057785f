/** Asks again who is signed in, where that was proved too long ago. */
import { DashboardError } from "../../../core/dashboard-error.js";
import type { SessionRecord } from "../../../core/sign-in/ports.js";
import type { Sessions } from "../../../core/sign-in/sessions.js";

export function requireConfirmed(sessions: Pick<Sessions, "isConfirmed">, { session }: SessionRecord): void {
  if (sessions.isConfirmed(session)) return;
  throw new DashboardError("confirmation_required", "Confirm that it is you, then try again.");
}
