/** How requests ended, by hour, model and error code, in SQL. A few hundred rows a day, whatever the traffic. */
import { sql, type Kysely } from "kysely";
import type { OutcomeStore, Outcomes, ServiceFilter } from "../../../core/admin/ports.js";
import { errorTable, type ErrorCode } from "../../../protocol/errors.js";
import type { OutcomeRow, Schema } from "../schema.js";
import { noModel, toModel } from "../usage/model-column.js";
import { stepOf } from "../usage/usage-rows.js";

const dayMs = 24 * 60 * 60_000;

export class SqlOutcomes implements OutcomeStore {
  constructor(private readonly db: Kysely<Schema>) {}

  /** In one order, so that replicas that add to the same rows do not deadlock. */
  async add(rows: readonly Outcomes[]): Promise<void> {
    if (rows.length === 0) return;
    const values = rows
      .map(({ start, model, code, requests }) => ({
        hour: start.getTime(),
        model: model ?? noModel,
        code,
        requests,
      }))
      .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    await this.db
      .insertInto("outcomes")
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(["hour", "model", "code"]).doUpdateSet((update) => ({
          requests: update("outcomes.requests", "+", update.ref("excluded.requests")),
        })),
      )
      .execute();
  }

  async readByCode({ from, to, model }: ServiceFilter): Promise<Pick<Outcomes, "code" | "requests">[]> {
    let query = this.#within(from, to).select(["code", total.as("requests")]);
    if (model !== undefined) query = query.where("model", "=", model);
    const rows = await query.groupBy("code").execute();
    return rows.flatMap(({ code, requests }) => toCode(code).map((known) => ({ code: known, requests })));
  }

  async readByDay(from: Date, to: Date): Promise<Outcomes[]> {
    const day = stepOf(dayMs);
    const rows = await this.#within(from, to)
      .select([day.as("hour"), "model", "code", total.as("requests")])
      .groupBy([day, "model", "code"])
      .orderBy(day)
      .execute();
    return rows.flatMap(toOutcomes);
  }

  async readHoursWith(codes: readonly ErrorCode[], from: Date, to: Date): Promise<Outcomes[]> {
    const hours = this.#within(from, to).select("hour").where("code", "in", codes);
    const rows = await this.#within(from, to)
      .select(["hour", "model", "code", "requests"])
      .where("hour", "in", hours)
      .orderBy("hour")
      .execute();
    return rows.flatMap(toOutcomes);
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

/** A sum of 8-byte integers is of another type in Postgres, and read as text. */
const total = sql<number>`cast(sum(requests) as bigint)`;

const nameOf = ({ hour, model, code }: OutcomeRow): string => `${hour} ${model} ${code}`;

const toOutcomes = ({ hour, model, code, requests }: OutcomeRow): Outcomes[] =>
  toModel(model).flatMap((known) =>
    toCode(code).map((knownCode) => ({ start: new Date(hour), model: known, code: knownCode, requests })),
  );

/** None for a code that this version does not know. */
function toCode(code: string): (ErrorCode | "none")[] {
  return code === "none" || isErrorCode(code) ? [code] : [];
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);
