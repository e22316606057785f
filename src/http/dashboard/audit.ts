/**
 * The audit trail, for admins. It keeps ids; what an id refers to now is looked up when it is read: people in
 * the store, plans and announcements here. Keys keep their id: what an account calls its keys is its own affair.
 */
import { auditQuery } from "../../protocol/dashboard-api.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { auditView } from "./views.js";

export function auditRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/audit", async (visit) => {
      const { before = null } = visit.query(auditQuery);
      const [{ lines, next }, names] = await Promise.all([
        dashboard.audit.page(before),
        targetNames(dashboard),
      ]);
      return { entries: lines.map((line) => auditView(line, names.get(line.target) ?? null)), next };
    }),
  ];
}

async function targetNames({
  store,
  news,
}: DashboardParts["dashboard"]): Promise<ReadonlyMap<string, string>> {
  const [plans, announcements] = await Promise.all([store.listPlans(), news.list()]);
  return new Map([
    ...plans.map((plan) => [plan.id, plan.name] as const),
    ...announcements.map(({ item }) => [item.id, item.title] as const),
  ]);
}
