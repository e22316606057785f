/** How requests ended, by hour, model and error code, in SQL. A few hundred rows a day, whatever the traffic. */
import { sql } from "kysely";
import type { Outcomes, OutcomeStore, ServiceFilter } from "../../../core/admin/ports.js";
import { type ErrorCode, errorTable } from "../../../core/errors.js";
import { dayMs, noModel, withModels } from "../rows.js";
import type { Db, OutcomeRow } from "../schema.js";
import { addCounts } from "../usage/add-counts.js";
import { stepOf } from "../usage/usage-rows.js";

export class SqlOutcomes implements OutcomeStore {
  constructor(private readonly db: Db) {}

  async add(rows: readonly Outcomes[]): Promise<void> {
    const values = rows.map(({ start, model, code, requests }) => ({
      hour: start.getTime(),
      model: model ?? noModel,
      code,
      requests,
    }));
    await addCounts(this.db, "outcomes", values);
  }

  async readByCode({ from, to, model }: ServiceFilter): Promise<Pick<Outcomes, "code" | "requests">[]> {
    let query = this.#within(from, to).select(["code", total.as("requests")]);
    if (model !== undefined) query = query.where("model", "=", model);
    return withKnownCodes(await query.groupBy("code").execute());
  }

  async readByDay(from: Date, to: Date): Promise<Outcomes[]> {
    const day = stepOf(dayMs);
    const rows = await this.#within(from, to)
      .select([day.as("hour"), "model", "code", total.as("requests")])
      .groupBy([day, "model", "code"])
      .orderBy(day)
      .execute();
    return toOutcomes(rows);
  }

  async readHoursWith(codes: readonly ErrorCode[], from: Date, to: Date): Promise<Outcomes[]> {
    const hours = this.#within(from, to).select("hour").where("code", "in", codes);
    const rows = await this.#within(from, to)
      .selectAll()
      .where("hour", "in", hours)
      .orderBy("hour")
      .execute();
    return toOutcomes(rows);
  }

  async since(): Promise<Date | null> {
    const row = await this.db
      .selectFrom("outcomes")
      .select((select) => select.fn.min("hour").as("first"))
      .executeTakeFirst();
    return row?.first == null ? null : new Date(row.first);
  }

  async prune(before: Date): Promise<void> {
    await this.db.deleteFrom("outcomes").where("hour", "<", before.getTime()).execute();
  }

  #within(from: Date, to: Date) {
    return this.db
      .selectFrom("outcomes")
      .where("hour", ">=", from.getTime())
      .where("hour", "<", to.getTime());
  }
}

const total = sql<number>`sum(requests)`;

const toOutcomes = (rows: readonly OutcomeRow[]): Outcomes[] =>
  withKnownCodes(withModels(rows)).map(({ hour, ...outcome }) => ({ start: new Date(hour), ...outcome }));

/** Without codes that this version does not know. */
function withKnownCodes<Row extends { code: string }>(
  rows: readonly Row[],
): (Omit<Row, "code"> & { code: ErrorCode | "none" })[] {
  return rows.flatMap((row) => {
    const { code } = row;
    return code === "none" || isErrorCode(code) ? [{ ...row, code }] : [];
  });
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);
