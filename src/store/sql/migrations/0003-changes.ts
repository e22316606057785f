import { sql, type Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** What running servers must learn of, numbered in the order in which it was committed. */
export async function up(db: Transaction<Schema>): Promise<void> {
  await db.schema
    .createTable("changes")
    .addColumn("id", "bigint", (column) => column.primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("change_counter")
    .addColumn("id", "integer", (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn("last", "bigint", (column) => column.notNull())
    .execute();
  await sql`insert into change_counter (id, last) values (1, 0)`.execute(db);
}
