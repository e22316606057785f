/** A SQLite database as a version with fewer migrations left it. */
import { migrate, migrations, readBookkeeping } from "../../../src/store/sql/migrate.js";
import { connectSqlite, openDatabase } from "../../../src/store/sql/sqlite.js";
import { testPlan } from "./temporary-store.js";

/** Those of the version whose last one this was. */
export const migrationsUpTo = (step: number) => migrations.filter(({ number }) => number <= step);

export type Connection = ReturnType<typeof connectSqlite>;

export async function inDatabase<T>(path: string, work: (db: Connection) => Promise<T>): Promise<T> {
  const db = connectSqlite(await openDatabase(path));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The number of the last migration that it has applied. */
export const stepOf = (path: string): Promise<number> =>
  inDatabase(path, async (db) => (await readBookkeeping(db)).applied);

export const createOldDatabase = (path: string, step: number): Promise<void> =>
  inDatabase(path, (db) =>
    migrate(db, { bytesType: "blob", defaultPlan: testPlan }, { migrations: migrationsUpTo(step) }),
  );
