import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** When an account's address was verified. Those of earlier versions were not, and stay usable. */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema.alterTable("accounts").addColumn("email_verified_at", "bigint").execute();
}
