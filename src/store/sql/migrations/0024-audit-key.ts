import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** The key that an account acted with in the operator's API and over SCIM: unknown for all lines that exist. */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema.alterTable("audit").addColumn("actor_key", "text").execute();
}
