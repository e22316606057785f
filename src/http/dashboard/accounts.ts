/** Accounts, for admins. */
import type { Actor } from "../../core/audit.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import { changeAccounts } from "../../core/accounts/bulk-change.js";
import {
  accountsQuery,
  bulkBody,
  type AccountPage,
  type BulkResult,
} from "../../protocol/dashboard/accounts.js";
import { setPlanBody, setRoleBody } from "../../protocol/dashboard/api.js";
import { accountsPageSize } from "../../core/bounds.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { accountView, linkView } from "./views.js";
import type { Visit } from "./guard/visit.js";

export function accountRoutes({ dashboard, publicUrl }: DashboardParts): DashboardRoute[] {
  const { accountAdmin } = dashboard;
  return [
    admin("GET", "/admin/accounts", async (visit): Promise<AccountPage> => {
      const { search, after = null } = visit.query(accountsQuery);
      const { accounts, next, total } = await accountAdmin.search(search.trim(), after, accountsPageSize);
      return { accounts: accounts.map(accountView), next, total };
    }),
    admin("POST", "/admin/accounts/bulk", async (visit, me): Promise<BulkResult> => {
      const request = await visit.body(bulkBody);
      const { changed, refused } = await changeAccounts(accountAdmin, actorOf(me), request);
      const known = await dashboard.store.accounts.findSummaries(
        refused.map(({ id }) => id),
        dashboard.clock.now(),
      );
      const emails = new Map(known.map(({ account }) => [account.id, account.email]));
      return {
        changed: changed.map(accountView),
        refused: refused.map(({ id, message }) => ({ id, email: emails.get(id) ?? null, message })),
      };
    }),
    admin("POST", "/admin/accounts/:id/suspend", async ({ id }, me) =>
      accountView(await accountAdmin.suspend(actorOf(me), id)),
    ),
    admin("POST", "/admin/accounts/:id/resume", async ({ id }, me) =>
      accountView(await accountAdmin.resume(actorOf(me), id)),
    ),
    admin("POST", "/admin/accounts/:id/plan", async (visit, me) => {
      const { planId } = await visit.body(setPlanBody);
      return accountView(await accountAdmin.setPlan(actorOf(me), visit.id, planId));
    }),
    admin("POST", "/admin/accounts/:id/role", async (visit, me) => {
      const { role } = await visit.body(setRoleBody);
      return accountView(await accountAdmin.setRole(actorOf(me), visit.id, role));
    }),
    admin("POST", "/admin/accounts/:id/reset-link", async (visit, me) =>
      linkView(await accountAdmin.createResetLink(actorOf(me), visit.id), publicUrl ?? baseUrlOf(visit)),
    ),
  ];
}

/** For links that are shown to the admin who asks, in whose browser the address is right. */
export const baseUrlOf = ({ request }: Visit): string => `${request.protocol}://${request.host}`;

export const actorOf = ({ account }: SessionRecord): Actor => ({ accountId: account.id });
