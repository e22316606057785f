import { sql, type Transaction } from "kysely";
import type { Schema } from "../schema.js";

const quotas = ["requests_per_day", "tokens_per_day", "requests_per_month", "tokens_per_month"];
const rates = ["requests_per_minute", "tokens_per_minute", "concurrent_requests"];

/**
 * Teams. A team is an account that nobody signs in to, so that its keys, plan, usage and quotas are those of an account,
 * also for replicas of the version before. What only teams have is in `teams`, who is in them in `memberships`. A key of
 * a member goes with the member's account; a key of a team without a member is a service key.
 */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema
    .alterTable("accounts")
    .addColumn("kind", "text", (column) => column.notNull().defaultTo("person"))
    .execute();
  let teams = db.schema
    .createTable("teams")
    .addColumn("id", "text", (column) => column.primaryKey().references("accounts.id").onDelete("cascade"))
    .addColumn("join_domain", "text");
  for (const name of quotas) teams = teams.addColumn(name, "bigint");
  await teams.execute();
  let memberships = db.schema
    .createTable("memberships")
    .addColumn("team_id", "text", (column) => column.notNull().references("accounts.id").onDelete("cascade"))
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull());
  for (const name of [...rates, ...quotas]) memberships = memberships.addColumn(name, "bigint");
  await memberships.addPrimaryKeyConstraint("membership", ["team_id", "account_id"]).execute();

  await db.schema
    .alterTable("keys")
    .addColumn("member_id", "text", (column) => column.references("accounts.id").onDelete("cascade"))
    .execute();
  await db.schema
    .alterTable("links")
    .addColumn("team_id", "text", (column) => column.references("accounts.id").onDelete("cascade"))
    .execute();
  await db.schema.alterTable("links").addColumn("team_role", "text").execute();

  const index = (name: string, table: string, ...columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).execute();
  await index("memberships_by_account", "memberships", "account_id");
  await index("teams_by_domain", "teams", "join_domain");
  await sql`create index keys_by_member on keys (member_id) where member_id is not null`.execute(db);
  await sql`create index links_by_team on links (team_id) where team_id is not null`.execute(db);
}
