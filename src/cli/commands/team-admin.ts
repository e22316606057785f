/** What commands about teams share. */
import type { Audit } from "../../core/audit.js";
import { systemClock } from "../../core/clock.js";
import { TeamAdmin } from "../../core/teams/team-admin.js";
import type { FullStore } from "../../store/full-store.js";

export const actor = "command line";

export const teamAdminOf = (store: FullStore, audit: Audit): TeamAdmin =>
  new TeamAdmin({ store, audit, clock: systemClock });
