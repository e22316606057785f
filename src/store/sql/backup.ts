/** A consistent copy of the SQLite database, while others continue to write. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "libsql";
import { lastBackupSetting } from "../../core/admin/checklist.js";
import { openDatabase } from "./sqlite.js";
import { StoreError } from "../store-error.js";

/** Returns the size of the copy, and notes `now` in the original. Rejects with `StoreError`. */
export async function backUpSqlite(path: string, file: string, now: Date): Promise<number> {
  return copySqlite(path, file, (database) => {
    note(database, now);
  });
}

/** Returns the size of the copy, which is on disk when `done` is called. Rejects with `StoreError`. */
export async function copySqlite(
  path: string,
  file: string,
  done?: (original: Database.Database) => void,
): Promise<number> {
  if (!existsSync(path)) {
    throw new StoreError(`There is no database at ${path}. Name the data directory with --data-dir.`);
  }
  createForOwner(file);
  try {
    const database = await openDatabase(path);
    try {
      // Into the empty file that was just created, which keeps its mode.
      database.prepare("vacuum into ?").run([file]);
      syncToDisk(file);
      syncToDisk(dirname(file));
      done?.(database);
    } finally {
      database.close();
    }
    return statSync(file).size;
  } catch (error) {
    rmSync(file, { force: true });
    throw error instanceof StoreError ? error : cannotWrite(file, error);
  }
}

/** For the operator's checklist. A backup that cannot be noted, on a full disk for example, is still a backup. */
function note(database: Database.Database, now: Date): void {
  try {
    database
      .prepare(
        `insert into settings (name, value) values (?, ?)
          on conflict (name) do update set value = excluded.value`,
      )
      .run([lastBackupSetting, now.toISOString()]);
  } catch {
    return;
  }
}

/** Hashes of passwords and keys are in it. Never over another file. */
function createForOwner(file: string): void {
  try {
    writeFileSync(file, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function cannotWrite(file: string, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : "unknown error";
  return new StoreError(
    `The backup ${file} cannot be written: ${reason}. Choose a file that does not exist yet, on a disk with room for it.`,
  );
}
