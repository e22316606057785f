/**
 * An account's usage by key and by model: from the sums of whole days, and the hours around them. For keys, of which
 * there may be hundreds, whole spans of days are read from their sums as well.
 */
import { type RawBuilder, sql } from "kysely";
import type { ModelId } from "../../../core/models.js";
import type { UsageFilter, UsageShare } from "../../../core/usage/ports.js";
import { dayMs, spanMs, withModels } from "../rows.js";
import type { Db } from "../schema.js";

export async function keyShares(db: Db, filter: UsageFilter): Promise<(UsageShare & { keyId: string })[]> {
  const rows = await shares(db, "key_id", filter, await ofKeys(db, "key_id", filter));
  return rows.map(({ key_id: keyId, ...share }) => ({ keyId, ...share }));
}

export async function modelShares(
  db: Db,
  filter: UsageFilter,
): Promise<(UsageShare & { model: ModelId | null })[]> {
  // An account has fewer rows than its keys.
  const { days } = splitByDays(filter);
  const parts =
    filter.keyId === undefined
      ? [sql`select model, ${hourCounts} from account_days where ${conditionsOf(filter, "day", days)}`]
      : await ofKeys(db, "model", filter);
  return withModels(await shares(db, "model", filter, parts));
}

export type Period = [from: number, to: number];

/** Whole days, and the hours before and after them; either may be empty. */
export function splitByDays({ from, to }: { from: Date; to: Date }): { days: Period; hours: Period[] } {
  const { whole, around } = split([from.getTime(), to.getTime()], dayMs);
  return { days: whole, hours: around };
}

/** What of a period is whole units, and what is before and after them. */
function split([from, to]: Period, unitMs: number): { whole: Period; around: Period[] } {
  const first = Math.ceil(from / unitMs) * unitMs;
  const end = Math.floor(to / unitMs) * unitMs;
  const around: Period[] =
    first < end
      ? [
          [from, first],
          [end, to],
        ]
      : [[from, to]];
  return {
    whole: first < end ? [first, end] : [0, 0],
    around: around.filter(([start, stop]) => start < stop),
  };
}

/** Of rows by the hour. */
export const hourCounts = sql`requests, rate_limited + unavailable as refused, prompt_tokens + completion_tokens as tokens`;

function ofKeys(db: Db, column: "key_id" | "model", filter: UsageFilter): Promise<RawBuilder<unknown>[]> {
  const columns = sql`${sql.ref(column)}, requests, refused, tokens`;
  return keyParts(db, columns, scopeOf(filter), splitByDays(filter).days);
}

/** Parts of a union with the sums of keys over whole days: `columns` of the rows that match `condition`. */
export async function keyParts(
  db: Db,
  columns: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  days: Period,
): Promise<RawBuilder<unknown>[]> {
  const part = (table: "key_days" | "key_spans", time: "day" | "span", period: Period) =>
    sql`select ${columns} from ${sql.table(table)} where ${condition} and ${within(time, period)}`;
  const { whole, around } = split(days, spanMs);
  if (whole[0] === whole[1]) return days[0] < days[1] ? [part("key_days", "day", days)] : [];
  // Old days are pruned before the spans that contain them: what is left of such a span is in its days alone.
  const { oldest } = await db
    .selectFrom("key_days")
    .select(sql<number | null>`min(day)`.as("oldest"))
    .executeTakeFirstOrThrow();
  const firstSpan = Math.min(whole[1], Math.max(whole[0], Math.ceil((oldest ?? 0) / spanMs) * spanMs));
  return [
    part("key_spans", "span", [firstSpan, whole[1]]),
    ...[[whole[0], firstSpan] satisfies Period, ...around]
      .filter(([from, to]) => from < to)
      .map((period) => part("key_days", "day", period)),
  ];
}

async function shares<Column extends "key_id" | "model">(
  db: Db,
  column: Column,
  filter: UsageFilter,
  ofDays: readonly RawBuilder<unknown>[],
): Promise<(UsageShare & Record<Column, string>)[]> {
  const { days, hours } = splitByDays(filter);
  const name = sql.ref(column);
  const parts = [
    ...(days[0] < days[1] ? ofDays : []),
    ...hours.map(
      (range) => sql`select ${name}, ${hourCounts} from usage where ${conditionsOf(filter, "hour", range)}`,
    ),
  ];
  if (parts.length === 0) return [];
  const { rows } = await sql<UsageShare & Record<Column, string>>`select ${name},
    sum(requests) as requests, sum(refused) as refused, sum(tokens) as tokens
    from (${sql.join(parts, sql` union all `)}) as parts group by ${name} order by ${name}`.execute(db);
  return rows;
}

/** `range` replaces that of the filter. */
export function conditionsOf(
  filter: UsageFilter,
  time: "day" | "hour",
  range: Period = [filter.from.getTime(), filter.to.getTime()],
): RawBuilder<unknown> {
  return sql`${scopeOf(filter)} and ${within(time, range)}`;
}

export const within = (time: "hour" | "day" | "span", [from, to]: Period): RawBuilder<unknown> =>
  sql`${sql.ref(time)} >= ${from} and ${sql.ref(time)} < ${to}`;

function scopeOf({ accountId, keyId, model }: UsageFilter): RawBuilder<unknown> {
  const all = [
    sql`account_id = ${accountId}`,
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(model === undefined ? [] : [sql`model = ${model}`]),
  ];
  return sql.join(all, sql` and `);
}
