/** Accounts and invitations, for admins. What was done to an account is in the audit trail's routes. */
import { defaultPlanId } from "../../core/accounts/accounts.js";
import type { PendingInvite } from "../../core/sign-in/one-time-links.js";
import { accountsPageSize, keysPageSize } from "../../core/bounds.js";
import type { MonthView } from "../../core/limits/month-use.js";
import type { UsageReport } from "../../core/usage/usage-views.js";
import {
  accountsQuery,
  bulkBody,
  inviteBody,
  newAccountBody,
  type AccountDetail,
  type AccountKeys,
  type AccountPage,
  type BulkResult,
  type InviteView,
} from "../../protocol/dashboard/accounts.js";
import { setPlanBody, setRoleBody, usageQuery } from "../../protocol/dashboard/api.js";
import { fieldsInJson } from "../../protocol/dashboard/in-json.js";
import type { DashboardParts } from "./parts.js";
import { admin, confirmed, type DashboardRoute } from "./route.js";
import { usageRequest } from "./usage.js";
import { accountView, keyView, linkView, planView } from "./views.js";

export function accountRoutes({ dashboard, publicUrl }: DashboardParts): DashboardRoute[] {
  const { accountAdmin, usageReports, monthUse, clock } = dashboard;
  return [
    admin("GET", "/admin/accounts", async (visit): Promise<AccountPage> => {
      const { search, after = null } = visit.query(accountsQuery);
      const { accounts, next, total } = await accountAdmin.search(search.trim(), after, accountsPageSize);
      return { accounts: accounts.map(accountView), next, total };
    }),
    admin("POST", "/admin/accounts", async (visit, actor) => {
      const { planId = defaultPlanId, ...request } = await visit.body(newAccountBody);
      return accountView(await accountAdmin.create(actor, { planId, ...request }));
    }),
    admin("POST", "/admin/accounts/bulk", async (visit, actor): Promise<BulkResult> => {
      const request = await visit.body(bulkBody);
      const { changed, refused } = await accountAdmin.changeAll(actor, request);
      const known = await dashboard.store.accounts.findSummaries(
        refused.map(({ id }) => id),
        clock.now(),
      );
      const emails = new Map(known.map(({ account }) => [account.id, account.email]));
      return {
        changed: changed.map(accountView),
        refused: refused.map(({ id, message }) => ({ id, email: emails.get(id) ?? null, message })),
      };
    }),
    admin("POST", "/admin/accounts/:id/suspend", async ({ id }, actor) =>
      accountView(await accountAdmin.suspend(actor, id)),
    ),
    admin("POST", "/admin/accounts/:id/resume", async ({ id }, actor) =>
      accountView(await accountAdmin.resume(actor, id)),
    ),
    admin("POST", "/admin/accounts/:id/plan", async (visit, actor) => {
      const { planId } = await visit.body(setPlanBody);
      return accountView(await accountAdmin.setPlan(actor, visit.id, planId));
    }),
    admin("POST", "/admin/accounts/:id/role", confirmed, async (visit, actor) => {
      const { role } = await visit.body(setRoleBody);
      return accountView(await accountAdmin.setRole(actor, visit.id, role));
    }),
    admin("DELETE", "/admin/accounts/:id", confirmed, ({ id }, actor) => accountAdmin.remove(actor, id)),
    admin("POST", "/admin/accounts/:id/reset-link", confirmed, async (visit, actor) =>
      linkView(await accountAdmin.createResetLink(actor, visit.id), publicUrl ?? visit.baseUrl),
    ),
    admin("POST", "/admin/accounts/:id/reset-factors", confirmed, ({ id }, actor) =>
      accountAdmin.resetFactors(actor, id),
    ),
    admin("GET", "/admin/accounts/:id", async ({ id }): Promise<AccountDetail> => {
      const { summary, plan, sessions, factors } = await accountAdmin.detail(id);
      return {
        account: accountView(summary),
        plan: planView(plan),
        factors: { hasTotp: factors.totpSince !== null, passkeys: factors.passkeys.length },
        sessions: sessions.map((session) => fieldsInJson(session, "createdAt", "lastSeenAt", "expiresAt")),
      };
    }),
    admin("GET", "/admin/accounts/:id/keys", async ({ id }): Promise<AccountKeys> => {
      const { keys, total } = await accountAdmin.keys(id, keysPageSize);
      return { keys: keys.map((key) => keyView(key, clock.now())), total };
    }),
    admin("GET", "/admin/accounts/:id/usage", async (visit): Promise<UsageReport> => {
      const request = usageRequest(visit.query(usageQuery));
      await accountAdmin.require(visit.id);
      return usageReports.report(visit.id, request);
    }),
    admin("GET", "/admin/accounts/:id/month", async ({ id }): Promise<MonthView> => {
      const { plan } = await accountAdmin.detail(id);
      return monthUse.ofAccount(id, plan);
    }),
    admin("POST", "/admin/accounts/:id/sessions/end", ({ id }, actor) => accountAdmin.endSessions(actor, id)),
  ];
}

export function inviteRoutes({ dashboard: { invites }, publicUrl }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/invites", async () => ({ invites: (await invites.pending()).map(inviteView) })),
    admin("POST", "/admin/invites", async (visit, actor) => {
      const { email = null, planId = null, expiresInDays: days } = await visit.body(inviteBody);
      return linkView(await invites.create(actor, { email, planId, days }), publicUrl ?? visit.baseUrl);
    }),
    admin("GET", "/admin/invites/:id", async ({ id }) => inviteView(await invites.require(id))),
    admin("DELETE", "/admin/invites/:id", ({ id }, actor) => invites.revoke(actor, id)),
  ];
}

const inviteView = ({ email, emailHash, planId, ...invite }: PendingInvite): InviteView => ({
  ...fieldsInJson(invite, "id", "createdAt", "expiresAt"),
  email: email ?? null,
  isForUnknownAddress: emailHash !== null && email == null,
  planId: planId ?? null,
});
