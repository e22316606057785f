/** The audit trail, for admins. */
import { auditQuery } from "../../protocol/dashboard.js";
import type { DashboardParts } from "./parts.js";
import { admin, type DashboardRoute } from "./route.js";
import { auditView } from "./views.js";

export function auditRoutes({ dashboard: { audit } }: DashboardParts): DashboardRoute[] {
  return [
    admin("GET", "/admin/audit", async (visit) => {
      const { lines, next } = await audit.page(visit.query(auditQuery).before ?? null);
      return { entries: lines.map(auditView), next };
    }),
  ];
}
