import { sql } from "kysely";
import { statements } from "../migration.js";

/** The key that an account acted with in the operator's API and over SCIM: unknown for all lines that exist. */
export const up = statements(() => [sql`alter table audit add column actor_key text`]);
