/**
 * One server for each data directory. Two would each count limits for themselves and write over each other's
 * weights. The lock is SQLite's own exclusive lock on an empty file next to the database: the operating system
 * releases it when the process ends for any reason, so there is never a stale one to remove by hand.
 *
 * Commands do not take it, since they work alongside a running server, except for the one that copies the database to
 * Postgres: what a server wrote afterwards would be lost.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { makeFolder } from "../adapters/make-folder.js";
import { findDataDirError, findFileError } from "./data-dir-error.js";
import { StoreError } from "./store-error.js";

export interface DataDirLock {
  release(): void;
}

/** The holder, for the message to others. */
type Holder = "server" | "store copy";

/** Throws `StoreError`, naming the holder, when another process has it. */
export function lockDataDir(dataDir: string, holder: Holder = "server"): DataDirLock {
  const pidFile = join(dataDir, "server.pid");
  const lock = openLock(dataDir);
  try {
    // In memory: only the lock is needed, and it must be possible on a full disk, too.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") {
      throw inUse(dataDir, pidFile, holder);
    }
    throw unusable(dataDir, error);
  }
  noteHolder(pidFile, holder);
  return {
    release: () => {
      rmSync(pidFile, { force: true });
      // Closing alone releases the lock only at the next garbage collection.
      lock.exec("ROLLBACK");
      lock.close();
    },
  };
}

function openLock(dataDir: string): Database.Database {
  try {
    makeFolder(dataDir);
    return new Database(join(dataDir, "server.lock"), { timeout: 0 });
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

function unusable(dataDir: string, error: unknown): StoreError {
  const found = findDataDirError(dataDir) ?? findFileError(join(dataDir, "server.lock"));
  if (found !== null) return new StoreError(found.reason, found.next);
  const reason = error instanceof Error ? error.message : "unknown error";
  return new StoreError(
    `The data directory ${dataDir} cannot be locked: ${reason}`,
    "Check its file system, or choose another directory with --data-dir.",
  );
}

function inUse(dataDir: string, pidFile: string, wantedBy: Holder): StoreError {
  const { pid, isCopy } = readHolder(pidFile);
  const process = pid === null ? "" : ` (process ${pid})`;
  if (isCopy) {
    return new StoreError(
      `'sotto store copy'${process} is copying the database in the data directory ${dataDir}. Wait until it has finished.`,
    );
  }
  if (wantedBy === "store copy") {
    return new StoreError(
      `A Sotto server${process} is running on the data directory ${dataDir}: what it writes after the copy would be lost. Stop it, then run this command again. Nothing was copied.`,
    );
  }
  return new StoreError(
    `Another Sotto server${process} is running on the data directory ${dataDir}. Stop it, or choose another directory with --data-dir.`,
  );
}

/** Only for the messages above: a full disk must not prevent a start. */
function noteHolder(pidFile: string, holder: Holder): void {
  try {
    writeFileSync(pidFile, `${process.pid} ${holder}\n`, { mode: 0o600 });
  } catch {
    rmSync(pidFile, { force: true });
  }
}

function readHolder(pidFile: string): { pid: string | null; isCopy: boolean } {
  try {
    const [, pid = null, holder = ""] = /^(\d+) ?(.*)/.exec(readFileSync(pidFile, "utf8")) ?? [];
    return { pid, isCopy: holder === "store copy" };
  } catch {
    return { pid: null, isCopy: false };
  }
}
