/** The audit trail in the dashboard's API, for admins. */
import * as z from "zod";
import { auditActions } from "../../core/audit-actions.js";
import { moment, noPage } from "./api.js";
import { longest } from "../../core/bounds.js";

export interface AuditEntry {
  id: string;
  at: string;
  /** An email address, `command line` or `deleted account`. */
  actor: string;
  /** The account behind it; null where there is none. */
  actorId: string | null;
  /** The key that it was done with, in the operator's API or over SCIM; null for a session. */
  actorKey: string | null;
  action: string;
  /**
   * What it was done to: an email address, a name, a title; empty when nothing has one. An invitation has the address
   * that it is for, or `anyone`, while it is pending, and `no longer pending` afterwards.
   */
  target: string;
  /** The account that it is, or that the key belongs to. */
  targetAccountId: string | null;
  /** Whose key it is, where it is one. */
  targetOwner: string | null;
  /** True when only the id is known, since the target is gone. */
  targetIsId: boolean;
}

const filters = {
  /** An address, an account's id, `command line` or `deleted account`. */
  who: z.string("Enter an address.").trim().max(longest.email, "There is no such account.").optional(),
  what: z.enum(auditActions, "Choose an action from the list.").optional(),
  from: moment("when the period begins").optional(),
  to: moment("when the period ends").optional(),
  /** What an account did and what was done to it, by its id. */
  account: z.string("Choose an account.").max(64, "There is no such account.").optional(),
};

/** GET /api/admin/audit → AuditPage */
export const auditQuery = z.object({ ...filters, before: z.string(noPage).max(64, noPage).optional() });
/** GET /api/admin/audit.csv: the same lines as a file, at most so many. */
export const auditExportQuery = z.object(filters);
export const mostExportedLines = 100_000;

export type AuditFilters = z.input<typeof auditExportQuery>;

/** Newest first. */
export interface AuditPage {
  entries: AuditEntry[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}
