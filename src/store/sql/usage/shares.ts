/** What keys and models had of an account's usage: from the sums of whole days, and the hours around them. */
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { UsageFilter, UsageShare } from "../../../core/dashboard-ports.js";
import type { ModelId } from "../../../protocol/models.js";
import type { Schema } from "../schema.js";
import { toModel } from "./model-column.js";

const dayMs = 24 * 60 * 60_000;

export async function keyShares(
  db: Kysely<Schema>,
  filter: UsageFilter,
): Promise<(UsageShare & { keyId: string })[]> {
  const rows = await shares<"key_id">(
    db,
    "key_id",
    filter,
    sql`select key_id, requests, refused, tokens from key_days`,
  );
  return rows.map(({ key_id: keyId, ...share }) => ({ keyId, ...share }));
}

export async function modelShares(
  db: Kysely<Schema>,
  filter: UsageFilter,
): Promise<(UsageShare & { model: ModelId | null })[]> {
  // What all keys did together is in fewer rows.
  const days =
    filter.keyId === undefined
      ? sql`select model, ${hourCounts} from account_days`
      : sql`select model, requests, refused, tokens from key_days`;
  const rows = await shares<"model">(db, "model", filter, days);
  return rows.flatMap(({ model, ...share }) => toModel(model).map((known) => ({ model: known, ...share })));
}

/** Whole days, and the hours before and after them; either may be empty. */
export function splitByDays({ from, to }: { from: Date; to: Date }): {
  days: [from: number, to: number];
  hours: [from: number, to: number][];
} {
  const firstDay = Math.ceil(from.getTime() / dayMs) * dayMs;
  const end = Math.floor(to.getTime() / dayMs) * dayMs;
  if (firstDay >= end) return { days: [0, 0], hours: [[from.getTime(), to.getTime()]] };
  const around: [number, number][] = [
    [from.getTime(), firstDay],
    [end, to.getTime()],
  ];
  return { days: [firstDay, end], hours: around.filter(([first, last]) => first < last) };
}

const hourCounts = sql`requests, rate_limited + unavailable as refused, prompt_tokens + completion_tokens as tokens`;

async function shares<Column extends "key_id" | "model">(
  db: Kysely<Schema>,
  column: Column,
  filter: UsageFilter,
  fromDays: RawBuilder<unknown>,
): Promise<(UsageShare & Record<Column, string>)[]> {
  const { days, hours } = splitByDays(filter);
  const name = sql.ref(column);
  const parts = [
    ...(days[0] < days[1] ? [sql`${fromDays} where ${conditionsOf(filter, "day", days)}`] : []),
    ...hours.map(
      (range) => sql`select ${name}, ${hourCounts} from usage where ${conditionsOf(filter, "hour", range)}`,
    ),
  ];
  if (parts.length === 0) return [];
  // A sum of 8-byte integers is of another type in Postgres, and read as text.
  const { rows } = await sql<UsageShare & Record<Column, string>>`select ${name},
    cast(sum(requests) as bigint) as requests, cast(sum(refused) as bigint) as refused,
    cast(sum(tokens) as bigint) as tokens
    from (${sql.join(parts, sql` union all `)}) as parts group by ${name} order by ${name}`.execute(db);
  return rows;
}

/** Of the filter, or of other times than it has. */
export function conditionsOf(
  { accountId, from, to, keyId, model }: UsageFilter,
  time: "day" | "hour",
  [first, end]: readonly [number, number] = [from.getTime(), to.getTime()],
): RawBuilder<unknown> {
  const all = [
    sql`account_id = ${accountId}`,
    sql`${sql.ref(time)} >= ${first}`,
    sql`${sql.ref(time)} < ${end}`,
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(model === undefined ? [] : [sql`model = ${model}`]),
  ];
  return sql.join(all, sql` and `);
}
