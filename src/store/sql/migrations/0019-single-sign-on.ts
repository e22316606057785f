import type { Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

/** Identities at providers, sign-ins under way, what sessions were begun by, and logout tokens that were used. */
export async function up(db: Transaction<Schema>, { bytesType }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("oidc_identities")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("issuer", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint", (column) => column.notNull())
    .addUniqueConstraint("oidc_identity", ["issuer", "subject"])
    .execute();
  await db.schema
    .createIndex("oidc_identities_by_account")
    .on("oidc_identities")
    .column("account_id")
    .execute();
  await db.schema
    .createTable("oidc_rounds")
    .addColumn("hash", bytesType, (column) => column.primaryKey())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.references("accounts.id").onDelete("cascade"))
    .addColumn("next", "text", (column) => column.notNull())
    .addColumn("invite_hash", bytesType)
    .addColumn("identity", "text")
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("oidc_rounds_by_account").on("oidc_rounds").column("account_id").execute();
  await db.schema.createIndex("oidc_rounds_by_expiry").on("oidc_rounds").column("expires_at").execute();
  await db.schema
    .createTable("oidc_sessions")
    .addColumn("session_hash", bytesType, (column) =>
      column.primaryKey().references("sessions.hash").onDelete("cascade"),
    )
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("issuer", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("sid", "text")
    .execute();
  await db.schema
    .createIndex("oidc_sessions_by_sid")
    .on("oidc_sessions")
    .columns(["issuer", "sid"])
    .execute();
  await db.schema
    .createTable("oidc_logouts")
    .addColumn("hash", bytesType, (column) => column.primaryKey())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("oidc_logouts_by_expiry").on("oidc_logouts").column("expires_at").execute();
}
