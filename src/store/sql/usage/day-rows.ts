/**
 * Usage by the day (UTC): of accounts, and of their keys; of keys also by spans of 32 days. Written with the hours they
 * are the sums of, in one transaction, and deleted with their account. A day is kept no longer than its first hour,
 * and a span no longer than its first day: what is older than the retention is in no row.
 */
import { sql, type Kysely } from "kysely";
import { batchRows, inBatches } from "../batches.js";
import { startOfDayMs } from "../rows.js";
import type { AccountDayRow, KeyDayRow, KeySpanRow, Schema, UsageRow } from "../schema.js";
import { addCounts, mergedBy } from "./added-counts.js";

export const spanMs = 32 * 24 * 60 * 60_000;

export async function addToDays(db: Kysely<Schema>, rows: readonly UsageRow[]): Promise<void> {
  const ofKeys = mergedBy(["account_id", "day", "key_id", "model"], rows.map(keyDay));
  await addCounts(db, "key_days", ["account_id", "day", "key_id", "model"], ofKeys);
  const inSpans = mergedBy(["account_id", "span", "key_id", "model"], ofKeys.map(keySpan));
  await addCounts(db, "key_spans", ["account_id", "span", "key_id", "model"], inSpans);
  const ofAccounts = mergedBy(["account_id", "day", "model"], rows.map(accountDay));
  await addCounts(db, "account_days", ["account_id", "day", "model"], ofAccounts);
}

export async function pruneDays(db: Kysely<Schema>, before: Date): Promise<void> {
  // Spans last: one whose first day is still there must be whole (see shares.ts).
  for (const [table, time, key] of [
    ["account_days", "day", sql`account_id, day, model`],
    ["key_days", "day", sql`account_id, day, key_id, model`],
    ["key_spans", "span", sql`account_id, span, key_id, model`],
  ] as const) {
    await inBatches(() =>
      db
        .deleteFrom(table)
        .where(
          sql<boolean>`(${key}) in (select ${key} from ${sql.table(table)}
            where ${sql.ref(time)} < ${before.getTime()} limit ${batchRows})`,
        )
        .executeTakeFirstOrThrow(),
    );
  }
}

function accountDay({ key_id: _key, hour, ...row }: UsageRow): AccountDayRow {
  return { ...row, day: startOfDayMs(new Date(hour)) };
}

const keySpan = ({ day, ...row }: KeyDayRow): KeySpanRow => ({ ...row, span: day - (day % spanMs) });

const keyDay = (row: UsageRow): KeyDayRow => ({
  account_id: row.account_id,
  day: startOfDayMs(new Date(row.hour)),
  key_id: row.key_id,
  model: row.model,
  requests: row.requests,
  errors: row.errors,
  refused: row.rate_limited + row.unavailable,
  tokens: row.prompt_tokens + row.completion_tokens,
});
