/** Rows of counts that are added to rows that may be there already. */
import { sql, type Kysely } from "kysely";
import type { AccountDayRow, KeyDayRow, KeySpanRow, Schema, ServiceUsageRow, UsageRow } from "../schema.js";

interface CountTables {
  usage: UsageRow;
  account_days: AccountDayRow;
  key_days: KeyDayRow;
  key_spans: KeySpanRow;
  service_usage: ServiceUsageRow;
}

/** Some twenty bound values for each; databases allow some tens of thousands in one statement. */
export const rowsAtOnce = 500;

/** Adds to what is there. `values` has each key once. */
export async function addCounts<Table extends keyof CountTables>(
  db: Kysely<Schema>,
  table: Table,
  key: readonly (keyof CountTables[Table] & string)[],
  values: readonly CountTables[Table][],
): Promise<void> {
  const columns = Object.keys(values[0] ?? {}) as (keyof CountTables[Table] & string)[];
  const names = (list: readonly string[]) => sql.join(list.map((name) => sql.ref(name)));
  const updates = columns
    .filter((name) => !key.includes(name))
    .map((name) => sql`${sql.ref(name)} = ${merged(table, name)}`);
  for (let start = 0; start < values.length; start += rowsAtOnce) {
    const rows = values
      .slice(start, start + rowsAtOnce)
      .map((row) => sql`(${sql.join(columns.map((name) => row[name]))})`);
    await sql`insert into ${sql.table(table)} (${names(columns)}) values ${sql.join(rows)}
      on conflict (${names(key)}) do update set ${sql.join(updates)}`.execute(db);
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

/**
 * One row for each value of `key`, in the order of those: replicas that add to the same rows lock them in the same
 * order, and do not deadlock.
 */
export function mergedBy<Row extends object>(
  key: readonly (keyof Row & string)[],
  rows: readonly Row[],
): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const name = key.map((column) => String(row[column])).join(" ");
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? row : sumOf(key, sum, row));
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function sumOf<Row extends object>(key: readonly string[], a: Row, b: Row): Row {
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
