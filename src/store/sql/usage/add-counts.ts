/** Adds counts to rows that may exist already. */
import { sql } from "kysely";
import { type Db, primaryKeys, type Schema } from "../schema.js";
import { chunks, insertion, refs } from "../statements.js";

type CountTable =
  "usage" | "account_days" | "key_days" | "key_spans" | "quota_days" | "service_usage" | "outcomes";

/** Up to some twenty bound values each. */
const rowsAtOnce = 500;

/** In the order of their keys: replicas that add to the same rows lock them in the same order, and do not deadlock. */
export async function addCounts<Table extends CountTable>(
  db: Db,
  table: Table,
  rows: readonly Schema[Table][],
): Promise<void> {
  const key = primaryKeys[table];
  const updates = Object.keys(rows[0] ?? {})
    .filter((name) => !key.some((column) => column === name))
    .map((name) => sql`${sql.ref(name)} = ${merged(table, name)}`);
  for (const some of chunks(mergedBy(key, rows), rowsAtOnce)) {
    await sql`${insertion(table, some)} on conflict (${refs(key)}) do update set ${sql.join(updates)}`.execute(
      db,
    );
  }
}

/** The old and the new value as one. */
function merged(table: string, name: string) {
  const [old, added] = [sql.ref(`${table}.${name}`), sql.ref(`excluded.${name}`)];
  // Databases differ in how they compare with null.
  const either = (than: "<" | ">") =>
    sql`case when ${old} is null or ${added} ${sql.raw(than)} ${old} then ${added} else ${old} end`;
  if (name === "first_token_min_ms") return either("<");
  return name === "first_token_max_ms" ? either(">") : sql`${old} + ${added}`;
}

/** One row for each value of `key`, sorted by it. */
function mergedBy<Row extends object>(key: readonly (keyof Row)[], rows: readonly Row[]): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const name = key.map((column) => String(row[column])).join(" ");
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? row : sumOf(key, sum, row));
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function sumOf<Row extends object>(key: readonly (keyof Row)[], a: Row, b: Row): Row {
  const sum = { ...a };
  for (const name of Object.keys(a) as (keyof Row & string)[]) {
    if (!key.includes(name)) sum[name] = mergedValue(name, a[name], b[name]) as Row[typeof name];
  }
  return sum;
}

function mergedValue(name: string, a: unknown, b: unknown): unknown {
  if (typeof a !== "number" || typeof b !== "number") return a ?? b;
  if (name === "first_token_min_ms") return Math.min(a, b);
  return name === "first_token_max_ms" ? Math.max(a, b) : a + b;
}
