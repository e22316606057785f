import { sql, type Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

export async function up(
  db: Transaction<Schema>,
  { bytesType, defaultPlan }: MigrationContext,
): Promise<void> {
  await db.schema
    .createTable("plans")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("requests_per_minute", "bigint", (column) => column.notNull())
    .addColumn("tokens_per_minute", "bigint", (column) => column.notNull())
    .addColumn("concurrent_requests", "bigint", (column) => column.notNull())
    .addColumn("max_keys", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("accounts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("email_lower", "text", (column) => column.notNull().unique())
    .addColumn("password_hash", "text")
    .addColumn("role", "text", (column) => column.notNull().check(sql`role in ('user', 'admin')`))
    .addColumn("plan_id", "text", (column) => column.notNull().references("plans.id"))
    .addColumn("suspended_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("hash", bytesType, (column) => column.notNull().unique())
    .addColumn("last_four", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("models", "text")
    .addColumn("operations", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .addColumn("last_used_at", "bigint")
    .execute();
  await db.schema.createIndex("keys_by_account").on("keys").column("account_id").execute();

  await db.schema
    .createTable("settings")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();

  // Column by column: what later versions add to a plan is not there yet.
  await sql`insert into plans
    (id, name, requests_per_minute, tokens_per_minute, concurrent_requests, max_keys)
    values (${defaultPlan.id}, ${defaultPlan.name}, ${defaultPlan.requestsPerMinute},
      ${defaultPlan.tokensPerMinute}, ${defaultPlan.concurrentRequests}, ${defaultPlan.maxKeys})`.execute(db);
}
