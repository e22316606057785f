/** Calls and queries of teams. See api.ts and queries.ts; their keys, usage and limits are there. */
import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import type { Quotas, TeamRole } from "../../src/core/entities.js";
import type { MonthView } from "../../src/core/limits/month-use.js";
import type { OneTimeLink } from "../../src/protocol/dashboard/api.js";
import type * as teams from "../../src/protocol/dashboard/teams.js";
import type { UsagePeriod } from "../pages/app/usage/usage-period.ts";
import { get, post, read, send, withQuery } from "./api.ts";
import { queries } from "./queries.ts";

const at = (id: string) => `/api/teams/${encodeURIComponent(id)}`;
const adminAt = (id: string) => `/api/admin/teams/${encodeURIComponent(id)}`;

export const teamApi = {
  save: (id: string, body: z.input<typeof teams.teamBody>) => send<teams.TeamPage>("PUT", at(id), body),
  secure: (id: string, security: teams.TeamSecurityView) =>
    send<teams.TeamPage>("PUT", `${at(id)}/security`, security),
  counts: (id: string) => get<teams.TeamCounts>(`${at(id)}/counts`),
  remove: (id: string, name: string) => send<teams.TeamCounts>("DELETE", at(id), { name }),
  join: (id: string) => post<object>(`${at(id)}/join`),
  leave: (id: string) => post<object>(`${at(id)}/leave`),
  setRole: (id: string, accountId: string, role: TeamRole) =>
    post<object>(`${at(id)}/members/${accountId}/role`, { role }),
  setLimits: (id: string, accountId: string, body: z.input<typeof teams.memberLimitsBody>) =>
    post<object>(`${at(id)}/members/${accountId}/limits`, body),
  removeMember: (id: string, accountId: string) => send<object>("DELETE", `${at(id)}/members/${accountId}`),
  invite: (id: string, body: z.input<typeof teams.teamInviteBody>) =>
    post<OneTimeLink>(`${at(id)}/invites`, body),
  revokeInvite: (id: string, invite: string) => send<object>("DELETE", `${at(id)}/invites/${invite}`),
  look: (token: string) => post<teams.TeamInvitation>("/api/team-invitation", { token }),
  accept: (token: string) => post<{ id: string }>("/api/team-invitation/accept", { token }),
  decline: (token: string) => post<object>("/api/team-invitation/decline", { token }),

  admin: {
    create: (body: z.input<typeof teams.newTeamBody>) =>
      post<teams.AdminTeamDetail>("/api/admin/teams", body),
    setPlan: (id: string, planId: string) => post<teams.AdminTeamDetail>(`${adminAt(id)}/plan`, { planId }),
    setQuotas: (id: string, quotas: Quotas) =>
      send<teams.AdminTeamDetail>("PUT", `${adminAt(id)}/quotas`, quotas),
    secure: (id: string, security: teams.TeamSecurityView) =>
      send<teams.AdminTeamDetail>("PUT", `${adminAt(id)}/security`, security),
    set: (id: string, change: "suspend" | "resume") =>
      post<teams.AdminTeamDetail>(`${adminAt(id)}/${change}`),
    remove: (id: string) => send<teams.TeamCounts>("DELETE", adminAt(id)),
  },
};

export const teamQueries = {
  list: read<teams.TeamList>(["teams"], "/api/teams", { staleTime: 30_000 }),
  team: (id: string) => read<teams.TeamPage>(["teams", id], at(id)),
  invites: (id: string) =>
    read<{ invites: teams.TeamInviteView[] }>(["teams", id, "invites"], `${at(id)}/invites`),
  usageByMember: (id: string, period: UsagePeriod) =>
    read<teams.MemberUsageList>(
      ["teams", id, "usage", period],
      withQuery(`${at(id)}/usage/members`, { ...period }),
    ),
  admin: {
    list: (search: string, page: number) =>
      read<teams.AdminTeamList>(
        ["admin", "teams", search, page],
        withQuery("/api/admin/teams", { search, page }),
      ),
    team: (id: string) => read<teams.AdminTeamDetail>(["admin", "team", id], adminAt(id)),
    month: (id: string) => read<MonthView>(["admin", "team", id, "month"], `${adminAt(id)}/month`),
  },
};

/** Nothing is asked for one's own account. */
export const useTeam = (id: string | null) =>
  useQuery({ ...teamQueries.team(id ?? ""), enabled: id !== null });

export function useSpaceLimits(team: string | null) {
  const own = useQuery({ ...queries.limits, enabled: team === null });
  const ofTeam = useQuery({ ...queries.teamLimits(team ?? ""), enabled: team !== null });
  return team === null ? own : ofTeam;
}

export const mayManage = (role: TeamRole | undefined): boolean => role === "owner" || role === "admin";

/** A viewer has no keys, and sends no requests. */
export const mayHaveKeys = (role: TeamRole | undefined): boolean => role !== "viewer";

/** A member sees the team's sums only. */
export const seesUsageParts = (role: TeamRole | undefined): boolean =>
  role !== undefined && role !== "member";
