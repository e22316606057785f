/**
 * Usage in hourly buckets, in SQL, with sums by the day that are added in the same transaction. What is asked of whole
 * days is read from those sums, and only the hours around them from the buckets: a page over a year reads some hundred
 * rows of an account, whatever it did in each hour.
 */
import { sql, type Kysely } from "kysely";
import type {
  UsageBucketRow,
  UsageCounts,
  UsageFilter,
  UsageShare,
  UsageStore,
} from "../../../core/usage/ports.js";
import type { Clock } from "../../../core/clock.js";
import type { ModelId } from "../../../protocol/models.js";
import { batchRows, inBatches } from "../batches.js";
import { addToDays, pruneDays } from "./day-rows.js";
import { noModel, toModel } from "./model-column.js";
import { addDays } from "./quota-rows.js";
import { conditionsOf, keyShares, modelShares } from "./shares.js";
import type { FirstTokenColumn, Schema, UsageRow } from "../schema.js";
import { addCounts, mergedBy, rowsAtOnce } from "./added-counts.js";

const dayMs = 24 * 60 * 60_000;

const firstTokenColumns = [
  "first_token_0",
  "first_token_1",
  "first_token_2",
  "first_token_3",
  "first_token_4",
  "first_token_5",
  "first_token_6",
  "first_token_7",
  "first_token_8",
  "first_token_9",
  "first_token_10",
] as const satisfies FirstTokenColumn[];

export const countColumns = [
  "requests",
  "errors",
  "rate_limited",
  "unavailable",
  "prompt_tokens",
  "completion_tokens",
  "first_token_ms",
  ...firstTokenColumns,
] as const;

/** A sum of 8-byte integers is of another type in Postgres, and read as text. */
const countSums = sql.join([
  ...countColumns.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`),
  sql`min(first_token_min_ms) as first_token_min_ms`,
  sql`max(first_token_max_ms) as first_token_max_ms`,
]);

export class SqlUsage implements UsageStore {
  constructor(
    private readonly db: Kysely<Schema>,
    private readonly clock: Clock,
  ) {}

  /** In one order, so that replicas that add to the same buckets do not deadlock. */
  async add(...[unsorted, batch, days = []]: Parameters<UsageStore["add"]>): Promise<void> {
    if (unsorted.length === 0 && days.length === 0) return;
    const rows = [...unsorted].sort((a, b) => (bucketName(a) < bucketName(b) ? -1 : 1));
    await this.db.transaction().execute(async (transaction) => {
      if (batch !== undefined) {
        await forget(transaction, batch.done);
        if (!(await isFirst(transaction, batch.id, this.clock.now()))) return;
      }
      const added: UsageRow[] = [];
      for (let start = 0; start < rows.length; start += rowsAtOnce) {
        added.push(...(await addSome(transaction, rows.slice(start, start + rowsAtOnce))));
      }
      for (let start = 0; start < days.length; start += rowsAtOnce) {
        const some = days.slice(start, start + rowsAtOnce);
        await addDays(transaction, some, await existing(transaction, some));
      }
      await addToDays(transaction, added);
      // After all of the above: the rows that replicas share are the last that each of them locks.
      await addToService(transaction, added);
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
    return rows.flatMap(({ key_id: keyId, model, start, ...sums }) =>
      toModel(model).map((known) => ({
        accountId,
        keyId,
        model: known,
        start: new Date(start),
        ...toCounts(sums),
      })),
    );
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
    const bucket = sql`account_id, hour, key_id, model`;
    await inBatches(() =>
      this.db
        .deleteFrom("usage")
        .where(
          sql<boolean>`(${bucket}) in
            (select ${bucket} from usage where hour < ${before.getTime()} limit ${batchRows})`,
        )
        .executeTakeFirstOrThrow(),
    );
    await pruneDays(this.db, before);
    await this.db
      .deleteFrom("settings")
      .where("name", "like", `${batchName("")}%`)
      .where("value", "<", before.toISOString())
      .execute();
  }
}

/** Beside the settings, with the time at which it was added. */
const batchName = (id: string): string => `usage-batch.${id}`;

async function forget(db: Kysely<Schema>, batchIds: readonly string[]): Promise<void> {
  if (batchIds.length === 0) return;
  await db.deleteFrom("settings").where("name", "in", batchIds.map(batchName)).execute();
}

async function isFirst(db: Kysely<Schema>, batchId: string, now: Date): Promise<boolean> {
  const inserted = await db
    .insertInto("settings")
    .values({ name: batchName(batchId), value: now.toISOString() })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returning("name")
    .executeTakeFirst();
  return inserted !== undefined;
}

const bucketName = (row: UsageBucketRow): string =>
  `${row.accountId} ${row.start.getTime()} ${row.keyId} ${row.model ?? noModel}`;

/** The step that an hour is part of. */
export const stepOf = (stepMs: number, column = "hour") =>
  sql<number>`(${sql.ref(column)} - ${sql.ref(column)} % ${sql.lit(stepMs)})`;

/** Those of their accounts that exist. */
async function existing(db: Kysely<Schema>, rows: readonly { accountId: string }[]): Promise<Set<string>> {
  const ids = [...new Set(rows.map((row) => row.accountId))];
  const accounts = await db.selectFrom("accounts").select("id").where("id", "in", ids).execute();
  return new Set(accounts.map((account) => account.id));
}

/** Returns what was added. */
async function addSome(db: Kysely<Schema>, rows: readonly UsageBucketRow[]): Promise<UsageRow[]> {
  const known = await existing(db, rows);
  const values = rows.filter((row) => known.has(row.accountId)).map(fromBucket);
  await addCounts(db, "usage", ["account_id", "hour", "key_id", "model"], values);
  return values;
}

/** The same counts, by hour and model alone. */
async function addToService(db: Kysely<Schema>, rows: readonly UsageRow[]): Promise<void> {
  const impersonal = rows.map(({ account_id: _account, key_id: _key, ...row }) => row);
  const values = mergedBy(["hour", "model"], impersonal);
  await addCounts(db, "service_usage", ["hour", "model"], values);
}

function fromBucket(bucket: UsageBucketRow): UsageRow {
  const step = (index: number): number => bucket.firstTokens[index] ?? 0;
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
    first_token_0: step(0),
    first_token_1: step(1),
    first_token_2: step(2),
    first_token_3: step(3),
    first_token_4: step(4),
    first_token_5: step(5),
    first_token_6: step(6),
    first_token_7: step(7),
    first_token_8: step(8),
    first_token_9: step(9),
    first_token_10: step(10),
  };
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

type Sums = Record<(typeof countColumns)[number], number> &
  Pick<UsageRow, "first_token_min_ms" | "first_token_max_ms">;

export const toCounts = (sums: Sums): UsageCounts => ({
  requests: sums.requests,
  errors: sums.errors,
  rateLimited: sums.rate_limited,
  unavailable: sums.unavailable,
  promptTokens: sums.prompt_tokens,
  completionTokens: sums.completion_tokens,
  firstTokenMs: sums.first_token_ms,
  firstTokens: firstTokenColumns.map((name) => sums[name]),
  firstTokenMinMs: sums.first_token_min_ms,
  firstTokenMaxMs: sums.first_token_max_ms,
});
