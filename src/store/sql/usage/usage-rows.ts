/**
 * Usage in hourly buckets, in SQL, with sums by the day (UTC) that are added in the same transaction: of accounts, and of
 * their keys; of keys also by spans of 32 days. Whole days are read from those sums, and only the hours around them from
 * the buckets: a page over a year reads some hundred rows of an account, whatever it did in each hour. A day is kept no
 * longer than its first hour, and a span no longer than its first day, so that nothing older than the retention is in any row.
 */
import { sql } from "kysely";
import type { Clock } from "../../../core/clock.js";
import type { ModelId } from "../../../core/models.js";
import { noFirstTokens } from "../../../core/usage/first-tokens.js";
import type {
  UsageBucketRow,
  UsageCounts,
  UsageFilter,
  UsageShare,
  UsageStore,
} from "../../../core/usage/ports.js";
import { dayMs, noModel, spanMs, startOfDayMs, toRow, withModels } from "../rows.js";
import type { AccountDayRow, Db, FirstTokenColumn, KeyDayRow, KeySpanRow, UsageRow } from "../schema.js";
import { addRow, chunks, deleteInBatches, inTransaction } from "../statements.js";
import { addCounts } from "./add-counts.js";
import { conditionsOf, keyShares, modelShares } from "./shares.js";

const accountsAtOnce = 1_000;

const firstTokenColumn = (step: number): FirstTokenColumn => `first_token_${step}`;

const countColumns = [
  "requests",
  "errors",
  "rate_limited",
  "unavailable",
  "prompt_tokens",
  "completion_tokens",
  "first_token_ms",
  ...noFirstTokens.map((_, step) => firstTokenColumn(step)),
] as const;

export const countSums = sql.join([
  ...countColumns.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`),
  sql`min(first_token_min_ms) as first_token_min_ms`,
  sql`max(first_token_max_ms) as first_token_max_ms`,
]);

export class SqlUsage implements UsageStore {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  async add(...[rows, batch, days = []]: Parameters<UsageStore["add"]>): Promise<void> {
    if (rows.length === 0 && days.length === 0) return;
    await inTransaction(this.db, async (transaction) => {
      if (batch !== undefined) {
        await forget(transaction, batch.done);
        if (!(await isFirst(transaction, batch.id, this.clock.now()))) return;
      }
      const accounts = await existingAccounts(transaction, [...rows, ...days]);
      const hasAccount = ({ accountId }: { accountId: string }) => accounts.has(accountId);
      const hours = rows.filter(hasAccount).map(fromBucket);
      const quotaDays = days.filter(hasAccount).map(({ memberId: _member, ...day }) => toRow(day));
      await addCounts(transaction, "usage", hours);
      await addCounts(transaction, "quota_days", quotaDays);
      await addToDays(transaction, hours);
      // Last, since these rows are shared by all accounts, and stay locked until the end.
      const impersonal = hours.map(({ account_id: _account, key_id: _key, ...row }) => row);
      await addCounts(transaction, "service_usage", impersonal);
    });
  }

  async forgetBatches(ids: readonly string[]): Promise<void> {
    await forget(this.db, ids);
  }

  async read(filter: UsageFilter, stepMs: number): Promise<UsageBucketRow[]> {
    const step = stepOf(stepMs);
    const { rows } = await sql<Sums & { start: number; key_id: string; model: string }>`select key_id, model,
      ${step} as start, ${countSums} from usage where ${conditionsOf(filter, "hour")}
      group by ${step}, key_id, model order by ${step}`.execute(this.db);
    const { accountId } = filter;
    return withModels(rows).map(({ key_id: keyId, model, start, ...sums }) => ({
      accountId,
      keyId,
      model,
      start: new Date(start),
      ...toCounts(sums),
    }));
  }

  async readByTime(filter: UsageFilter, stepMs: number): Promise<(UsageCounts & { start: Date })[]> {
    const { from, to, keyId } = filter;
    const isWholeDays = [stepMs, from.getTime(), to.getTime()].every((ms) => ms % dayMs === 0);
    const [table, column] =
      isWholeDays && keyId === undefined ? (["account_days", "day"] as const) : (["usage", "hour"] as const);
    const step = stepOf(stepMs, column);
    const { rows } = await sql<Sums & { start: number }>`select ${step} as start, ${countSums}
      from ${sql.table(table)} where ${conditionsOf(filter, column)} group by ${step} order by ${step}`.execute(
      this.db,
    );
    return rows.map(({ start, ...sums }) => ({ start: new Date(start), ...toCounts(sums) }));
  }

  readByKey(filter: UsageFilter): Promise<(UsageShare & { keyId: string })[]> {
    return keyShares(this.db, filter);
  }

  readByModel(filter: UsageFilter): Promise<(UsageShare & { model: ModelId | null })[]> {
    return modelShares(this.db, filter);
  }

  async prune(before: Date): Promise<void> {
    await deleteInBatches(this.db, "usage", { hour: ["<", before] });
    await pruneDays(this.db, before);
    await this.db
      .deleteFrom("settings")
      .where("name", "like", `${batchName("")}%`)
      .where("value", "<", before.toISOString())
      .execute();
  }
}

async function addToDays(db: Db, hours: readonly UsageRow[]): Promise<void> {
  const keyDays = hours.map(toKeyDay);
  await addCounts(db, "key_days", keyDays);
  await addCounts(db, "key_spans", keyDays.map(toKeySpan));
  await addCounts(db, "account_days", hours.map(toAccountDay));
}

async function pruneDays(db: Db, before: Date): Promise<void> {
  await deleteInBatches(db, "account_days", { day: ["<", before] });
  // Spans last: one whose first day is still there must be whole (see shares.ts).
  await deleteInBatches(db, "key_days", { day: ["<", before] });
  await deleteInBatches(db, "key_spans", { span: ["<", before] });
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

/** The setting that records a batch, with the time at which it was added. */
const batchName = (id: string): string => `usage-batch.${id}`;

async function forget(db: Db, batchIds: readonly string[]): Promise<void> {
  if (batchIds.length === 0) return;
  await db.deleteFrom("settings").where("name", "in", batchIds.map(batchName)).execute();
}

async function isFirst(db: Db, batchId: string, now: Date): Promise<boolean> {
  const seen = { name: batchName(batchId), value: now.toISOString() };
  return (await addRow(db, "settings", seen)) !== undefined;
}

/** The step that an hour is part of. */
export const stepOf = (stepMs: number, column = "hour") =>
  sql<number>`(${sql.ref(column)} - ${sql.ref(column)} % ${sql.lit(stepMs)})`;

async function existingAccounts(db: Db, rows: readonly { accountId: string }[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const ids of chunks([...new Set(rows.map(({ accountId }) => accountId))], accountsAtOnce)) {
    const accounts = await db.selectFrom("accounts").select("id").where("id", "in", ids).execute();
    for (const { id } of accounts) found.add(id);
  }
  return found;
}

function fromBucket(bucket: UsageBucketRow): UsageRow {
  return {
    account_id: bucket.accountId,
    key_id: bucket.keyId,
    model: bucket.model ?? noModel,
    hour: bucket.start.getTime(),
    requests: bucket.requests,
    errors: bucket.errors,
    rate_limited: bucket.rateLimited,
    unavailable: bucket.unavailable,
    prompt_tokens: bucket.promptTokens,
    completion_tokens: bucket.completionTokens,
    first_token_ms: Math.round(bucket.firstTokenMs),
    first_token_min_ms: rounded(bucket.firstTokenMinMs),
    first_token_max_ms: rounded(bucket.firstTokenMaxMs),
    ...Object.fromEntries(
      noFirstTokens.map((none, step) => [firstTokenColumn(step), bucket.firstTokens[step] ?? none]),
    ),
  };
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

export type Sums = Record<(typeof countColumns)[number], number> &
  Pick<UsageRow, "first_token_min_ms" | "first_token_max_ms">;

export const toCounts = (sums: Sums): UsageCounts => ({
  requests: sums.requests,
  errors: sums.errors,
  rateLimited: sums.rate_limited,
  unavailable: sums.unavailable,
  promptTokens: sums.prompt_tokens,
  completionTokens: sums.completion_tokens,
  firstTokenMs: sums.first_token_ms,
  firstTokens: noFirstTokens.map((none, step) => sums[firstTokenColumn(step)] ?? none),
  firstTokenMinMs: sums.first_token_min_ms,
  firstTokenMaxMs: sums.first_token_max_ms,
});
