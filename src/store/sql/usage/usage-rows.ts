/** Usage in hourly buckets, in SQL. */
import { sql, type Kysely } from "kysely";
import type { UsageBucketRow, UsageCounts, UsageFilter, UsageStore } from "../../../core/dashboard-ports.js";
import type { Clock } from "../../../core/ports.js";
import { isModelId, type ModelId } from "../../../protocol/models.js";
import { batchRows, inBatches } from "../batches.js";
import { addDays } from "./quota-rows.js";
import type { FirstTokenColumn, Schema, ServiceUsageRow, UsageRow } from "../schema.js";

/** Some twenty bound values for each; databases allow some tens of thousands in one statement. */
const rowsAtOnce = 500;

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

/** Stands where others have the name of their model. */
export const noModel = "";

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
      // After all of the above: the rows that replicas share are the last that each of them locks.
      await addToService(transaction, added);
    });
  }

  async forgetBatches(ids: readonly string[]): Promise<void> {
    await forget(this.db, ids);
  }

  async read(filter: UsageFilter, stepMs: number): Promise<UsageBucketRow[]> {
    const step = stepOf(stepMs);
    const rows = await this.#sums(filter)
      .select(["key_id", "model", step.as("start")])
      .groupBy([step, "key_id", "model"])
      .orderBy(step)
      .execute();
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
    const step = stepOf(stepMs);
    const rows = await this.#sums(filter).select(step.as("start")).groupBy(step).orderBy(step).execute();
    return rows.map(({ start, ...sums }) => ({ start: new Date(start), ...toCounts(sums) }));
  }

  async readByKey(filter: UsageFilter): Promise<(UsageCounts & { keyId: string; model: ModelId | null })[]> {
    const rows = await this.#sums(filter)
      .select(["key_id", "model"])
      .groupBy(["key_id", "model"])
      .orderBy("key_id")
      .execute();
    return rows.flatMap(({ key_id: keyId, model, ...sums }) =>
      toModel(model).map((known) => ({ keyId, model: known, ...toCounts(sums) })),
    );
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
    await this.db
      .deleteFrom("settings")
      .where("name", "like", `${batchName("")}%`)
      .where("value", "<", before.toISOString())
      .execute();
  }

  #sums(filter: UsageFilter) {
    let query = this.db
      .selectFrom("usage")
      // A sum of 8-byte integers is of another type in Postgres, and read as text.
      .select(countColumns.map((name) => sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name)))
      .select((select) => [
        select.fn.min("first_token_min_ms").as("first_token_min_ms"),
        select.fn.max("first_token_max_ms").as("first_token_max_ms"),
      ])
      .where("account_id", "=", filter.accountId)
      .where("hour", ">=", filter.from.getTime())
      .where("hour", "<", filter.to.getTime());
    if (filter.keyId !== undefined) query = query.where("key_id", "=", filter.keyId);
    if (filter.model !== undefined) query = query.where("model", "=", filter.model);
    return query;
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
export const stepOf = (stepMs: number) => sql<number>`(hour - hour % ${sql.lit(stepMs)})`;

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
  if (values.length === 0) return [];
  await db
    .insertInto("usage")
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(["account_id", "hour", "key_id", "model"]).doUpdateSet((update) => ({
        ...Object.fromEntries(
          countColumns.map((name) => [name, update(`usage.${name}`, "+", update.ref(`excluded.${name}`))]),
        ),
        first_token_min_ms: either("usage", "first_token_min_ms", "<"),
        first_token_max_ms: either("usage", "first_token_max_ms", ">"),
      })),
    )
    .execute();
  return values;
}

/** The same counts, by hour and model alone. */
async function addToService(db: Kysely<Schema>, rows: readonly UsageRow[]): Promise<void> {
  const sums = new Map<string, ServiceUsageRow>();
  for (const { account_id: _account, key_id: _key, ...row } of rows) {
    const name = `${row.hour} ${row.model}`;
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? row : sumOf(sum, row));
  }
  const values = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  if (values.length === 0) return;
  await db
    .insertInto("service_usage")
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(["hour", "model"]).doUpdateSet((update) => ({
        ...Object.fromEntries(
          countColumns.map((name) => [
            name,
            update(`service_usage.${name}`, "+", update.ref(`excluded.${name}`)),
          ]),
        ),
        first_token_min_ms: either("service_usage", "first_token_min_ms", "<"),
        first_token_max_ms: either("service_usage", "first_token_max_ms", ">"),
      })),
    )
    .execute();
}

function sumOf(a: ServiceUsageRow, b: ServiceUsageRow): ServiceUsageRow {
  const sum = { ...a };
  for (const name of countColumns) sum[name] += b[name];
  const known = (x: number | null, y: number | null) => [x, y].filter((ms) => ms !== null);
  const shortest = known(a.first_token_min_ms, b.first_token_min_ms);
  const longest = known(a.first_token_max_ms, b.first_token_max_ms);
  sum.first_token_min_ms = shortest.length === 0 ? null : Math.min(...shortest);
  sum.first_token_max_ms = longest.length === 0 ? null : Math.max(...longest);
  return sum;
}

/** The new value where it is `than` the old one or there is no old one. Databases differ in how they compare with null. */
function either(
  table: "usage" | "service_usage",
  name: "first_token_min_ms" | "first_token_max_ms",
  than: "<" | ">",
) {
  const [old, added] = [sql.ref(`${table}.${name}`), sql.ref(`excluded.${name}`)];
  return sql<
    number | null
  >`case when ${old} is null or ${added} ${sql.raw(than)} ${old} then ${added} else ${old} end`;
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

/** None for a model that this version does not know. */
export function toModel(model: string): (ModelId | null)[] {
  if (model === noModel) return [null];
  return isModelId(model) ? [model] : [];
}

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
