import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** Whether accounts on a plan must encrypt their requests. Until an admin says so, none must. */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema
    .alterTable("plans")
    .addColumn("requires_encryption", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
