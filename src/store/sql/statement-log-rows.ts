/** The append-only log of statements, in SQL. */
import type { LogRow, StatementLogStore } from "../../core/proof/ports.js";
import type { Db } from "./schema.js";
import { addRow } from "./statements.js";

export class SqlStatementLog implements StatementLogStore {
  constructor(private readonly db: Db) {}

  async read(from: number, limit: number): Promise<LogRow[]> {
    const rows = await this.db
      .selectFrom("statement_log")
      .select(["number", "body"])
      .where("number", ">=", from)
      .orderBy("number")
      .limit(limit)
      .execute();
    return rows.map(({ number, body }) => ({ index: number, body }));
  }

  async append(index: number, at: Date, body: string): Promise<boolean> {
    const row = { number: index, at: at.getTime(), body };
    return (await addRow(this.db, "statement_log", row)) !== undefined;
  }
}
