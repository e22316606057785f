/** Accounts and invitations in the dashboard's API, for admins. */
import * as z from "zod";
import {
  createKeyBody,
  email,
  keyListQuery,
  noPage,
  whole,
  type AccountView,
  type KeyView,
  type PlanView,
} from "./api.js";
import { inviteDays, mostAtOnce } from "../../core/bounds.js";

const planId = z.string("Choose a plan.").max(64, "There is no such plan.");

/** GET /api/admin/accounts → AccountPage */
export const accountsQuery = z.object({
  search: z.string("Enter what to look for.").max(200, "Use at most 200 characters.").default(""),
  after: z.string(noPage).max(400, noPage).optional(),
});

/** Those whose address or id begins with what was searched first, then the newest. */
export interface AccountPage {
  accounts: AccountView[];
  /** Where the next page begins; null on the last one. A page may be short, or empty, and others follow. */
  next: string | null;
  /** Of the whole service; null in a search, which does not count. */
  total: number | null;
}

/** POST /api/admin/accounts → AccountView (409 where the address has one): nobody can sign in to it yet */
export const newAccountBody = z.object({
  email,
  /** Absent for the default plan. */
  planId: planId.optional(),
  role: z.enum(["user", "admin"], "Choose user or admin.").default("user"),
});

/** GET /api/admin/accounts/:id */
export interface AccountDetail {
  account: AccountView;
  plan: PlanView;
  factors: { hasTotp: boolean; passkeys: number };
  /** Those that have not ended, the one that was used last first. */
  sessions: { createdAt: string; lastSeenAt: string; expiresAt: string }[];
}

// GET /api/admin/accounts/:id/keys → { keys: KeyView[]; total: number }, those that were used last first
export interface AccountKeys {
  keys: KeyView[];
  /** Of the account; the list may be shorter. */
  total: number;
}
/** A key with its owner: an account or a team. */
export interface AccountKey extends KeyView {
  accountId: string;
}

const holder = z.string("Name an account or a team by its id.").max(64, "There is no such account or team.");
/** GET /api/admin/keys → AccountKeyPage, newest first; GET /api/admin/keys/:id → AccountKey */
export const accountKeysQuery = keyListQuery.extend({ account: holder });
export interface AccountKeyPage {
  keys: AccountKey[];
  /** Null on the last page. */
  next: string | null;
}
/** POST /api/admin/keys → { key: AccountKey; secret: string }: for the account, or a service key of the team */
export const accountKeyBody = createKeyBody.omit({ isService: true }).extend({ account: holder });
// GET /api/admin/accounts/:id/usage → UsageReport, by the query of GET /api/usage
// POST /api/admin/accounts/:id/sessions/end → {}

const ids = z
  .array(z.string("Choose accounts from the list.").max(64, "There is no such account."), "Choose accounts.")
  .min(1, "Choose at least one account.")
  .max(mostAtOnce, `Choose at most ${mostAtOnce} accounts.`);

/** POST /api/admin/accounts/bulk → BulkResult */
export const bulkBody = z.discriminatedUnion(
  "action",
  [
    z.object({ action: z.literal("suspend"), ids }),
    z.object({ action: z.literal("resume"), ids }),
    z.object({ action: z.literal("plan"), ids, planId }),
  ],
  "Choose suspend, resume or plan.",
);

export interface BulkResult {
  /** As they are now. */
  changed: AccountView[];
  /** With the reason for each. */
  refused: { id: string; email: string | null; message: string }[];
}

const days = whole(inviteDays.min, inviteDays.max);
/** POST /api/admin/invites → OneTimeLink */
export const inviteBody = z.object({
  email: email.optional(),
  /** Absent for the default plan. */
  planId: planId.optional(),
  expiresInDays: days.default(inviteDays.usual),
});

// GET /api/admin/invites → { invites: InviteView[] }, newest first
// DELETE /api/admin/invites/:id → {}
export interface InviteView {
  id: string;
  /** Null for an invitation that anyone may use. */
  email: string | null;
  /** True when it is for an address that is not known any more: an earlier version kept a hash alone. */
  isForUnknownAddress: boolean;
  /** Null for the default plan. */
  planId: string | null;
  createdAt: string;
  expiresAt: string;
}
