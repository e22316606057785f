/**
 * The embedded database: one SQLite file, shared by the server and the command line. With write-ahead logging,
 * readers are not blocked while one process writes; every commit is on disk before it is reported; a process that
 * finds another one writing waits up to five seconds.
 *
 * libsql is synchronous: it blocks the calling thread. A read takes microseconds. A commit waits for the disk
 * (fsync), from a fraction of a millisecond on an SSD to tens of them on a slow or busy disk, and for another process
 * that is writing. A server therefore opens its connections in threads (see sqlite/thread-dialect.ts), where several
 * writes can share one commit. Commands use one connection on their own thread: starting threads would take longer
 * than their work.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type Database from "libsql";
import {
  CompiledQuery,
  Kysely,
  SqliteDriver,
  sql,
  type DatabaseConnection,
  type SqliteDatabase,
} from "kysely";
import { makeFolder } from "../../adapters/make-folder.js";
import { StoreUnavailable } from "../../core/store.js";
import { systemClock, type Clock } from "../../core/clock.js";
import type { Plan } from "../../core/entities.js";
import { findDataDirError, findFileError } from "../data-dir-error.js";
import { migrate, type MigrateOptions } from "./migrate.js";
import type { Db, Schema } from "./schema.js";
import { FullStore } from "../full-store.js";
import { busyTimeoutMs, connect, setUp } from "./sqlite/connection.js";
import { sqliteDialect, threadDialect, type ThreadsOptions } from "./sqlite/thread-dialect.js";
import { StoreError } from "../store-error.js";
import { asStoreError, type OnUnavailable } from "./unavailable.js";

export interface SqliteStoreOptions {
  path: string;
  /** Inserted when the database is created; from then on the row in the database counts. */
  defaultPlan: Plan;
  clock?: Clock;
  onUnavailable?: OnUnavailable;
  /** Runs the database in threads; `{}` for the usual limits. Without it, calls are synchronous. */
  threads?: ThreadsOptions | undefined;
  upgrade?: Pick<MigrateOptions, "beforeUpgrade" | "wayBack">;
}

/** The database file of a data directory. */
export const databasePath = (dataDir: string): string => join(dataDir, "sotto.db");

/** Opens the database, creating and migrating it where needed. Rejects with `StoreError` when it cannot. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<FullStore> {
  const { path, defaultPlan, clock = systemClock, onUnavailable, threads, upgrade } = options;
  const database = await openDatabase(path);
  const db = connectSqlite(database, onUnavailable);
  try {
    await migrate(db, { bytesType: "blob", defaultPlan }, upgrade);
  } catch (error) {
    await db.destroy();
    throw error instanceof StoreError ? error : cannotOpenSqlite(path, error);
  }
  if (threads === undefined) return new FullStore(db, clock);
  // The file is opened and migrated here first, so that the start reports what is wrong with it.
  await db.destroy();
  const threaded = new Kysely<Schema>({ dialect: threadDialect(path, threads, onUnavailable) });
  // Kysely neither starts nor closes a driver that has not been used.
  await sql`pragma user_version`.execute(threaded);
  return new FullStore(threaded, clock);
}

/** A synchronous connection, for Kysely. */
export const connectSqlite = (database: Database.Database, onUnavailable?: OnUnavailable): Db =>
  new Kysely<Schema>({
    dialect: sqliteDialect(() => new ImmediateDriver({ database: guarded(database, onUnavailable) })),
  });

/** Creates the file where it does not exist. Rejects with `StoreError`. */
export async function openDatabase(path: string): Promise<Database.Database> {
  let database: Database.Database | undefined;
  try {
    createPrivately(path);
    database = connect(path);
    await enterWalMode(database);
    setUp(database);
    return database;
  } catch (error) {
    database?.close();
    throw cannotOpenSqlite(path, error);
  }
}

/**
 * SQLite would create the file readable to everyone; its side files take the mode of the main one. A file
 * that exists is not even opened: closing it again would drop the locks this process holds on it (POSIX
 * locks belong to the process, not to the descriptor).
 */
function createPrivately(path: string): void {
  makeFolder(dirname(path));
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

/**
 * The change to write-ahead logging is the one statement for which SQLite does not wait out a busy
 * database (seen when several processes open a new file at the same time), so it is retried here.
 */
async function enterWalMode(database: Database.Database): Promise<void> {
  const giveUpAtMs = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      database.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (!hasCode(error, "SQLITE_BUSY") || performance.now() > giveUpAtMs) throw error;
      await sleep(20);
    }
  }
}

/**
 * Takes the write lock when a transaction begins. SQLite's default takes it at the first write, and fails
 * without waiting when another process wrote in between.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /**
   * On a full disk SQLite has already rolled back, and reports that no transaction is active. That must not hide the
   * original error.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!/no transaction is active/.test(String(error))) throw error;
    }
  }
}

/** Translates temporary errors, such as a full disk, to `StoreUnavailable`. */
function guarded(database: Database.Database, onUnavailable: OnUnavailable): SqliteDatabase {
  const translated = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw asStoreError(error, onUnavailable);
    }
  };
  return {
    prepare: (text) => {
      const statement = translated(() => database.prepare(text));
      return {
        reader: statement.reader,
        all: (parameters) => translated(() => statement.all(parameters)),
        run: (parameters) => translated(() => statement.run(parameters)),
        iterate: (parameters) => statement.iterate(parameters),
      };
    },
    close: () => {
      database.close();
    },
  };
}

/** For the operator: what is wrong with the file or its directory, and how to fix it. */
export function cannotOpenSqlite(path: string, error: unknown): StoreError {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  const where = `The database ${path} cannot be opened`;
  if (hasCode(cause, "SQLITE_NOTADB") || hasCode(cause, "SQLITE_CORRUPT")) {
    return new StoreError(
      `${where}: the file is damaged, or is not a database`,
      "Keep a copy of it, then restore a backup (docs/operating.md), or choose another directory with --data-dir.",
    );
  }
  if (hasCode(cause, "SQLITE_BUSY")) {
    return new StoreError(`${where}: another process has been writing to it for too long`, "Try again.");
  }
  const found = findDataDirError(dirname(path)) ?? findFileError(path);
  if (found !== null) return new StoreError(`${where}: ${found.reason}`, found.next);
  const reason = cause instanceof Error ? cause.message : "unknown error";
  return new StoreError(`${where}: ${reason}`, "Check its disk, and run 'sotto doctor'.");
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
