/**
 * Teams in the dashboard's API. What is below /api/keys, /api/usage and /api/limits for one's own account is also below
 * /api/teams/:team for a team: GET and POST /api/teams/:team/keys, GET /api/teams/:team/usage, and so on.
 */
import * as z from "zod";
import { graceDays, inviteDays, longest } from "../../core/bounds.js";
import { type Quotas, type TeamRole, teamRoles } from "../../core/entities.js";
import type { TeamSecurity } from "../../core/teams/team-fields.js";
import type { Membership, Team, TeamCounts } from "../../core/teams/ports.js";
import type { MemberUsage } from "../../core/teams/team-usage.js";
import { email, keyLimits, keyNetworks, line, noPage, quotas, whole, type PlanView } from "./api.js";
import type { InJson } from "./in-json.js";

const role = z.enum(teamRoles, `Choose one of ${teamRoles.join(", ")}.`);
const token = z.string("The link is incomplete.").max(200, "The link is incomplete.");
const name = line("a name", longest.teamName);

/** GET /api/teams */
export interface TeamList {
  teams: TeamView[];
  /** Those that one may join, since they are open to the domain of one's verified address. */
  offered: { id: string; name: string }[];
}

export interface TeamView {
  id: string;
  name: string;
  /** One's own. */
  role: TeamRole;
  suspendedAt: string | null;
}

/** GET /api/teams/:team. Members are shown to all of them. */
export interface TeamPage extends TeamView {
  createdAt: string;
  /** With the team's quotas in place of the plan's. */
  plan: PlanView;
  joinDomain: string | null;
  security: TeamSecurityView;
  members: MemberView[];
}

export type TeamSecurityView = InJson<TeamSecurity>;

export interface MemberView extends InJson<Omit<Membership, "teamId" | "suspendedAt" | "providerId">> {
  isSuspended: boolean;
}

/** PUT /api/teams/:team → TeamPage */
export const teamBody = z.object({
  name,
  joinDomain: z
    .string("Enter a domain.")
    .trim()
    .max(longest.email, `Use at most ${longest.email} characters.`)
    .nullable(),
});
/** PUT /api/teams/:team/security → TeamPage, and PUT /api/admin/teams/:id/security → AdminTeamDetail */
export const teamSecurityBody = z.object({
  allowFrom: keyNetworks.transform((networks) => networks ?? null),
  secondFactorDays: whole(graceDays.min, graceDays.max).nullable(),
});
// POST /api/teams/:team/join → {}: by domain    POST /api/teams/:team/leave → {}: ends one's keys
// GET /api/teams/:team/counts → TeamCounts: what deleting would take
/** DELETE /api/teams/:team → TeamCounts */
export const deleteTeamBody = z.object({ name: z.string("Enter the name of the team.") });
export type { TeamCounts };

/** POST /api/teams/:team/members/:id/role → {}; DELETE /api/teams/:team/members/:id → {} */
export const memberRoleBody = z.object({ role });
/** POST /api/teams/:team/members/:id/limits → {} */
export const memberLimitsBody = z.object({ limits: keyLimits });

/** GET /api/teams/:team/usage/members → MemberUsageList */
export interface MemberUsageList {
  members: MemberUsage[];
}

/** POST /api/teams/:team/invites → OneTimeLink; GET → { invites: TeamInviteView[] }; DELETE …/:id → {} */
export const teamInviteBody = z.object({
  email: email.optional(),
  role: role.default("member"),
  expiresInDays: whole(inviteDays.min, inviteDays.max).default(inviteDays.usual),
});

export interface TeamInviteView {
  id: string;
  /** Null for an invitation that anyone with an account may use. */
  email: string | null;
  role: TeamRole;
  createdAt: string;
  expiresAt: string;
}

/** POST /api/team-invitation → TeamInvitation: what the link is to; …/accept → { id }; …/decline → {} */
export const teamTokenBody = z.object({ token });
export type TeamInvitation = Omit<TeamView, "suspendedAt">;

// ------------------------------------------------------------------------------------------------ for admins

/** GET /api/admin/teams → AdminTeamList */
export const adminTeamsQuery = z.object({
  search: z.string("Enter what to look for.").max(200, "Use at most 200 characters.").default(""),
  page: z.coerce.number(noPage).int(noPage).min(0, noPage).max(10_000, noPage).default(0),
  /** The `next` of the page before, in place of its number. */
  after: z.coerce.number(noPage).int(noPage).min(0, noPage).max(10_000, noPage).optional(),
});

export interface AdminTeamList {
  teams: AdminTeam[];
  /** That match. */
  total: number;
  /** Null on the last page. */
  next: string | null;
}

export interface AdminTeam extends InJson<
  Pick<Team, "id" | "name" | "planId" | "createdAt" | "suspendedAt">
> {
  /** How many. */
  members: number;
  keys: number;
}

/** POST /api/admin/teams → AdminTeamDetail */
export const newTeamBody = z.object({
  name,
  planId: z.string("Choose a plan.").max(64, "There is no such plan."),
  ownerEmail: email,
});

/** GET /api/admin/teams/:id; POST …/plan, …/suspend, …/resume and PUT …/quotas → the same; DELETE → TeamCounts */
export interface AdminTeamDetail {
  team: AdminTeam;
  /** As it counts. */
  plan: PlanView;
  /** Null where the plan's count. */
  quotas: Quotas;
  joinDomain: string | null;
  security: TeamSecurityView;
  people: MemberView[];
  invitations: number;
}

/** PUT /api/admin/teams/:id → AdminTeamDetail */
export const renameTeamBody = z.object({ name });
export const teamQuotasBody = z.object(quotas);
/** PUT /api/admin/teams/:id/members/:member → AdminTeamDetail, also for one who is in no team yet; DELETE likewise */
export const putMemberBody = memberRoleBody;
