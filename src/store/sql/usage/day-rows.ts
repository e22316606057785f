/**
 * Usage by the day (UTC): of accounts, and of their keys. Written with the hours they are the sums of, in one
 * transaction, and deleted with their account. A day ends to be kept with its first hour: what is older than the
 * retention is in no row.
 */
import { sql, type Kysely } from "kysely";
import { batchRows, inBatches } from "../batches.js";
import { startOfDayMs } from "../rows.js";
import type { AccountDayRow, KeyDayRow, Schema, UsageRow } from "../schema.js";
import { addCounts, mergedBy } from "./added-counts.js";

export async function addToDays(db: Kysely<Schema>, rows: readonly UsageRow[]): Promise<void> {
  const ofKeys = mergedBy(["account_id", "day", "key_id", "model"], rows.map(keyDay));
  await addCounts(db, "key_days", ["account_id", "day", "key_id", "model"], ofKeys);
  const ofAccounts = mergedBy(["account_id", "day", "model"], rows.map(accountDay));
  await addCounts(db, "account_days", ["account_id", "day", "model"], ofAccounts);
}

export async function pruneDays(db: Kysely<Schema>, before: Date): Promise<void> {
  const keys = { account_days: sql`account_id, day, model`, key_days: sql`account_id, day, key_id, model` };
  for (const table of ["account_days", "key_days"] as const) {
    const key = keys[table];
    await inBatches(() =>
      db
        .deleteFrom(table)
        .where(
          sql<boolean>`(${key}) in (select ${key} from ${sql.table(table)}
            where day < ${before.getTime()} limit ${batchRows})`,
        )
        .executeTakeFirstOrThrow(),
    );
  }
}

function accountDay({ key_id: _key, hour, ...row }: UsageRow): AccountDayRow {
  return { ...row, day: startOfDayMs(new Date(hour)) };
}

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
