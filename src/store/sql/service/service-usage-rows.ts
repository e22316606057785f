/**
 * What all accounts used together, in SQL. Sums over time and model come from rows of their own, few whatever the
 * number of accounts; top lists come from everybody's days (top-users.ts), and lines from everybody's hours.
 */
import { sql, type Kysely } from "kysely";
import type {
  ServiceFilter,
  ServiceUsageLine,
  ServiceUsageStore,
  TopUsers,
} from "../../../core/admin/ports.js";
import type { UsageCounts } from "../../../core/usage/ports.js";
import type { Clock } from "../../../core/clock.js";
import type { ModelId } from "../../../protocol/models.js";
import type { Schema } from "../schema.js";
import { toModel } from "../usage/model-column.js";
import { countColumns, stepOf, toCounts } from "../usage/usage-rows.js";
import { KeptRankings } from "./kept-rankings.js";
import { topUsers } from "./top-users.js";

export class SqlServiceUsage implements ServiceUsageStore {
  readonly #rankings: KeptRankings;

  constructor(
    private readonly db: Kysely<Schema>,
    clock: Pick<Clock, "monotonicMs">,
  ) {
    this.#rankings = new KeptRankings(clock);
  }

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

  top(...[filter, measure, limit]: Parameters<ServiceUsageStore["top"]>): Promise<TopUsers> {
    return topUsers({ db: this.db, rankings: this.#rankings }, filter, measure, limit);
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

/** A sum of 8-byte integers is of another type in Postgres, and read as text. */
const sum = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;
