import type { Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

/**
 * Second factors, and what sessions say about themselves. Sessions of earlier versions, and of replicas that still run
 * one, were begun with a password and were confirmed when they began.
 */
export async function up(db: Transaction<Schema>, { bytesType }: MigrationContext): Promise<void> {
  const sessions = db.schema.alterTable("sessions");
  await sessions.addColumn("method", "text", (column) => column.notNull().defaultTo("password")).execute();
  await sessions.addColumn("device", "text").execute();
  await sessions.addColumn("confirmed_at", "bigint").execute();
  await db.schema
    .createTable("totp")
    .addColumn("account_id", "text", (column) =>
      column.primaryKey().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("sealed_secret", "text", (column) => column.notNull())
    .addColumn("last_step", "bigint", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("confirmed_at", "bigint")
    .execute();
  await db.schema
    .createTable("passkeys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("public_key", "text", (column) => column.notNull())
    .addColumn("counter", "bigint", (column) => column.notNull())
    .addColumn("transports", "text", (column) => column.notNull())
    .addColumn("can_sync", "integer", (column) => column.notNull())
    .addColumn("is_synced", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .execute();
  await db.schema
    .createTable("recovery_codes")
    .addColumn("hash", bytesType, (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .execute();
  await db.schema
    .createTable("sign_in_steps")
    .addColumn("hash", bytesType, (column) => column.primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.references("accounts.id").onDelete("cascade"))
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  const index = (name: string, table: string, column: string) =>
    db.schema.createIndex(name).on(table).column(column).execute();
  await index("passkeys_by_account", "passkeys", "account_id");
  await index("recovery_codes_by_account", "recovery_codes", "account_id");
  await index("sign_in_steps_by_account", "sign_in_steps", "account_id");
  await index("sign_in_steps_by_expiry", "sign_in_steps", "expires_at");
}
