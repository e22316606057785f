/** What was used of quotas, by the day, in SQL. */
import { sql } from "kysely";
import type { DayUse, QuotaStore } from "../../../core/limits/ports.js";
import type { QuotaUse } from "../../../core/usage/ports.js";
import type { Db } from "../schema.js";
import { addRow, deleteInBatches } from "../statements.js";

const used = [
  sql<number>`coalesce(sum(requests), 0)`.as("requests"),
  sql<number>`coalesce(sum(tokens), 0)`.as("tokens"),
] as const;

export class SqlQuotas implements QuotaStore {
  constructor(private readonly db: Db) {}

  async used(
    accountId: string,
    keyId: string | null,
    days: string,
    memberId: string | null = null,
  ): Promise<QuotaUse> {
    let query = this.db
      .selectFrom("quota_days")
      .select(used)
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
    return query.executeTakeFirstOrThrow();
  }

  byDay(accountId: string, from: string): Promise<DayUse[]> {
    return this.db
      .selectFrom("quota_days")
      .select(["day", ...used])
      .where("account_id", "=", accountId)
      .where("day", ">=", from)
      .groupBy("day")
      .execute();
  }

  byPlanAndDay(from: string): Promise<(DayUse & { planId: string })[]> {
    return this.db
      .selectFrom("quota_days")
      .innerJoin("accounts", "accounts.id", "quota_days.account_id")
      .select(["accounts.plan_id as planId", "day", ...used])
      .where("day", ">=", from)
      .groupBy(["accounts.plan_id", "day"])
      .execute();
  }

  async claimWarning(accountId: string, name: string, at: Date): Promise<boolean> {
    const warning = { account_id: accountId, name, sent_at: at.getTime() };
    return (await addRow(this.db, "quota_warnings", warning)) !== undefined;
  }

  async prune(beforeDay: string, before: Date): Promise<void> {
    await deleteInBatches(this.db, "quota_days", { day: ["<", beforeDay] });
    await this.db.deleteFrom("quota_warnings").where("sent_at", "<", before.getTime()).execute();
  }
}
