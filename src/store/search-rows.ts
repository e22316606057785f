/**
 * Searches every row of every table of the database for marks, also of tables that are not ours. Postgres returns a
 * row as text, where bytes are in hexadecimal: that is one of the forms that are looked for.
 */
import type { Config } from "../config.js";
import type { Hit, MarkSearch } from "../core/proof/marks.js";
import { connect } from "./sql/sqlite/connection.js";
import { databasePath } from "./sql/sqlite.js";

export interface RowSearch {
  hits: { table: string; hit: Hit }[];
  tables: number;
  rows: number;
  /** What was not searched, and why. */
  gaps: string[];
}

const mostRows = 5_000_000;
const rowsAtOnce = 1_000;

/** Rejects with the database's error. */
export async function searchRows(
  { service, storage }: Pick<Config, "service" | "storage">,
  search: MarkSearch,
  signal: AbortSignal,
): Promise<RowSearch> {
  const found: RowSearch = { hits: [], tables: 0, rows: 0, gaps: [] };
  const tables =
    storage.databaseUrl === undefined
      ? sqliteTables(databasePath(service.dataDir))
      : postgresTables(storage.databaseUrl);
  for await (const { table, batches } of tables) {
    found.tables += 1;
    let rows = 0;
    for await (const batch of batches) {
      signal.throwIfAborted();
      rows += batch.length;
      for (const cell of batch.flat()) {
        for (const hit of search.in(typeof cell === "string" ? Buffer.from(cell) : cell))
          found.hits.push({ table, hit });
      }
      if (rows < mostRows) continue;
      found.gaps.push(`${table} after its first ${mostRows} rows`);
      break;
    }
    found.rows += rows;
  }
  return found;
}

type Cell = string | Uint8Array;

interface Table {
  table: string;
  /** Rows, each as its cells. */
  batches: AsyncIterable<Cell[][]> | Iterable<Cell[][]>;
}

function* sqliteTables(path: string): Generator<Table, void, undefined> {
  const database = connect(path);
  try {
    database.pragma("query_only = ON");
    const names = database.prepare("select name from sqlite_master where type = 'table'").pluck().all();
    for (const name of names.map(String)) {
      const rows = database.prepare(`select * from "${name.replaceAll('"', '""')}"`).raw();
      yield { table: name, batches: inBatches(rows.iterate() as Iterable<unknown[]>) };
    }
  } finally {
    database.close();
  }
}

function* inBatches(rows: Iterable<unknown[]>): Generator<Cell[][], void, undefined> {
  let batch: Cell[][] = [];
  for (const row of rows) {
    batch.push(row.flatMap(cellOf));
    if (batch.length < rowsAtOnce) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Numbers hold no text. libsql gives bytes as a bare ArrayBuffer. */
function cellOf(value: unknown): Cell[] {
  if (typeof value === "string" || value instanceof Uint8Array) return [value];
  return value instanceof ArrayBuffer ? [new Uint8Array(value)] : [];
}

async function* postgresTables(url: string): AsyncGenerator<Table, void, undefined> {
  // Loaded here, since most installations do without.
  const [{ sql }, { connectPostgres }] = await Promise.all([import("kysely"), import("./sql/postgres.js")]);
  const db = connectPostgres(url, { max: 1, idle_in_transaction_session_timeout: 0 });
  try {
    const { rows } = await sql<{ schema: string; name: string }>`
      select table_schema as schema, table_name as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(
      db,
    );
    for (const { schema, name } of rows) {
      yield { table: schema === "public" ? name : `${schema}.${name}`, batches: rowsOf(schema, name) };
    }
  } finally {
    await db.destroy();
  }

  async function* rowsOf(schema: string, name: string): AsyncGenerator<Cell[][], void, undefined> {
    const transaction = await db.startTransaction().setAccessMode("read only").execute();
    try {
      await sql`declare search no scroll cursor for
        select t::text as cells from ${sql.table(`${schema}.${name}`)} t`.execute(transaction);
      for (;;) {
        const { rows } = await sql<{ cells: string }>`
          fetch ${sql.lit(rowsAtOnce)} from search`.execute(transaction);
        if (rows.length === 0) break;
        yield rows.map(({ cells }) => [cells]);
      }
    } finally {
      await transaction.rollback().execute();
    }
  }
}
