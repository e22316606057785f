import { sql, type Transaction } from "kysely";
import type { Schema } from "../schema.js";

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
 * What the whole service did, by hour and model, so that an operator's page need not add up everybody's rows; and how
 * many requests ended with which error code. Neither names an account. The first is filled from what is there; causes
 * were not kept before.
 */
export async function up(db: Transaction<Schema>): Promise<void> {
  let table = db.schema
    .createTable("service_usage")
    .addColumn("hour", "bigint", (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull());
  for (const name of counts) table = table.addColumn(name, "bigint", (column) => column.notNull());
  await table
    .addColumn("first_token_min_ms", "bigint")
    .addColumn("first_token_max_ms", "bigint")
    .addPrimaryKeyConstraint("service_usage_bucket", ["hour", "model"])
    .execute();
  const names = sql.join(counts.map((name) => sql.ref(name)));
  const sums = sql.join(counts.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint)`));
  await sql`insert into service_usage (hour, model, ${names}, first_token_min_ms, first_token_max_ms)
    select hour, model, ${sums}, min(first_token_min_ms), max(first_token_max_ms)
    from usage group by hour, model`.execute(db);

  await db.schema
    .createTable("outcomes")
    .addColumn("hour", "bigint", (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("code", "text", (column) => column.notNull())
    .addColumn("requests", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("outcomes_bucket", ["hour", "model", "code"])
    .execute();
}
