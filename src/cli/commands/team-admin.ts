/** What commands about teams share. */
import type { Command } from "commander";
import { systemClock } from "../../core/clock.js";
import { TeamAdmin } from "../../core/teams/team-admin.js";
import type { FullStore } from "../../store/full-store.js";
import { withStore } from "../store-command.js";

export const actor = "command line";

export const withTeams = <T>(
  command: Command,
  work: (admin: TeamAdmin, store: FullStore) => Promise<T>,
): Promise<T> =>
  withStore(command, (store, _record, { audit }) =>
    work(new TeamAdmin({ store, audit, clock: systemClock }), store),
  );
