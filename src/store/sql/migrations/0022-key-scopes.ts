import { sql } from "kysely";
import { statements } from "../migration.js";

/** What keys may do besides the model API: nothing, for all that exist. */
export const up = statements(() => [sql`alter table keys add column scopes text`]);
