import type { Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** Webhooks and their deliveries; networks that a key is limited to; the weight of a plan in the queue. */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema
    .alterTable("plans")
    .addColumn("weight", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable("keys").addColumn("allow_from", "text").execute();
  await db.schema.createIndex("keys_by_expiry").on("keys").column("expires_at").execute();
  await db.schema
    .createTable("webhooks")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("events", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("off_at", "bigint")
    .addColumn("off_reason", "text")
    .addColumn("failing_since", "bigint")
    .execute();
  await db.schema
    .createTable("webhook_deliveries")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("webhook_id", "text", (column) =>
      column.notNull().references("webhooks.id").onDelete("cascade"),
    )
    .addColumn("account_id", "text", (column) => column.references("accounts.id").onDelete("cascade"))
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("retry_until", "bigint", (column) => column.notNull())
    .addColumn("next_at", "bigint")
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("delivered_at", "bigint")
    .addColumn("last_at", "bigint")
    .addColumn("response_status", "integer")
    .addColumn("error", "text")
    .addColumn("duration_ms", "integer")
    .execute();
  await db.schema.createIndex("webhook_deliveries_due").on("webhook_deliveries").column("next_at").execute();
  await db.schema
    .createIndex("webhook_deliveries_by_webhook")
    .on("webhook_deliveries")
    .columns(["webhook_id", "created_at", "id"])
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_by_time")
    .on("webhook_deliveries")
    .columns(["created_at", "id"])
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_by_account")
    .on("webhook_deliveries")
    .column("account_id")
    .execute();
}
