/** Work on many rows, a few at a time. */
import { setImmediate } from "node:timers/promises";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { primaryKeys, type Schema } from "./schema.js";

const rowsDeletedAtOnce = 500;

/** Deletes in short statements, so that others wait neither for locks nor for the thread in between. */
export async function deleteInBatches(
  db: Kysely<Schema>,
  table: keyof Schema,
  condition: RawBuilder<unknown>,
): Promise<void> {
  const [name, key] = [sql.table(table), sql.join(primaryKeys[table].map((column) => sql.ref(column)))];
  const deleteSome = sql`delete from ${name} where (${key}) in
    (select ${key} from ${name} where ${condition} limit ${rowsDeletedAtOnce})`;
  for (;;) {
    const { numAffectedRows = 0n } = await deleteSome.execute(db);
    if (numAffectedRows < rowsDeletedAtOnce) return;
    await setImmediate();
  }
}

/** Databases allow some tens of thousands of bound values in one statement. */
export function* chunks<T>(all: readonly T[], length: number): Generator<T[], void, undefined> {
  for (let start = 0; start < all.length; start += length) yield all.slice(start, start + length);
}
