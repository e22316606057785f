import { sql, type Transaction } from "kysely";
import type { Schema } from "../schema.js";

/** Where the steps of the histogram end, and the next begin. */
const boundsMs = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600];

/**
 * Refusals, and the shortest and the longest time to a first token. With defaults: a server of the version before
 * may still be adding rows.
 */
export async function up(db: Transaction<Schema>): Promise<void> {
  for (const column of ["rate_limited", "unavailable"]) {
    await db.schema
      .alterTable("usage")
      .addColumn(column, "bigint", (added) => added.notNull().defaultTo(0))
      .execute();
  }
  for (const column of ["first_token_min_ms", "first_token_max_ms"]) {
    await db.schema.alterTable("usage").addColumn(column, "bigint").execute();
  }

  // What rows from before tell: the steps that were used, and that no time is longer than the sum of all.
  const steps = [0, ...boundsMs].map((fromMs, step) => ({
    replies: sql.ref(`first_token_${step}`),
    fromMs: sql.lit(fromMs),
    toMs: boundsMs[step] === undefined ? sql.ref("first_token_ms") : sql.lit(boundsMs[step]),
  }));
  const shortest = steps.map(({ replies, fromMs }) => sql`when ${replies} > 0 then ${fromMs}`);
  const longest = steps.map(({ replies, toMs }) => sql`when ${replies} > 0 then ${toMs}`).reverse();
  await sql`update usage set
    first_token_min_ms = case ${sql.join(shortest, sql` `)} end,
    first_token_max_ms = case ${sql.join(longest, sql` `)} end`.execute(db);
  await sql`update usage set first_token_max_ms = first_token_ms
    where first_token_max_ms > first_token_ms`.execute(db);
  const replies = sql.join(
    steps.map((step) => step.replies),
    sql` + `,
  );
  await sql`update usage set first_token_min_ms = first_token_ms, first_token_max_ms = first_token_ms
    where ${replies} = 1`.execute(db);
}
