/** Everything the service keeps about an account, with the reason why. Nothing else is kept. */
import { setImmediate } from "node:timers/promises";
import type { StoredAboutMe, StoredRows } from "./stored-views.js";
import { DashboardError } from "../dashboard-error.js";
import { storedTables } from "../privacy-facts.js";
import type { StoredStore } from "./ports.js";
import type { Clock } from "../clock.js";

const pageRows = 50;
const exportBatchSize = 200;

/** The first rows of every table. */
export async function storedAbout(
  store: StoredStore,
  clock: Clock,
  accountId: string,
): Promise<StoredAboutMe> {
  const tables: StoredAboutMe["tables"] = [];
  for (const name of store.tables) {
    const page = await storedRows(store, accountId, name, null);
    tables.push({ name, why: storedTables[name]?.why ?? "", ...page });
  }
  return { exportedAt: clock.now().toISOString(), tables };
}

/** More rows of one table. */
export async function storedRows(
  store: StoredStore,
  accountId: string,
  table: string,
  after: string | null,
): Promise<StoredRows> {
  const page = await store.read(accountId, table, after, pageRows);
  if (page !== null) return page;
  throw new DashboardError("bad_request", "There is no such page of this table.", { field: "after" });
}

/** All of it as the text of a JSON object, piece by piece: it may be long, and other work runs in between. */
export async function* storedExport(
  store: StoredStore,
  clock: Clock,
  accountId: string,
): AsyncGenerator<string> {
  yield `{\n  "exportedAt": ${JSON.stringify(clock.now().toISOString())},\n  "tables": [`;
  for (const [index, name] of store.tables.entries()) {
    const why = JSON.stringify(storedTables[name]?.why ?? "");
    yield `${index === 0 ? "" : ","}\n    { "name": ${JSON.stringify(name)}, "why": ${why}, "rows": [`;
    let after: string | null = null;
    do {
      const page = await store.read(accountId, name, after, exportBatchSize);
      const rows = (page?.rows ?? []).map((row) => `\n      ${JSON.stringify(row)}`);
      if (rows.length > 0) yield (after === null ? "" : ",") + rows.join(",");
      after = page?.next ?? null;
      await setImmediate();
    } while (after !== null);
    yield "] }";
  }
  yield "\n  ]\n}\n";
}
