/** What the operator's checklist is ticked off by, in SQL: each is answered by the first rows that match. */
import { sql, type Kysely } from "kysely";
import type { AdminFacts, ServiceStore } from "../../../core/admin/ports.js";
import type { AuditAction } from "../../../core/audit-actions.js";
import type { Clock } from "../../../core/clock.js";
import type { Schema } from "../schema.js";
import { SqlOutcomes } from "./outcome-rows.js";
import { SqlServiceUsage } from "./service-usage-rows.js";

export const sqlService = (db: Kysely<Schema>, clock: Pick<Clock, "monotonicMs">): ServiceStore => ({
  usage: new SqlServiceUsage(db, clock),
  outcomes: new SqlOutcomes(db),
  facts: new SqlOperatorFacts(db),
});

class SqlOperatorFacts implements AdminFacts {
  constructor(private readonly db: Kysely<Schema>) {}

  async hasInvited(): Promise<boolean> {
    const invited: AuditAction[] = ["created invitation", "created account"];
    const row = await this.db
      .selectFrom("audit")
      .select(sql.lit(1).as("one"))
      .where("action", "in", invited)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async settings(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.db.selectFrom("settings").selectAll().where("name", "in", names).execute();
    return new Map(rows.map(({ name, value }) => [name, value]));
  }
}
