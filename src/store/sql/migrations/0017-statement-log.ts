import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** The append-only log of what the service says about itself. */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema
    .createTable("statement_log")
    .addColumn("number", "bigint", (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
}
