/** The calls behind the pages for many accounts, many keys and the audit trail. See api.ts. */
import type { z } from "zod";
import type * as accounts from "../../src/protocol/dashboard/accounts.js";
import type { KeyView, OneTimeLink, usageQuery } from "../../src/protocol/dashboard/api.js";
import type { UsageReport } from "../../src/core/usage/usage-views.js";
import type { AuditFilters, AuditPage } from "../../src/protocol/dashboard/audit.js";
import type { editKeyBody, keysQuery, KeyPageView, KeyUsageView } from "../../src/protocol/dashboard/keys.js";
import { get, post, send, withQuery } from "./api.ts";

export type KeysQuery = Partial<z.output<typeof keysQuery>>;
type InviteBody = z.input<typeof accounts.inviteBody>;

const account = (id: string) => `/api/admin/accounts/${encodeURIComponent(id)}`;

export const consoleApi = {
  keyPage: (query: KeysQuery) => get<KeyPageView>(withQuery("/api/keys/page", query)),
  keyUsage: () => get<KeyUsageView>("/api/keys/usage"),
  editKey: (id: string, body: z.input<typeof editKeyBody>) => send<KeyView>("PUT", `/api/keys/${id}`, body),

  accounts: (search: string, after: string | undefined) =>
    get<accounts.AccountPage>(withQuery("/api/admin/accounts", { search, after })),
  account: (id: string) => get<accounts.AccountDetail>(account(id)),
  accountKeys: (id: string) => get<accounts.AccountKeys>(`${account(id)}/keys`),
  accountUsage: (id: string, query: z.input<typeof usageQuery>) =>
    get<UsageReport>(withQuery(`${account(id)}/usage`, query)),
  endSessions: (id: string) => post<object>(`${account(id)}/sessions/end`),
  changeAccounts: (body: z.input<typeof accounts.bulkBody>) =>
    post<accounts.BulkResult>("/api/admin/accounts/bulk", body),

  invites: () => get<{ invites: accounts.InviteView[] }>("/api/admin/invites"),
  invite: (body: InviteBody) => post<OneTimeLink>("/api/admin/invites", body),
  revokeInvite: (id: string) => send<object>("DELETE", `/api/admin/invites/${id}`),

  audit: (filters: AuditFilters, before?: string) =>
    get<AuditPage>(withQuery("/api/admin/audit", { ...filters, before })),
  auditCsvAddress: (filters: AuditFilters) => withQuery("/api/admin/audit.csv", filters),
};
