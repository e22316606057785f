import { sql, type Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** What is asked for often or removed every hour is found by an index, however many accounts there are. */
export async function up(db: Transaction<Schema>): Promise<void> {
  const index = (name: string, table: string, ...columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).execute();
  await index("accounts_by_role", "accounts", "role", "suspended_at");
  await index("accounts_by_creation", "accounts", "created_at", "id");
  await index("accounts_by_plan", "accounts", "plan_id");
  await index("sessions_by_expiry", "sessions", "expires_at");
  await index("sessions_by_last_seen", "sessions", "last_seen_at");
  await index("links_by_expiry", "links", "expires_at");
  await index("links_by_email", "links", "email_hash");
  await index("changes_by_time", "changes", "at");
  await index("changes_by_subject", "changes", "subject", "id");

  // In the order of what happened, so that a page of one account's lines is read without sorting all of them.
  for (const column of ["actor", "target"]) {
    await db.schema.dropIndex(`audit_by_${column}`).execute();
    await index(`audit_by_${column}`, "audit", column, "id");
  }
  await forgetDeletedAccounts(db);
}

/** Earlier versions left the ids of deleted accounts and of their keys in the audit trail. */
async function forgetDeletedAccounts(db: Transaction<Schema>): Promise<void> {
  const isGone = (column: "actor" | "target", table: "accounts" | "keys") => {
    const prefix = table === "accounts" ? "acc_" : "key_";
    return sql`substr(${sql.ref(column)}, 1, 4) = ${sql.lit(prefix)}
      and not exists (select 1 from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = ${sql.ref(`audit.${column}`)})`;
  };
  await sql`delete from audit where ${isGone("actor", "accounts")}
    and (target = actor or substr(target, 1, 4) = 'key_')`.execute(db);
  await sql`update audit set actor = 'deleted account' where ${isGone("actor", "accounts")}`.execute(db);
  await sql`update audit set target = 'deleted account' where ${isGone("target", "accounts")}`.execute(db);
  await sql`update audit set target = 'deleted key' where ${isGone("target", "keys")}`.execute(db);
}
