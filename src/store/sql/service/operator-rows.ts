/** What the operator's checklist is ticked off by, in SQL: each is answered by the first rows that match. */
import type { AdminFacts } from "../../../core/admin/ports.js";
import type { AuditAction } from "../../../core/audit-actions.js";
import type { Db } from "../schema.js";

export class SqlOperatorFacts implements AdminFacts {
  constructor(private readonly db: Db) {}

  async hasInvited(): Promise<boolean> {
    const invited: AuditAction[] = ["created invitation", "created account"];
    const lines = this.db.selectFrom("audit").select("id").where("action", "in", invited).limit(1);
    return (await lines.executeTakeFirst()) !== undefined;
  }

  async settings(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.db.selectFrom("settings").selectAll().where("name", "in", names).execute();
    return new Map(rows.map(({ name, value }) => [name, value]));
  }
}
