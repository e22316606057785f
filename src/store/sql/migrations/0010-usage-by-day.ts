import { sql, type Transaction } from "kysely";
import type { MigrationContext } from "../migration.js";
import type { Schema } from "../schema.js";

const dayMs = 24 * 60 * 60_000;

const steps = Array.from({ length: 11 }, (_, step) => `first_token_${step}`);
const counts = [
  "requests",
  "errors",
  "rate_limited",
  "unavailable",
  "prompt_tokens",
  "completion_tokens",
  "first_token_ms",
  ...steps,
];

/**
 * Usage by the day, so that a page over months need not add up every hour: what an account did, with the times to the
 * first token, and what each of its keys did, in the few counts that are shown of a key. Both belong to their account
 * and go with it. Filled from the hours that are there.
 */
export async function up(db: Transaction<Schema>, { bytesType }: MigrationContext): Promise<void> {
  let accountDays = db.schema
    .createTable("account_days")
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull());
  for (const name of counts)
    accountDays = accountDays.addColumn(name, "bigint", (column) => column.notNull());
  await accountDays
    .addColumn("first_token_min_ms", "bigint")
    .addColumn("first_token_max_ms", "bigint")
    .addPrimaryKeyConstraint("account_day", ["account_id", "day", "model"])
    .execute();
  const keyDays = db.schema
    .createTable("key_days")
    .addColumn("account_id", "text", (column) =>
      column.notNull().references("accounts.id").onDelete("cascade"),
    )
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("requests", "bigint", (column) => column.notNull())
    .addColumn("errors", "bigint", (column) => column.notNull())
    .addColumn("refused", "bigint", (column) => column.notNull())
    .addColumn("tokens", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("key_day", ["account_id", "day", "key_id", "model"]);
  // SQLite then keeps the rows in the order of their key, which is how they are read.
  await (bytesType === "blob" ? keyDays.modifyEnd(sql`without rowid`) : keyDays).execute();

  const day = sql`hour - hour % ${sql.lit(dayMs)}`;
  const names = sql.join(counts.map((name) => sql.ref(name)));
  const sums = sql.join(counts.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint)`));
  await sql`insert into account_days (account_id, day, model, ${names}, first_token_min_ms, first_token_max_ms)
    select account_id, ${day}, model, ${sums}, min(first_token_min_ms), max(first_token_max_ms)
    from usage group by account_id, ${day}, model`.execute(db);
  await sql`insert into key_days (account_id, day, key_id, model, requests, errors, refused, tokens)
    select account_id, ${day}, key_id, model, cast(sum(requests) as bigint), cast(sum(errors) as bigint),
    cast(sum(rate_limited + unavailable) as bigint), cast(sum(prompt_tokens + completion_tokens) as bigint)
    from usage group by account_id, ${day}, key_id, model`.execute(db);

  const index = (name: string, table: string, ...columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).execute();
  // With what is ranked by, so that the rows need not be read; it also finds what is too old.
  const ranked = ["requests", "prompt_tokens", "completion_tokens"];
  await index("account_days_by_day", "account_days", "day", "account_id", "model", ...ranked);
  await index("key_days_by_day", "key_days", "day");
  // A page of an account's keys is read in their order.
  await db.schema.dropIndex("keys_by_account").execute();
  await index("keys_by_account", "keys", "account_id", "created_at", "id");
  // The hours of one key among hundreds.
  await index("usage_by_key", "usage", "account_id", "key_id", "hour");
}
