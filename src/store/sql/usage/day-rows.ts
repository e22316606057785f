/**
 * Usage by the day (UTC): of accounts, and of their keys; of keys also by spans of 32 days. Written with the hours they
 * are the sums of, in one transaction, and deleted with their account. A day is kept no longer than its first hour,
 * and a span no longer than its first day, so that nothing older than the retention is in any row.
 */
import { sql, type Kysely } from "kysely";
import { deleteInBatches } from "../batches.js";
import { startOfDayMs } from "../rows.js";
import type { AccountDayRow, KeyDayRow, KeySpanRow, Schema, UsageRow } from "../schema.js";
import { addCounts } from "./add-counts.js";

export const spanMs = 32 * 24 * 60 * 60_000;

export async function addToDays(db: Kysely<Schema>, hours: readonly UsageRow[]): Promise<void> {
  const keyDays = hours.map(toKeyDay);
  await addCounts(db, "key_days", keyDays);
  await addCounts(db, "key_spans", keyDays.map(toKeySpan));
  await addCounts(db, "account_days", hours.map(toAccountDay));
}

export async function pruneDays(db: Kysely<Schema>, before: Date): Promise<void> {
  const isOld = (time: "day" | "span") => sql`${sql.ref(time)} < ${before.getTime()}`;
  await deleteInBatches(db, "account_days", isOld("day"));
  // Spans last: one whose first day is still there must be whole (see shares.ts).
  await deleteInBatches(db, "key_days", isOld("day"));
  await deleteInBatches(db, "key_spans", isOld("span"));
}

function toAccountDay({ key_id: _key, hour, ...row }: UsageRow): AccountDayRow {
  return { ...row, day: startOfDayMs(new Date(hour)) };
}

const toKeySpan = ({ day, ...row }: KeyDayRow): KeySpanRow => ({ ...row, span: day - (day % spanMs) });

const toKeyDay = (row: UsageRow): KeyDayRow => ({
  account_id: row.account_id,
  day: startOfDayMs(new Date(row.hour)),
  key_id: row.key_id,
  model: row.model,
  requests: row.requests,
  errors: row.errors,
  refused: row.rate_limited + row.unavailable,
  tokens: row.prompt_tokens + row.completion_tokens,
});
