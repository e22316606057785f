/**
 * The same change to several accounts, one after another: each is a change of its own, with its line in the audit
 * trail, so those that cannot be made do not stop the others.
 */
import type { Actor } from "../audit.js";
import { DashboardError } from "../dashboard-error.js";
import type { AccountSummary } from "./ports.js";
import type { AccountAdmin } from "./account-admin.js";

export type BulkChange =
  | { action: "suspend" | "resume"; ids: readonly string[] }
  | { action: "plan"; ids: readonly string[]; planId: string };

export interface BulkOutcome {
  changed: AccountSummary[];
  refused: { id: string; message: string }[];
}

export async function changeAccounts(
  admin: AccountAdmin,
  actor: Actor,
  request: BulkChange,
): Promise<BulkOutcome> {
  if (request.action === "plan") await admin.requirePlan(request.planId);
  const outcome: BulkOutcome = { changed: [], refused: [] };
  for (const id of new Set(request.ids)) {
    try {
      const change =
        request.action === "plan"
          ? admin.setPlan(actor, id, request.planId)
          : admin[request.action](actor, id);
      outcome.changed.push(await change);
    } catch (error) {
      if (!(error instanceof DashboardError)) throw error;
      outcome.refused.push({ id, message: error.message });
    }
  }
  return outcome;
}
