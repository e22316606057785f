/** Accounts, for admins. */
import type { Actor } from "../../core/audit.js";
import type { SessionRecord } from "../../core/dashboard-ports.js";
import { accountsPageSize } from "../../protocol/dashboard-bounds.js";
import { accountsQuery, inviteBody, setPlanBody, setRoleBody } from "../../protocol/dashboard-api.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { accountView, linkView } from "./views.js";
import type { Visit } from "./guard/visit.js";

export function accountRoutes({ dashboard, publicUrl }: DashboardParts): DashboardRoute[] {
  const { accountAdmin } = dashboard;
  // Shown to the admin who asks, in whose browser the address is right.
  const baseUrl = ({ request }: Visit): string => publicUrl ?? `${request.protocol}://${request.host}`;
  return [
    admin("GET", "/admin/accounts", async (visit) => {
      const { search, page } = visit.query(accountsQuery);
      const found = await accountAdmin.search(search.trim(), page, accountsPageSize);
      return { accounts: found.accounts.map(accountView), total: found.total };
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
      linkView(await accountAdmin.makeResetLink(actorOf(me), visit.id), baseUrl(visit)),
    ),
    admin("POST", "/admin/invites", async (visit, me) => {
      const { email = null } = await visit.body(inviteBody);
      return linkView(await accountAdmin.invite(actorOf(me), email), baseUrl(visit));
    }),
  ];
}

export const actorOf = ({ account }: SessionRecord): Actor => ({ accountId: account.id });
