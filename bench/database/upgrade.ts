/**
 * The migration from the version before: a database with 100,000 accounts, a key and a session of each, 1,000,000 hours of
 * usage and 200,000 audit lines, in the schema of that version, is migrated to this one, in SQLite and in Postgres. Prints
 * what each migration takes, and throws unless every table has the same rows as before: their number, and of every column
 * the sum of its numbers or the length of its text.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ColumnMetadata, type Kysely, sql } from "kysely";
import { systemClock } from "../../src/core/clock.js";
import { migrate, migrations, type MigrateOptions } from "../../src/store/sql/migrate.js";
import type { MigrationContext } from "../../src/store/sql/migration.js";
import { connectPostgres, postgresMigration } from "../../src/store/sql/postgres.js";
import type { Schema } from "../../src/store/sql/schema.js";
import { FullStore } from "../../src/store/full-store.js";
import { connectSqlite, databasePath, openDatabase } from "../../src/store/sql/sqlite.js";
import { TestPostgres } from "../../test/support/stores/postgres-server.js";
import { testPlan } from "../../test/support/stores/temporary-store.js";
import { fillPostgresTables, fillSqliteTables } from "../dashboard/full-store.js";

/** The first one that the version before does not know. */
const firstNew = "0018-factors";

interface Filled {
  name: string;
  db: Kysely<Schema>;
  context: MigrationContext;
  options: MigrateOptions;
  fill: () => void | Promise<void>;
}

export async function benchUpgrade(): Promise<void> {
  await inSqlite(upgrade);
  await inPostgres(upgrade);
}

async function upgrade({ name, db, context, options, fill }: Filled): Promise<void> {
  const old = migrations.findIndex((migration) => migration.name === firstNew);
  await migrate(db, context, { ...options, migrations: migrations.slice(0, old) });
  await fill();
  const before = await rowsOf(db);
  const columns = await columnsOf(db);
  const took: string[] = [];
  const beganMs = performance.now();
  for (let count = old + 1; count <= migrations.length; count++) {
    const stepMs = performance.now();
    await migrate(db, context, { ...options, migrations: migrations.slice(0, count) });
    took.push(`${migrations[count - 1]?.name ?? ""} ${(performance.now() - stepMs).toFixed(0)} ms`);
  }
  const allMs = performance.now() - beganMs;
  requireSame(before, await rowsOf(db, columns));
  await requireReadable(db, name === "Postgres");
  const rows = [...before.values()].reduce((sum, counted) => sum + Number(counted["rows"]), 0);
  console.log(
    `${name}: ${rows} rows migrated in ${(allMs / 1000).toFixed(2)} s, none lost (${took.join(", ")})`,
  );
}

type Columns = ReadonlyMap<string, readonly ColumnMetadata[]>;
type Counted = Record<string, string>;
type SumRow = Record<string, number | string | null>;

async function columnsOf(db: Kysely<Schema>): Promise<Columns> {
  const tables = await db.introspection.getTables();
  return new Map(
    tables.filter(({ name }) => name !== "migrations").map((table) => [table.name, table.columns]),
  );
}

/** By table: its rows, and of each column a sum. */
async function rowsOf(db: Kysely<Schema>, columns?: Columns): Promise<Map<string, Counted>> {
  const counted = new Map<string, Counted>();
  for (const [table, names] of columns ?? (await columnsOf(db))) {
    const sums = names.map(({ name, dataType }) => {
      const column = sql.ref(name);
      const value = /int/.test(dataType)
        ? sql`cast(${column} as numeric)`
        : sql`length(cast(${column} as text))`;
      return sql`sum(${value}) as ${sql.ref(name)}`;
    });
    const query = sql<SumRow>`select count(*) as "rows", ${sql.join(sums)} from ${sql.table(table)}`;
    const [row = {}] = (await query.execute(db)).rows;
    counted.set(table, Object.fromEntries(Object.entries(row).map(([name, sum]) => [name, String(sum)])));
  }
  return counted;
}

function requireSame(before: ReadonlyMap<string, Counted>, after: ReadonlyMap<string, Counted>): void {
  for (const [table, counted] of before)
    if (JSON.stringify(counted) !== JSON.stringify(after.get(table)))
      throw new Error(`${table} is not what it was: ${JSON.stringify([counted, after.get(table)])}`);
}

/** A key and a session of the version before are found by this one. */
async function requireReadable(db: Kysely<Schema>, locksRows: boolean): Promise<void> {
  const store = new FullStore(db, systemClock, { locksRows });
  const hashOf = async (table: "keys" | "sessions") =>
    new Uint8Array((await db.selectFrom(table).select("hash").limit(1).executeTakeFirstOrThrow()).hash);
  const key = await store.findKeyByHash(await hashOf("keys"));
  const session = await store.sessions.find(await hashOf("sessions"));
  if (key?.account.kind !== "person" || session?.session.method !== "password")
    throw new Error("A key or a session of the version before cannot be read.");
}

async function inSqlite(work: (filled: Filled) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sotto-bench-upgrade-"));
  const path = databasePath(folder);
  const db = connectSqlite(await openDatabase(path));
  try {
    const fill = () => fillSqliteTables(path, new Date());
    const context: MigrationContext = { bytesType: "blob", defaultPlan: testPlan };
    await work({ name: "SQLite", db, context, options: {}, fill });
  } finally {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

async function inPostgres(work: (filled: Filled) => Promise<void>): Promise<void> {
  const server = await TestPostgres.start();
  const url = server.url(await server.createDatabase());
  // As long as migrations may take.
  const longestMs = 10 * 60_000;
  const db = connectPostgres(url, { max: 1, statement_timeout: longestMs, query_timeout: longestMs });
  try {
    const context: MigrationContext = { bytesType: "bytea", defaultPlan: testPlan };
    await work({
      name: "Postgres",
      db,
      context,
      options: postgresMigration,
      fill: () => fillPostgresTables(url, new Date()),
    });
  } finally {
    await db.destroy();
    await server.dispose();
  }
}
