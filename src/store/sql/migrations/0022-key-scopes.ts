import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** What keys may do besides the model API: nothing, for all that exist. */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema.alterTable("keys").addColumn("scopes", "text").execute();
}
