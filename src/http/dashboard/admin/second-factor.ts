/** Who must have a second factor, and what an admin does for someone who lost theirs. */
import { requirementBody } from "../../../protocol/dashboard/factors.js";
import type { DashboardParts } from "../parts.js";
import { admin, type DashboardRoute } from "../route.js";

export function secondFactorRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { accountAdmin, factorRequirement, audit } = dashboard;
  const confirmed = { confirm: true };
  return [
    admin("GET", "/admin/second-factor", () => factorRequirement.read()),
    admin(
      "PUT",
      "/admin/second-factor",
      async (visit, actor) => factorRequirement.save(audit, actor, await visit.body(requirementBody)),
      confirmed,
    ),
    admin(
      "POST",
      "/admin/accounts/:id/reset-factors",
      ({ id }, actor) => accountAdmin.resetFactors(actor, id),
      confirmed,
    ),
  ];
}
