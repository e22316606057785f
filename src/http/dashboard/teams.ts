/** The teams that one is in. Their keys, usage and limits: `keys.ts` and `usage.ts`. */
import type { SessionRecord } from "../../core/sign-in/ports.js";
import type { OpenTeam } from "../../core/teams/teams.js";
import type { Membership, Team, TeamCounts } from "../../core/teams/ports.js";
import type { PendingInvite } from "../../core/sign-in/one-time-links.js";
import { usageQuery } from "../../protocol/dashboard/api.js";
import { fieldsInJson } from "../../protocol/dashboard/in-json.js";
import {
  deleteTeamBody,
  memberLimitsBody,
  memberRoleBody,
  teamBody,
  teamInviteBody,
  teamSecurityBody,
  teamTokenBody,
  type MemberUsageList,
  type MemberView,
  type TeamInvitation,
  type TeamInviteView,
  type TeamList,
  type TeamPage,
  type TeamSecurityView,
  type TeamView,
} from "../../protocol/dashboard/teams.js";
import type { Visit } from "./guard/visit.js";
import type { DashboardParts } from "./parts.js";
import { confirmed, user, type DashboardRoute } from "./route.js";
import { usageRequest } from "./usage.js";
import { linkView, planView } from "./views.js";

export function teamRoutes({ dashboard, publicUrl }: DashboardParts): DashboardRoute[] {
  const { teams, teamInvites, teamUsage } = dashboard;
  const page = async (visit: Visit, { account }: SessionRecord) =>
    teamPage(await teams.members(account, visit.team));
  return [
    user("GET", "/teams", async (_visit, { account }): Promise<TeamList> => {
      const { teams: own, offered } = await teams.of(account);
      return { teams: own.map(teamView), offered: offered.map((team) => fieldsInJson(team, "id", "name")) };
    }),
    user("GET", "/teams/:team", page),
    user("PUT", "/teams/:team", async (visit, me) => {
      await teams.change(me.account, visit.team, await visit.body(teamBody));
      return page(visit, me);
    }),
    user("PUT", "/teams/:team/security", confirmed, async (visit, me) => {
      await teams.secure(me.account, visit.team, await visit.body(teamSecurityBody), visit.request.ip);
      return page(visit, me);
    }),
    user("GET", "/teams/:team/counts", (visit, { account }): Promise<TeamCounts> =>
      teams.counts(account, visit.team),
    ),
    user("DELETE", "/teams/:team", confirmed, async (visit, { account }): Promise<TeamCounts> => {
      const { name } = await visit.body(deleteTeamBody);
      return teams.remove(account, visit.team, name);
    }),
    user("POST", "/teams/:team/join", async (visit, { account }) => {
      await teams.join(account, visit.team);
    }),
    user("POST", "/teams/:team/leave", { fromAnywhere: true }, (visit, { account }) =>
      teams.leave(account, visit.team),
    ),
    user("POST", "/teams/:team/members/:id/role", confirmed, async (visit, { account }) => {
      const { role } = await visit.body(memberRoleBody);
      await teams.setRole(account, visit.team, visit.id, role);
    }),
    user("POST", "/teams/:team/members/:id/limits", async (visit, { account }) => {
      const { limits } = await visit.body(memberLimitsBody);
      await teams.setLimits(account, visit.team, visit.id, limits);
    }),
    user("DELETE", "/teams/:team/members/:id", (visit, { account }) =>
      teams.removeMember(account, visit.team, visit.id),
    ),
    user("GET", "/teams/:team/usage/members", async (visit, { account }): Promise<MemberUsageList> => {
      await teams.open(account, visit.team, "usage_parts");
      return { members: await teamUsage.byMember(visit.team, usageRequest(visit.query(usageQuery))) };
    }),
    user("GET", "/teams/:team/invites", async (visit, { account }) => ({
      invites: (await teamInvites.list(account, visit.team)).map(inviteView),
    })),
    user("POST", "/teams/:team/invites", async (visit, { account }) => {
      const { email = null, role, expiresInDays: days } = await visit.body(teamInviteBody);
      const made = await teamInvites.create(account, visit.team, { email, role, days });
      return linkView(made, publicUrl ?? visit.baseUrl);
    }),
    user("DELETE", "/teams/:team/invites/:id", (visit, { account }) =>
      teamInvites.revoke(account, visit.team, visit.id),
    ),
    user("POST", "/team-invitation", async (visit, { account }): Promise<TeamInvitation> => {
      const { team, role } = await teamInvites.look(account, (await visit.body(teamTokenBody)).token);
      return { id: team.id, name: team.name, role };
    }),
    user("POST", "/team-invitation/accept", async (visit, { account }) => {
      const { id } = await teamInvites.accept(account, (await visit.body(teamTokenBody)).token);
      return { id };
    }),
    user("POST", "/team-invitation/decline", async (visit, { account }) =>
      teamInvites.decline(account, (await visit.body(teamTokenBody)).token),
    ),
  ];
}

const teamView = ({ team, role }: Pick<OpenTeam, "team" | "role">): TeamView => ({
  ...fieldsInJson(team, "id", "name", "suspendedAt"),
  role,
});

const teamPage = ({ team, role, plan, members }: OpenTeam & { members: Membership[] }): TeamPage => ({
  ...teamView({ team, role }),
  ...fieldsInJson(team, "createdAt", "joinDomain"),
  plan: planView(plan),
  security: securityView(team),
  members: members.map(memberView),
});

export const securityView = (team: Team): TeamSecurityView => ({
  ...fieldsInJson(team, "allowFrom"),
  secondFactorDays: team.secondFactor?.graceDays ?? null,
});

export const memberView = (member: Membership): MemberView => ({
  ...fieldsInJson(member, "accountId", "email", "role", "limits", "joinedAt"),
  isSuspended: member.suspendedAt !== null,
});

const inviteView = (invite: PendingInvite): TeamInviteView => ({
  ...fieldsInJson(invite, "id", "createdAt", "expiresAt"),
  email: invite.email ?? null,
  role: invite.team?.role ?? "member",
});
