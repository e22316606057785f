import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

export async function up(db: Transaction<Schema>): Promise<void> {
  for (const column of ["requests_per_minute", "tokens_per_minute", "concurrent_requests"]) {
    await db.schema.alterTable("keys").addColumn(column, "bigint").execute();
  }
}
