import { sql, type Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

const spanMs = 32 * 24 * 60 * 60_000;

/**
 * What keys did in spans of 32 days, so that a year of an account with hundreds of keys is added up from a fraction of
 * their days. It belongs to its account and goes with it. Filled from the days that are there.
 */
export async function up(db: Transaction<Schema>, { bytesType }: MigrationContext): Promise<void> {
  const keySpans = db.schema
    .createTable("key_spans")
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("span", "bigint", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("requests", "bigint", (column) => column.notNull())
    .addColumn("errors", "bigint", (column) => column.notNull())
    .addColumn("refused", "bigint", (column) => column.notNull())
    .addColumn("tokens", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("key_span", ["account_id", "span", "key_id", "model"]);
  // SQLite then keeps the rows in the order of their key, which is how they are read.
  await (bytesType === "blob" ? keySpans.modifyEnd(sql`without rowid`) : keySpans).execute();

  const span = sql`day - day % ${sql.lit(spanMs)}`;
  await sql`insert into key_spans (account_id, span, key_id, model, requests, errors, refused, tokens)
    select account_id, ${span}, key_id, model, cast(sum(requests) as bigint), cast(sum(errors) as bigint),
    cast(sum(refused) as bigint), cast(sum(tokens) as bigint)
    from key_days group by account_id, ${span}, key_id, model`.execute(db);
  await db.schema.createIndex("key_spans_by_span").on("key_spans").column("span").execute();
}
