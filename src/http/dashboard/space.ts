/**
 * Whose keys, usage and limits a request is about: one's own, or those of a team that one is in. The same routes exist
 * for both, those of teams below /teams/:team.
 */
import type { Plan } from "../../core/entities.js";
import { ownHolder, type KeyHolder } from "../../core/keys/own-keys.js";
import type { SessionRecord } from "../../core/sign-in/ports.js";
import type { TeamRight } from "../../core/teams/roles.js";
import type { OpenTeam, Teams } from "../../core/teams/teams.js";
import type { Visit } from "./guard/visit.js";

interface OpenSpace {
  holder: KeyHolder;
  plan: Plan;
  /** Null in one's own account. */
  team: OpenTeam | null;
}

export interface Space {
  /** Before the path of each of its routes. */
  prefix: "" | "/teams/:team";
  /** Throws where the caller has no such right there. */
  open: (visit: Visit, me: SessionRecord, right: TeamRight) => Promise<OpenSpace>;
}

export const spacesOf = (teams: Pick<Teams, "open" | "holderOf">): Space[] => [
  {
    prefix: "",
    open: async (_visit, { account, plan }) => ({ holder: ownHolder(account), plan, team: null }),
  },
  {
    prefix: "/teams/:team",
    open: async (visit, { account }, right) => {
      const team = await teams.open(account, visit.team, right);
      return { holder: teams.holderOf(account, team), plan: team.plan, team };
    },
  },
];
