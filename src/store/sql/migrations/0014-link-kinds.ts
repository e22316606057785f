import { sql, type Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

/** Links of any kind: those to sign in with are new. SQLite drops a check only with its table. */
export async function up(db: Transaction<Schema>, { bytesType }: MigrationContext): Promise<void> {
  if (bytesType === "bytea") {
    await sql`alter table links drop constraint links_kind_check`.execute(db);
    return;
  }
  await db.schema
    .createTable("links_of_any_kind")
    .addColumn("hash", bytesType, (column) => column.primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.references("accounts.id").onDelete("cascade"))
    .addColumn("email_hash", bytesType)
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("email", "text")
    .addColumn("plan_id", "text", (column) => column.references("plans.id").onDelete("set null"))
    .execute();
  const columns = sql.raw("hash, kind, account_id, email_hash, created_at, expires_at, email, plan_id");
  await sql`insert into links_of_any_kind (${columns}) select ${columns} from links`.execute(db);
  await db.schema.dropTable("links").execute();
  await db.schema.alterTable("links_of_any_kind").renameTo("links").execute();
  const index = (name: string, ...indexed: string[]) =>
    db.schema.createIndex(name).on("links").columns(indexed).execute();
  await index("links_by_account", "account_id");
  await index("links_by_expiry", "expires_at");
  await index("links_by_email", "email_hash");
  await index("links_by_kind", "kind", "created_at");
  await index("links_by_plan", "plan_id");
  await sql`create unique index links_one_setup on links (kind) where kind = 'setup'`.execute(db);
}
