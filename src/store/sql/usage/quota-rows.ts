/** What was used of quotas, by the day, in SQL. */
import { sql, type Kysely } from "kysely";
import type { QuotaDay, QuotaUse } from "../../../core/usage/ports.js";
import type { QuotaStore } from "../../../core/limits/ports.js";
import { batchRows, inBatches } from "../batches.js";
import type { Schema } from "../schema.js";

export class SqlQuotas implements QuotaStore {
  constructor(private readonly db: Kysely<Schema>) {}

  async used(accountId: string, keyId: string | null, days: string): Promise<QuotaUse> {
    let query = this.db
      .selectFrom("quota_days")
      // A sum of 8-byte integers is of another type in Postgres, and read as text.
      .select([
        sql<number | null>`cast(sum(requests) as bigint)`.as("requests"),
        sql<number | null>`cast(sum(tokens) as bigint)`.as("tokens"),
      ])
      .where("account_id", "=", accountId)
      .where("day", "like", `${days}%`);
    if (keyId !== null) query = query.where("key_id", "=", keyId);
    const { requests, tokens } = await query.executeTakeFirstOrThrow();
    return { requests: requests ?? 0, tokens: tokens ?? 0 };
  }

  async claimWarning(accountId: string, name: string, at: Date): Promise<boolean> {
    const inserted = await this.db
      .insertInto("quota_warnings")
      .values({ account_id: accountId, name, sent_at: at.getTime() })
      .onConflict((conflict) => conflict.columns(["account_id", "name"]).doNothing())
      .returning("name")
      .executeTakeFirst();
    return inserted !== undefined;
  }

  async prune(beforeDay: string, before: Date): Promise<void> {
    const day = sql`account_id, day, key_id`;
    await inBatches(() =>
      this.db
        .deleteFrom("quota_days")
        .where(
          sql<boolean>`(${day}) in (select ${day} from quota_days where day < ${beforeDay} limit ${batchRows})`,
        )
        .executeTakeFirstOrThrow(),
    );
    await this.db.deleteFrom("quota_warnings").where("sent_at", "<", before.getTime()).execute();
  }
}

/** In a transaction of usage. Of accounts in `known` only; sorted, so that replicas do not deadlock. */
export async function addDays(
  db: Kysely<Schema>,
  days: readonly QuotaDay[],
  known: ReadonlySet<string>,
): Promise<void> {
  const name = ({ accountId, day, keyId }: QuotaDay): string => `${accountId} ${day} ${keyId}`;
  const values = days
    .filter(({ accountId }) => known.has(accountId))
    .sort((a, b) => (name(a) < name(b) ? -1 : 1))
    .map(({ accountId, keyId, day, requests, tokens }) => ({
      account_id: accountId,
      day,
      key_id: keyId,
      requests,
      tokens,
    }));
  if (values.length === 0) return;
  await db
    .insertInto("quota_days")
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(["account_id", "day", "key_id"]).doUpdateSet((update) => ({
        requests: update("quota_days.requests", "+", update.ref("excluded.requests")),
        tokens: update("quota_days.tokens", "+", update.ref("excluded.tokens")),
      })),
    )
    .execute();
}
