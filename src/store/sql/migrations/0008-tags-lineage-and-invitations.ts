import { sql, type Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

const dayMs = 24 * 60 * 60_000;

/**
 * Tags of keys, which key replaced which, the model of the last request; the plan and the address of pending
 * invitations; and indices for finding accounts and audit lines among many. Of when a key was last used only the
 * day is left.
 */
export async function up(db: Transaction<Schema>, { bytesType }: MigrationContext): Promise<void> {
  for (const column of ["tags", "replaces", "last_used_model"]) {
    await db.schema.alterTable("keys").addColumn(column, "text").execute();
  }
  await sql`update keys set last_used_at = last_used_at - last_used_at % ${sql.lit(dayMs)}
    where last_used_at is not null`.execute(db);

  await db.schema.alterTable("links").addColumn("email", "text").execute();
  // A plan that is deleted while an invitation names it leaves the invitation with the default plan.
  await db.schema
    .alterTable("links")
    .addColumn("plan_id", "text", (column) => column.references("plans.id").onDelete("set null"))
    .execute();
  const index = (name: string, table: string, ...columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).execute();
  await index("links_by_kind", "links", "kind", "created_at");
  await index("links_by_plan", "links", "plan_id");

  await index("audit_by_action", "audit", "action", "id");
  // With the address, so that a search through all of them reads the index alone.
  await index("accounts_by_creation_and_email", "accounts", "created_at", "id", "email_lower");
  await db.schema.dropIndex("accounts_by_creation").execute();
  // SQLite compares bytes, so its own indices find a beginning. In Postgres that takes an operator class.
  if (bytesType === "bytea") {
    await sql`create index accounts_by_email_beginning on accounts (email_lower text_pattern_ops)`.execute(
      db,
    );
    await sql`create index accounts_by_id_beginning on accounts (id text_pattern_ops)`.execute(db);
  }
}
