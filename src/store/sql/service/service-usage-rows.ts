/**
 * What all accounts used together, in SQL. Sums over time and model come from rows of their own, few whatever the
 * number of accounts; top lists and lines are read from everybody's rows, by the index on their hour.
 */
import { setImmediate } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import type {
  ServiceFilter,
  ServiceUsageLine,
  ServiceUsageStore,
  TopFilter,
  TopUser,
  TopUsers,
} from "../../../core/operator/operator-ports.js";
import type { UsageCounts } from "../../../core/dashboard-ports.js";
import type { ModelId } from "../../../protocol/models.js";
import type { Schema } from "../schema.js";
import { countColumns, stepOf, toCounts, toModel } from "../usage/usage-rows.js";

export class SqlServiceUsage implements ServiceUsageStore {
  /** `slicedMs`: long ranges of everybody's rows are read in pieces of this length; null: at once. */
  constructor(
    private readonly db: Kysely<Schema>,
    private readonly slicedMs: number | null = null,
  ) {}

  async readByTime(filter: ServiceFilter, stepMs: number): Promise<(UsageCounts & { start: Date })[]> {
    const step = stepOf(stepMs);
    const rows = await this.#sums(filter).select(step.as("start")).groupBy(step).orderBy(step).execute();
    return rows.map(({ start, ...sums }) => ({ start: new Date(start), ...toCounts(sums) }));
  }

  async readByModel(filter: ServiceFilter): Promise<(UsageCounts & { model: ModelId | null })[]> {
    const rows = await this.#sums(filter).select("model").groupBy("model").orderBy("model").execute();
    return rows.flatMap(({ model, ...sums }) =>
      toModel(model).map((known) => ({ model: known, ...toCounts(sums) })),
    );
  }

  async top(...[filter, measure, limit]: Parameters<ServiceUsageStore["top"]>): Promise<TopUsers> {
    const rows = this.slicedMs === null ? null : await this.#sumsBySlice(filter, this.slicedMs);
    const ranked = async (by: "account" | "key"): Promise<TopUser[]> => {
      const most =
        rows === null ? await this.#most(filter, by, measure, limit) : mostOf(rows, by, measure, limit);
      return this.#named(most);
    };
    return { accounts: await ranked("account"), keys: await ranked("key") };
  }

  /** One statement, for a database that works elsewhere. */
  async #most(filter: TopFilter, by: "account" | "key", measure: Measure, limit: number): Promise<TopRow[]> {
    const key = by === "key" ? sql`, key_id` : sql``;
    const { rows } = await sql<TopRow>`select account_id ${key}, ${topSums} from usage
      where ${conditions(filter)} group by account_id ${key}
      order by ${sql.ref(measure)} desc, account_id ${key} limit ${limit}`.execute(this.db);
    return rows;
  }

  /** By account and key. Between slices others get their turn: the database works on this thread. */
  async #sumsBySlice(filter: TopFilter, sliceMs: number): Promise<TopRow[]> {
    const sums = new Map<string, TopRow>();
    const [from, to] = [filter.from.getTime(), filter.to.getTime()];
    for (let start = from; start < to; start += sliceMs) {
      const slice = { ...filter, from: new Date(start), to: new Date(Math.min(to, start + sliceMs)) };
      const { rows } = await sql<TopRow>`select account_id, key_id, ${topSums} from usage
        where ${conditions(slice)} group by account_id, key_id`.execute(this.db);
      for (const row of rows) addTo(sums, `${row.account_id} ${row.key_id ?? ""}`, row);
      await setImmediate();
    }
    return [...sums.values()];
  }

  /** Names are looked up for those on the list alone. */
  async #named(rows: readonly TopRow[]): Promise<TopUser[]> {
    if (rows.length === 0) return [];
    const accountIds = [...new Set(rows.map((row) => row.account_id))];
    const keyIds = rows.flatMap((row) => row.key_id ?? []);
    const accounts = await this.db
      .selectFrom("accounts")
      .select(["id", "email"])
      .where("id", "in", accountIds)
      .execute();
    const keys =
      keyIds.length === 0
        ? []
        : await this.db.selectFrom("keys").select(["id", "name"]).where("id", "in", keyIds).execute();
    const emails = new Map(accounts.map(({ id, email }) => [id, email]));
    const names = new Map(keys.map(({ id, name }) => [id, name]));
    return rows.flatMap(({ account_id: accountId, key_id: keyId = null, ...counts }) => {
      const email = emails.get(accountId);
      // Deleted meanwhile.
      if (email === undefined) return [];
      return [{ accountId, email, keyId, keyName: names.get(keyId ?? "") ?? null, ...counts }];
    });
  }

  async lines(...[filter, stepMs]: Parameters<ServiceUsageStore["lines"]>): Promise<ServiceUsageLine[]> {
    const step = sql<number>`(usage.hour - usage.hour % ${sql.lit(stepMs)})`;
    let query = this.db
      .selectFrom("usage")
      .innerJoin("accounts", "accounts.id", "usage.account_id")
      .leftJoin("keys", "keys.id", "usage.key_id")
      .select(countColumns.map((name) => sum(`usage.${name}`).as(name)))
      .select((select) => [
        select.fn.min("usage.first_token_min_ms").as("first_token_min_ms"),
        select.fn.max("usage.first_token_max_ms").as("first_token_max_ms"),
        "accounts.email as email",
        "usage.key_id as key_id",
        "keys.name as key_name",
        "usage.model as model",
        step.as("start"),
      ])
      .where("usage.hour", ">=", filter.from.getTime())
      .where("usage.hour", "<", filter.to.getTime());
    const { accountId, keyId, model } = filter;
    if (accountId !== undefined) query = query.where("usage.account_id", "=", accountId);
    if (keyId !== undefined) query = query.where("usage.key_id", "=", keyId);
    if (model !== undefined) query = query.where("usage.model", "=", model);
    const rows = await query
      .groupBy([step, "accounts.email", "usage.key_id", "keys.name", "usage.model"])
      .orderBy(step)
      .orderBy("accounts.email")
      .orderBy("usage.key_id")
      .execute();
    return rows.flatMap(({ email, key_id: keyId, key_name: keyName, model, start, ...sums }) =>
      toModel(model).map((known) => ({
        start: new Date(start),
        email,
        keyId,
        keyName,
        model: known,
        ...toCounts(sums),
      })),
    );
  }

  async prune(before: Date): Promise<void> {
    await this.db.deleteFrom("service_usage").where("hour", "<", before.getTime()).execute();
  }

  #sums({ from, to, model }: ServiceFilter) {
    const query = this.db
      .selectFrom("service_usage")
      .select(countColumns.map((name) => sum(name).as(name)))
      .select((select) => [
        select.fn.min("first_token_min_ms").as("first_token_min_ms"),
        select.fn.max("first_token_max_ms").as("first_token_max_ms"),
      ])
      .where("hour", ">=", from.getTime())
      .where("hour", "<", to.getTime());
    return model === undefined ? query : query.where("model", "=", model);
  }
}

type Measure = "requests" | "tokens";

interface TopRow {
  account_id: string;
  key_id?: string;
  requests: number;
  errors: number;
  refused: number;
  tokens: number;
}

const topSums = sql`cast(sum(requests) as bigint) as requests,
  cast(sum(errors) as bigint) as errors,
  cast(sum(rate_limited + unavailable) as bigint) as refused,
  cast(sum(prompt_tokens + completion_tokens) as bigint) as tokens`;

function mostOf(rows: readonly TopRow[], by: "account" | "key", measure: Measure, limit: number): TopRow[] {
  const sums = new Map<string, TopRow>();
  for (const { key_id: keyId, ...row } of rows) {
    if (by === "key" && keyId !== undefined)
      addTo(sums, `${row.account_id} ${keyId}`, { ...row, key_id: keyId });
    else addTo(sums, row.account_id, row);
  }
  return [...sums]
    .sort(([a, one], [b, other]) => other[measure] - one[measure] || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([, row]) => row);
}

function addTo(sums: Map<string, TopRow>, name: string, row: TopRow): void {
  const sum = sums.get(name);
  if (sum === undefined) {
    sums.set(name, { ...row });
    return;
  }
  sum.requests += row.requests;
  sum.errors += row.errors;
  sum.refused += row.refused;
  sum.tokens += row.tokens;
}

/** A sum of 8-byte integers is of another type in Postgres, and read as text. */
const sum = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;

function conditions({ from, to, model, accountId }: TopFilter) {
  const all = [sql`hour >= ${from.getTime()}`, sql`hour < ${to.getTime()}`];
  if (model !== undefined) all.push(sql`model = ${model}`);
  if (accountId !== undefined) all.push(sql`account_id = ${accountId}`);
  return sql.join(all, sql` and `);
}
