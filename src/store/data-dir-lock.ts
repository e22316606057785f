/**
 * One server for each data directory. Two would each count limits for themselves and write over each other's
 * weights. The lock is SQLite's own exclusive lock on an empty file beside the database: the operating system
 * gives it up with the process, however that ends, so there is never a stale one to remove by hand. Commands
 * of the command line do not take it; they are meant to work beside a running server.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { StoreFault } from "./store-fault.js";

export interface DataDirLock {
  release(): void;
}

export function lockDataDir(dataDir: string): DataDirLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const pidFile = join(dataDir, "server.pid");
  const lock = new Database(join(dataDir, "server.lock"), { timeout: 0 });
  try {
    // In memory: the lock is all that is wanted, and it must be had on a full disk too.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") {
      throw inUse(dataDir, pidFile);
    }
    throw error;
  }
  notePid(pidFile);
  return {
    release: () => {
      rmSync(pidFile, { force: true });
      // Closing alone gives a lock back only when the garbage collector comes by.
      lock.exec("ROLLBACK");
      lock.close();
    },
  };
}

function inUse(dataDir: string, pidFile: string): StoreFault {
  const pid = readPid(pidFile);
  return new StoreFault(
    `Another Sotto server${pid === null ? "" : ` (process ${pid})`} runs on the data directory ${dataDir}. Stop it, or choose another directory with --data-dir.`,
  );
}

/** Only for the sentence above; a disk without room for it is no reason not to start. */
function notePid(pidFile: string): void {
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch {
    rmSync(pidFile, { force: true });
  }
}

function readPid(pidFile: string): string | null {
  try {
    return /^\d+/.exec(readFileSync(pidFile, "utf8"))?.[0] ?? null;
  } catch {
    return null;
  }
}
