/** Teams, for admins of the service. */
import { teamsPageSize } from "../../../core/bounds.js";
import type { MonthView } from "../../../core/limits/month-use.js";
import type { Team, TeamCounts } from "../../../core/teams/ports.js";
import type { UsageReport } from "../../../core/usage/usage-views.js";
import { setPlanBody, usageQuery } from "../../../protocol/dashboard/api.js";
import { fieldsInJson } from "../../../protocol/dashboard/in-json.js";
import {
  adminTeamsQuery,
  newTeamBody,
  putMemberBody,
  renameTeamBody,
  teamQuotasBody,
  teamSecurityBody,
  type AdminTeam,
  type AdminTeamDetail,
  type AdminTeamList,
} from "../../../protocol/dashboard/teams.js";
import { pathParam } from "../../connection/paths.js";
import type { DashboardParts } from "../parts.js";
import { admin, confirmed, type DashboardRoute } from "../route.js";
import { memberView, securityView } from "../teams.js";
import { usageRequest } from "../usage.js";
import { planView } from "../views.js";

export function adminTeamRoutes({ dashboard }: DashboardParts): DashboardRoute[] {
  const { teamAdmin, usageReports, monthUse } = dashboard;
  const detail = async (id: string): Promise<AdminTeamDetail> => {
    const { team, plan, members, counts } = await teamAdmin.detail(id);
    return {
      team: teamView(team, counts),
      plan: planView(plan),
      quotas: team.quotas,
      joinDomain: team.joinDomain,
      security: securityView(team),
      people: members.map(memberView),
      invitations: counts.invitations,
    };
  };
  return [
    admin("GET", "/admin/teams", async (visit): Promise<AdminTeamList> => {
      const { search, page, after = page } = visit.query(adminTeamsQuery);
      const { teams, total } = await teamAdmin.list(search.trim(), {
        offset: after * teamsPageSize,
        limit: teamsPageSize,
      });
      const hasNext = (after + 1) * teamsPageSize < total;
      return {
        teams: teams.map(({ team, ...counts }) => teamView(team, counts)),
        total,
        next: hasNext ? String(after + 1) : null,
      };
    }),
    admin("POST", "/admin/teams", async (visit, actor) => {
      const { id } = await teamAdmin.create(actor, await visit.body(newTeamBody));
      return detail(id);
    }),
    admin("GET", "/admin/teams/:id", ({ id }) => detail(id)),
    admin("PUT", "/admin/teams/:id", async (visit, actor) => {
      const { name } = await visit.body(renameTeamBody);
      await teamAdmin.rename(actor, visit.id, name);
      return detail(visit.id);
    }),
    admin("POST", "/admin/teams/:id/plan", async (visit, actor) => {
      const { planId } = await visit.body(setPlanBody);
      await teamAdmin.setPlan(actor, visit.id, planId);
      return detail(visit.id);
    }),
    admin("PUT", "/admin/teams/:id/quotas", async (visit, actor) => {
      await teamAdmin.setQuotas(actor, visit.id, await visit.body(teamQuotasBody));
      return detail(visit.id);
    }),
    admin("PUT", "/admin/teams/:id/security", confirmed, async (visit, actor) => {
      await teamAdmin.secure(actor, visit.id, await visit.body(teamSecurityBody));
      return detail(visit.id);
    }),
    admin("POST", "/admin/teams/:id/suspend", async ({ id }, actor) => {
      await teamAdmin.suspend(actor, id);
      return detail(id);
    }),
    admin("POST", "/admin/teams/:id/resume", async ({ id }, actor) => {
      await teamAdmin.resume(actor, id);
      return detail(id);
    }),
    admin("PUT", "/admin/teams/:id/members/:member", async (visit, actor) => {
      const { role } = await visit.body(putMemberBody);
      await teamAdmin.putMember(actor, visit.id, pathParam(visit.request, "member"), role);
      return detail(visit.id);
    }),
    admin("DELETE", "/admin/teams/:id/members/:member", async (visit, actor) => {
      await teamAdmin.removeMember(actor, visit.id, pathParam(visit.request, "member"));
      return detail(visit.id);
    }),
    admin("DELETE", "/admin/teams/:id", confirmed, ({ id }, actor): Promise<TeamCounts> =>
      teamAdmin.remove(actor, id),
    ),
    admin("GET", "/admin/teams/:id/usage", async (visit): Promise<UsageReport> => {
      await teamAdmin.require(visit.id);
      return usageReports.report(visit.id, usageRequest(visit.query(usageQuery)));
    }),
    admin("GET", "/admin/teams/:id/month", async ({ id }): Promise<MonthView> => {
      const { plan } = await teamAdmin.detail(id);
      return monthUse.ofAccount(id, plan);
    }),
  ];
}

const teamView = (
  team: Team,
  { members, liveKeys }: Pick<TeamCounts, "members" | "liveKeys">,
): AdminTeam => ({
  ...fieldsInJson(team, "id", "name", "planId", "createdAt", "suspendedAt"),
  members,
  keys: liveKeys,
});
