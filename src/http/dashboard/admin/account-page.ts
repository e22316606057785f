/** One account, for admins: its plan, keys, usage and sessions. What was done to it is in the audit trail's routes. */
import { usageQuery } from "../../../protocol/dashboard/api.js";
import type { MonthView } from "../../../core/limits/month-use.js";
import type { UsageReport } from "../../../core/usage/usage-views.js";
import type { AccountDetail, AccountKeys } from "../../../protocol/dashboard/accounts.js";
import { keysPageSize } from "../../../core/bounds.js";
import type { DashboardParts } from "../parts.js";
import { admin, type DashboardRoute } from "../route.js";
import { usageRequest } from "../usage.js";
import { accountView, keyView, planView } from "../views.js";

export function accountPageRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { accountAdmin, usageReports, monthUse, clock } = dashboard;
  return [
    admin("GET", "/admin/accounts/:id", async ({ id }): Promise<AccountDetail> => {
      const { summary, plan, sessions, factors } = await accountAdmin.detail(id);
      return {
        account: accountView(summary),
        plan: planView(plan),
        factors: { hasTotp: factors.totpSince !== null, passkeys: factors.passkeys.length },
        sessions: sessions.map(({ createdAt, lastSeenAt, expiresAt }) => ({
          createdAt: createdAt.toISOString(),
          lastSeenAt: lastSeenAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        })),
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
