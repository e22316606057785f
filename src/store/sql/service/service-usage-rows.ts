/**
 * What all accounts used together, in SQL. Sums over time and model come from rows of their own, few whatever the
 * number of accounts; top lists come from all accounts' days (top-users.ts), and lines from their hours.
 */
import { type RawBuilder, sql } from "kysely";
import type {
  HourOfAccount,
  ServiceFilter,
  ServiceUsageLine,
  ServiceUsageStore,
} from "../../../core/admin/ports.js";
import type { AbuseCounts } from "../../../core/admin/service-views.js";
import type { Clock } from "../../../core/clock.js";
import type { ModelId } from "../../../core/models.js";
import type { UsageCounts } from "../../../core/usage/ports.js";
import type { TopUsers } from "../../../core/usage/usage-views.js";
import type { Db } from "../schema.js";
import { RankingCache } from "./ranking-cache.js";
import { topUsers } from "./top-users.js";
import { withModels } from "../rows.js";
import { countSums, stepOf, type Sums, toCounts } from "../usage/usage-rows.js";

export class SqlServiceUsage implements ServiceUsageStore {
  readonly #rankings: RankingCache;

  constructor(
    private readonly db: Db,
    clock: Pick<Clock, "monotonicMs">,
  ) {
    this.#rankings = new RankingCache(clock);
  }

  async readByTime(filter: ServiceFilter, stepMs: number): Promise<(UsageCounts & { start: Date })[]> {
    const rows = await this.#sums<{ start: number }>("start", stepOf(stepMs), filter);
    return rows.map(({ start, ...sums }) => ({ start: new Date(start), ...toCounts(sums) }));
  }

  async readByModel(filter: ServiceFilter): Promise<(UsageCounts & { model: ModelId | null })[]> {
    const rows = await this.#sums<{ model: string }>("model", sql.ref("model"), filter);
    return withModels(rows).map(({ model, ...sums }) => ({ model, ...toCounts(sums) }));
  }

  top(...[filter, measure, limit]: Parameters<ServiceUsageStore["top"]>): Promise<TopUsers> {
    return topUsers(this.db, this.#rankings, filter, measure, limit);
  }

  async lines(...[filter, stepMs]: Parameters<ServiceUsageStore["lines"]>): Promise<ServiceUsageLine[]> {
    const { from, to, accountId, keyId, model } = filter;
    const step = stepOf(stepMs);
    type Line = Sums & {
      start: number;
      email: string;
      key_id: string;
      key_name: string | null;
      last_four: string | null;
      model: string;
    };
    const { rows } =
      await sql<Line>`select ${step} as start, email, key_id, keys.name as key_name, last_four, model,
      ${countSums} from usage join accounts on accounts.id = usage.account_id left join keys on keys.id = key_id
      where hour >= ${from.getTime()} and hour < ${to.getTime()} ${andEquals("usage.account_id", accountId)}
      ${andEquals("key_id", keyId)} ${andEquals("model", model)}
      group by ${step}, email, key_id, keys.name, last_four, model order by ${step}, email, key_id`.execute(
        this.db,
      );
    return withModels(rows).map(({ start, email, key_id, key_name, last_four, model: known, ...sums }) => ({
      start: new Date(start),
      email,
      keyId: key_id,
      key: key_name === null ? null : { name: key_name, lastFour: last_four },
      model: known,
      ...toCounts(sums),
    }));
  }

  async busyHours(
    ...[{ from, to }, least, limit]: Parameters<ServiceUsageStore["busyHours"]>
  ): Promise<HourOfAccount[]> {
    const { rows } = await sql<AbuseCounts & { account_id: string; hour: number }>`select * from (
        select account_id, hour, sum(requests) as requests, sum(prompt_tokens + completion_tokens) as tokens,
          sum(rate_limited) as refusals, sum(errors) as errors
        from usage where hour >= ${from.getTime()} and hour < ${to.getTime()} group by account_id, hour) as hours
      where requests >= ${least.requests} or tokens >= ${least.tokens} or refusals >= ${least.refusals}
        or errors >= ${least.errors}
      order by requests + refusals desc, account_id, hour limit ${limit}`.execute(this.db);
    return rows.map(({ account_id: accountId, hour, ...counts }) => ({
      accountId,
      start: new Date(hour),
      ...counts,
    }));
  }

  async prune(before: Date): Promise<void> {
    await this.db.deleteFrom("service_usage").where("hour", "<", before.getTime()).execute();
  }

  async #sums<Group>(
    name: string,
    group: RawBuilder<unknown>,
    { from, to, model }: ServiceFilter,
  ): Promise<(Sums & Group)[]> {
    const { rows } = await sql<Sums & Group>`select ${group} as ${sql.ref(name)}, ${countSums}
      from service_usage where hour >= ${from.getTime()} and hour < ${to.getTime()} ${andEquals("model", model)}
      group by ${group} order by ${group}`.execute(this.db);
    return rows;
  }
}

const andEquals = (column: string, value: string | undefined): RawBuilder<unknown> =>
  value === undefined ? sql`` : sql`and ${sql.ref(column)} = ${value}`;
