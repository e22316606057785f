import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

const columns = ["requests_per_day", "tokens_per_day", "requests_per_month", "tokens_per_month"];

/** Quotas, what was used of them by the day, and which warnings were mailed. */
export async function up(db: Transaction<Schema>): Promise<void> {
  for (const table of ["plans", "keys"]) {
    for (const column of columns) await db.schema.alterTable(table).addColumn(column, "bigint").execute();
  }
  await db.schema
    .createTable("quota_days")
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("day", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("requests", "bigint", (column) => column.notNull())
    .addColumn("tokens", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("quota_day", ["account_id", "day", "key_id"])
    .execute();
  await db.schema.createIndex("quota_days_by_day").on("quota_days").column("day").execute();
  await db.schema
    .createTable("quota_warnings")
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("sent_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("quota_warning", ["account_id", "name"])
    .execute();
  await db.schema.createIndex("quota_warnings_by_time").on("quota_warnings").column("sent_at").execute();
}
