/** The append-only log of statements, in SQL. */
import type { Kysely } from "kysely";
import type { LogRow, StatementLogStore } from "../../core/proof/ports.js";
import { addRow } from "./by-columns.js";
import type { Schema } from "./schema.js";

export class SqlStatementLog implements StatementLogStore {
  constructor(private readonly db: Kysely<Schema>) {}

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
