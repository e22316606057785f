/**
 * Usage in hourly buckets, in SQL, with sums by the day that are added in the same transaction. Whole days are read
 * from those sums, and only the hours around them from the buckets: a page over a year reads some hundred rows of an
 * account, whatever it did in each hour.
 */
import { type Kysely, sql } from "kysely";
import type { Clock } from "../../../core/clock.js";
import type { ModelId } from "../../../core/models.js";
import { noFirstTokens } from "../../../core/usage/first-tokens.js";
import type {
  QuotaDay,
  UsageBucketRow,
  UsageCounts,
  UsageFilter,
  UsageShare,
  UsageStore,
} from "../../../core/usage/ports.js";
import { addRow } from "../by-columns.js";
import { chunks, deleteInBatches } from "../batches.js";
import { inTransaction } from "../in-transaction.js";
import { dayMs } from "../rows.js";
import type { FirstTokenColumn, QuotaDayRow, Schema, UsageRow } from "../schema.js";
import { addCounts } from "./add-counts.js";
import { addToDays, pruneDays } from "./day-rows.js";
import { noModel, withModels } from "./model-column.js";
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
    private readonly db: Kysely<Schema>,
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
      await addCounts(transaction, "usage", hours);
      await addCounts(transaction, "quota_days", days.filter(hasAccount).map(fromQuotaDay));
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
    await deleteInBatches(this.db, "usage", sql`hour < ${before.getTime()}`);
    await pruneDays(this.db, before);
    await this.db
      .deleteFrom("settings")
      .where("name", "like", `${batchName("")}%`)
      .where("value", "<", before.toISOString())
      .execute();
  }
}

/** The setting that records a batch, with the time at which it was added. */
const batchName = (id: string): string => `usage-batch.${id}`;

async function forget(db: Kysely<Schema>, batchIds: readonly string[]): Promise<void> {
  if (batchIds.length === 0) return;
  await db.deleteFrom("settings").where("name", "in", batchIds.map(batchName)).execute();
}

async function isFirst(db: Kysely<Schema>, batchId: string, now: Date): Promise<boolean> {
  const seen = { name: batchName(batchId), value: now.toISOString() };
  return (await addRow(db, "settings", seen)) !== undefined;
}

/** The step that an hour is part of. */
export const stepOf = (stepMs: number, column = "hour") =>
  sql<number>`(${sql.ref(column)} - ${sql.ref(column)} % ${sql.lit(stepMs)})`;

async function existingAccounts(
  db: Kysely<Schema>,
  rows: readonly { accountId: string }[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const ids of chunks([...new Set(rows.map(({ accountId }) => accountId))], accountsAtOnce)) {
    const accounts = await db.selectFrom("accounts").select("id").where("id", "in", ids).execute();
    for (const { id } of accounts) found.add(id);
  }
  return found;
}

const fromQuotaDay = ({ accountId, keyId, day, requests, tokens }: QuotaDay): QuotaDayRow => ({
  account_id: accountId,
  day,
  key_id: keyId,
  requests,
  tokens,
});

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
