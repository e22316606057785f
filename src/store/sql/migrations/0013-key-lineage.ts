import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** Which key's counts a key continues. Keys of earlier versions continue none: their counts are under their own ids. */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema.alterTable("keys").addColumn("lineage", "text").execute();
}
