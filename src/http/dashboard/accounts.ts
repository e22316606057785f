/** Accounts, for admins. */
import { defaultPlanId } from "../../core/accounts/accounts.js";
import {
  accountsQuery,
  bulkBody,
  newAccountBody,
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
  const confirmed = { confirm: true };
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
        dashboard.clock.now(),
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
    admin(
      "POST",
      "/admin/accounts/:id/role",
      async (visit, actor) => {
        const { role } = await visit.body(setRoleBody);
        return accountView(await accountAdmin.setRole(actor, visit.id, role));
      },
      confirmed,
    ),
    admin("DELETE", "/admin/accounts/:id", ({ id }, actor) => accountAdmin.remove(actor, id), confirmed),
    admin(
      "POST",
      "/admin/accounts/:id/reset-link",
      async (visit, actor) =>
        linkView(await accountAdmin.createResetLink(actor, visit.id), publicUrl ?? baseUrlOf(visit)),
      confirmed,
    ),
  ];
}

/** For links that are shown to the admin who asks, in whose browser the address is right. */
export const baseUrlOf = ({ request }: Visit): string => `${request.protocol}://${request.host}`;
