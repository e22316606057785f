import { readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { defaultPlan } from "../../../src/core/accounts/accounts.js";
import type { FullStore } from "../../../src/store/full-store.js";
import type { Clock } from "../../../src/core/clock.js";
import type { Plan } from "../../../src/core/entities.js";
import { databasePath, openSqliteStore } from "../../../src/store/sql/sqlite.js";
import type { ThreadsOptions } from "../../../src/store/sql/sqlite/thread-dialect.js";
import { newDatabaseFolder } from "../processes/run-folder.js";

export const testPlan: Plan = defaultPlan({
  requestsPerMinute: 600,
  tokensPerMinute: 200_000,
  concurrentRequests: 16,
});

export interface TemporaryStore {
  store: FullStore;
  dataDir: string;
  /** Opens one more connection to the same database. */
  another(): Promise<FullStore>;
  /** Closes all of them and removes the folder. */
  dispose(): Promise<void>;
}

/** As they are built, which start sooner, and with one reader. */
export const builtThreads: ThreadsOptions = {
  readers: 1,
  workerFile: pathToFileURL(resolve("dist/sqlite-worker.js")),
};

/** As a server opens it, in threads. */
export const openThreadedStore = (clock?: Clock): Promise<TemporaryStore> =>
  openTemporaryStore(clock, builtThreads);

/** A real SQLite store in a folder of its own. */
export async function openTemporaryStore(clock?: Clock, threads?: ThreadsOptions): Promise<TemporaryStore> {
  const dataDir = await newDatabaseFolder("sotto-store-");
  await writeFile(databasePath(dataDir), await newDatabase(testPlan), { mode: 0o600 });
  const opened: FullStore[] = [];
  const another = async (): Promise<FullStore> => {
    const options = { path: databasePath(dataDir), defaultPlan: testPlan, threads };
    const store = await openSqliteStore(clock === undefined ? options : { ...options, clock });
    opened.push(store);
    return store;
  };
  const dispose = async (): Promise<void> => {
    await Promise.all(opened.map((store) => store.close()));
    await rm(dataDir, { recursive: true, force: true });
  };
  return { store: await another(), dataDir, another, dispose };
}

/** By the plan that is in them. */
const migrated = new Map<string, Promise<Buffer>>();

/** The file of a new database. It is migrated once for each test file: every store is opened on a copy. */
export function newDatabase(plan: Plan): Promise<Buffer> {
  const key = JSON.stringify(plan);
  const database = migrated.get(key) ?? migrateOne(plan);
  migrated.set(key, database);
  return database;
}

async function migrateOne(plan: Plan): Promise<Buffer> {
  const dataDir = await newDatabaseFolder("sotto-store-");
  try {
    const store = await openSqliteStore({ path: databasePath(dataDir), defaultPlan: plan });
    await store.close();
    // What was written may still be in the file beside it.
    const database = new Database(databasePath(dataDir));
    database.pragma("wal_checkpoint(truncate)");
    database.close();
    return await readFile(databasePath(dataDir));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
