/** What was used of quotas, by the day, in SQL. */
import { type Kysely, sql } from "kysely";
import type { DayUse, QuotaStore } from "../../../core/limits/ports.js";
import type { QuotaUse } from "../../../core/usage/ports.js";
import { deleteInBatches } from "../batches.js";
import { addRow } from "../by-columns.js";
import type { Schema } from "../schema.js";

export class SqlQuotas implements QuotaStore {
  constructor(private readonly db: Kysely<Schema>) {}

  async used(
    accountId: string,
    keyId: string | null,
    days: string,
    memberId: string | null = null,
  ): Promise<QuotaUse> {
    let query = this.db
      .selectFrom("quota_days")
      .select(({ fn }) => [
        fn.sum<number | null>("requests").as("requests"),
        fn.sum<number | null>("tokens").as("tokens"),
      ])
      .where("account_id", "=", accountId)
      .where("day", "like", `${days}%`);
    if (keyId !== null) query = query.where("key_id", "=", keyId);
    if (memberId !== null) {
      const lineages = this.db
        .selectFrom("keys")
        .select(sql<string>`coalesce(lineage, id)`.as("lineage"))
        .where("account_id", "=", accountId)
        .where("member_id", "=", memberId);
      query = query.where("key_id", "in", lineages);
    }
    const { requests, tokens } = await query.executeTakeFirstOrThrow();
    return { requests: requests ?? 0, tokens: tokens ?? 0 };
  }

  byDay(accountId: string, from: string): Promise<DayUse[]> {
    return this.db
      .selectFrom("quota_days")
      .select(({ fn }) => [
        "day",
        fn.sum<number>("requests").as("requests"),
        fn.sum<number>("tokens").as("tokens"),
      ])
      .where("account_id", "=", accountId)
      .where("day", ">=", from)
      .groupBy("day")
      .execute();
  }

  byPlanAndDay(from: string): Promise<(DayUse & { planId: string })[]> {
    return this.db
      .selectFrom("quota_days")
      .innerJoin("accounts", "accounts.id", "quota_days.account_id")
      .select(({ fn }) => [
        "accounts.plan_id as planId",
        "day",
        fn.sum<number>("requests").as("requests"),
        fn.sum<number>("tokens").as("tokens"),
      ])
      .where("day", ">=", from)
      .groupBy(["accounts.plan_id", "day"])
      .execute();
  }

  async claimWarning(accountId: string, name: string, at: Date): Promise<boolean> {
    const warning = { account_id: accountId, name, sent_at: at.getTime() };
    return (await addRow(this.db, "quota_warnings", warning)) !== undefined;
  }

  async prune(beforeDay: string, before: Date): Promise<void> {
    await deleteInBatches(this.db, "quota_days", sql`day < ${beforeDay}`);
    await this.db.deleteFrom("quota_warnings").where("sent_at", "<", before.getTime()).execute();
  }
}
