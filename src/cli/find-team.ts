/** Teams as people name them at the command line. */
import type { Team, TeamSummary } from "../core/teams/ports.js";
import type { TeamAdmin } from "../core/teams/team-admin.js";
import { UserError } from "../core/user-error.js";

const pageSize = 500;

export async function allTeams(admin: Pick<TeamAdmin, "list">): Promise<TeamSummary[]> {
  const all: TeamSummary[] = [];
  for (;;) {
    const { teams, total } = await admin.list("", { offset: all.length, limit: pageSize });
    all.push(...teams);
    if (teams.length === 0 || all.length >= total) return all;
  }
}

/** By its id, or by its name where only one team has it. */
export async function findTeam(admin: Pick<TeamAdmin, "list">, text: string): Promise<Team> {
  const { teams } = await admin.list(text, { offset: 0, limit: pageSize });
  const named = teams.filter(({ team }) => team.id === text || team.name === text);
  const [found, ...others] = named;
  if (found !== undefined && others.length === 0) return found.team;
  throw new UserError(
    found === undefined
      ? "There is no such team. List them: sotto teams list"
      : "Several teams have this name. Use the id: sotto teams list",
  );
}
