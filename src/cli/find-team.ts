/** Teams as people name them at the command line. */
import { systemClock } from "../core/clock.js";
import type { Team, TeamStore, TeamSummary } from "../core/teams/ports.js";
import { UserError } from "../core/user-error.js";

const pageSize = 500;

export async function allTeams(store: TeamStore): Promise<TeamSummary[]> {
  const all: TeamSummary[] = [];
  for (;;) {
    const { teams, total } = await store.list("", { offset: all.length, limit: pageSize }, systemClock.now());
    all.push(...teams);
    if (teams.length === 0 || all.length >= total) return all;
  }
}

/** By its id, or by its name where only one team has it. */
export async function findTeam(store: TeamStore, text: string): Promise<Team> {
  const { teams } = await store.list(text, { offset: 0, limit: pageSize }, systemClock.now());
  const [found, ...others] = teams.filter(({ team }) => team.id === text || team.name === text);
  if (found !== undefined && others.length === 0) return found.team;
  throw new UserError(
    found === undefined
      ? "There is no such team. List them: sotto teams list"
      : "Several teams have this name. Use the id: sotto teams list",
  );
}
