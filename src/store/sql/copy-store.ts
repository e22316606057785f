/**
 * Copies every row of one database to another that is empty, in one transaction of each: all of it arrives or
 * nothing. Tables are copied in the order of their references, in batches; then the copy is read back, and each
 * table's number of rows and a sum over the hashes of its rows must be equal on both sides. (A sum, since databases
 * sort text differently.)
 *
 * The source is read in one snapshot. If it was written to since, the copy is aborted: a server is running on it,
 * and what it writes next would be lost.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { StoreError } from "../store-error.js";
import { type Db, type DbTransaction, primaryKeys, type Schema } from "./schema.js";
import { countRows, insertion, refs } from "./statements.js";

const rowsAtOnce = 500;

type TableName = keyof Schema;

/** Each side writes its table of migrations itself. */
const tableNames = (Object.keys(primaryKeys) as TableName[]).filter((name) => name !== "migrations");

/** Not empty in a new database. */
const filledByMigrations: readonly TableName[] = ["plans", "change_counter"];

type Row = Record<string, string | number | null | Uint8Array>;

export interface CopyOptions {
  source: Db;
  target: Db;
  /** Whether the source was written to since the last call. */
  wasSourceWritten: () => boolean;
  onProgress?: (table: string, rows: number, totalRows: number) => void;
}

/** Rejects with `StoreError`, and the target is as it was. Returns the number of rows by table. */
export async function copyStore(options: CopyOptions): Promise<Record<string, number>> {
  const { source, target, wasSourceWritten, onProgress } = options;
  return target.transaction().execute(async (to) => {
    await requireEmpty(to);
    wasSourceWritten();
    const counts = await source.transaction().execute(async (from) => {
      for (const table of filledByMigrations) await sql`delete from ${sql.table(table)}`.execute(to);
      const copied: Record<string, number> = {};
      for (const table of tableNames) copied[table] = await copyTable(table, from, to, onProgress);
      for (const table of tableNames) await verify(table, from, to);
      return copied;
    });
    if (wasSourceWritten()) {
      throw new StoreError(
        "The installation was written to while it was copied, so the copy was aborted and nothing was changed. Stop the server and try again.",
      );
    }
    return counts;
  });
}

async function requireEmpty(target: DbTransaction): Promise<void> {
  for (const table of tableNames) {
    if (filledByMigrations.includes(table)) continue;
    if ((await countRows(target, table)) === 0) continue;
    throw new StoreError(
      `The target is not empty: its table ${table} has rows. Nothing was copied. Name a new database.`,
    );
  }
}

async function copyTable(
  table: TableName,
  from: DbTransaction,
  to: DbTransaction,
  onProgress: CopyOptions["onProgress"],
): Promise<number> {
  const total = await countRows(from, table);
  let copied = 0;
  for await (const rows of batches(from, table)) {
    await insertion(table, rows).execute(to);
    copied += rows.length;
    onProgress?.(table, copied, total);
  }
  return copied;
}

async function verify(table: TableName, from: DbTransaction, to: DbTransaction): Promise<void> {
  const [before, after] = [await digest(from, table), await digest(to, table)];
  if (before.rows === after.rows && before.sum === after.sum) return;
  throw new StoreError(
    `The copy of the table ${table} differs from its source (${before.rows} rows there, ${after.rows} here), so it was aborted and nothing was changed.`,
  );
}

async function digest(db: DbTransaction, table: TableName): Promise<{ rows: number; sum: bigint }> {
  let count = 0;
  let sum = 0n;
  for await (const rows of batches(db, table)) {
    count += rows.length;
    for (const row of rows) sum = BigInt.asUintN(256, sum + hashOf(row));
  }
  return { rows: count, sum };
}

function hashOf(row: Row): bigint {
  const cells = Object.keys(row)
    .sort()
    .map((column) => {
      const value = row[column] ?? null;
      return [column, value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value];
    });
  return BigInt(`0x${createHash("sha256").update(JSON.stringify(cells)).digest("hex")}`);
}

/** All rows, by primary key. */
async function* batches(db: DbTransaction, table: TableName): AsyncGenerator<Row[], void, undefined> {
  const key = primaryKeys[table];
  const order = refs(key);
  let after = sql``;
  for (;;) {
    const query = sql<Record<string, unknown>>`select * from ${sql.table(table)} ${after}
      order by ${order} limit ${sql.lit(rowsAtOnce)}`;
    const rows = (await query.execute(db)).rows.map(toRow);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < rowsAtOnce) return;
    after = sql`where (${order}) > (${sql.join(key.map((column) => last[column] ?? null))})`;
  }
}

/** libsql gives bytes as a bare ArrayBuffer. */
function toRow(row: Record<string, unknown>): Row {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, toCell(column, value)]));
}

function toCell(column: string, value: unknown): Row[string] {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`The column ${column} holds a value of an unknown type.`);
}
