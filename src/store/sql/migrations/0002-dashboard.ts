import { sql, type CreateTableBuilder, type Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

/** Everything of an account hangs on its row, so that deleting the row deletes the rest. */
export async function up(db: Transaction<Schema>, { bytesType }: MigrationContext): Promise<void> {
  await db.schema.alterTable("plans").addColumn("max_tokens", "bigint").execute();
  await db.schema.alterTable("plans").addColumn("models", "text").execute();
  await db.schema.alterTable("keys").addColumn("disabled_at", "bigint").execute();

  await db.schema
    .createTable("sessions")
    .addColumn("hash", bytesType, (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_seen_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("sessions_by_account").on("sessions").column("account_id").execute();

  await db.schema
    .createTable("links")
    .addColumn("hash", bytesType, (column) => column.primaryKey())
    .addColumn("kind", "text", (column) => column.notNull().check(sql`kind in ('setup', 'reset', 'invite')`))
    .addColumn("account_id", "text", (column) => column.references("accounts.id").onDelete("cascade"))
    .addColumn("email_hash", bytesType)
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("links_by_account").on("links").column("account_id").execute();
  // The operator's account is made by one link. A second one beside it could make a second account.
  await sql`create unique index links_one_setup on links (kind) where kind = 'setup'`.execute(db);

  await withFirstTokens(
    db.schema
      .createTable("usage")
      .addColumn("account_id", "text", (column) =>
        column.notNull().references("accounts.id").onDelete("cascade"),
      )
      .addColumn("key_id", "text", (column) => column.notNull())
      .addColumn("model", "text", (column) => column.notNull())
      .addColumn("hour", "bigint", (column) => column.notNull())
      .addColumn("requests", "bigint", (column) => column.notNull())
      .addColumn("errors", "bigint", (column) => column.notNull())
      .addColumn("prompt_tokens", "bigint", (column) => column.notNull())
      .addColumn("completion_tokens", "bigint", (column) => column.notNull())
      .addColumn("first_token_ms", "bigint", (column) => column.notNull()),
  )
    .addPrimaryKeyConstraint("usage_bucket", ["account_id", "hour", "key_id", "model"])
    .execute();
  await db.schema.createIndex("usage_by_hour").on("usage").column("hour").execute();

  await db.schema
    .createTable("changelog")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("published_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("maintenance")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("title", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("starts_at", "bigint", (column) => column.notNull())
    .addColumn("ends_at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .addColumn("published_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("audit")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("audit_by_actor").on("audit").column("actor").execute();
  await db.schema.createIndex("audit_by_target").on("audit").column("target").execute();
}

const firstTokenSteps = 11;

function withFirstTokens<Table extends string>(
  table: CreateTableBuilder<Table>,
): CreateTableBuilder<Table, string> {
  let builder: CreateTableBuilder<Table, string> = table;
  for (let step = 0; step < firstTokenSteps; step++) {
    builder = builder.addColumn(`first_token_${step}`, "bigint", (column) => column.notNull());
  }
  return builder;
}
