/**
 * The copy of a SQLite database that is taken before migrations run, so that an upgrade can be undone: in the folder
 * `upgrade-copies` of the data directory, named by the last migration that it has applied and the time. The newest three are
 * kept, and none for longer than the operator set: accounts that are deleted meanwhile are still in them.
 *
 * Without room for it, the database is not migrated. Several processes that open the database at the same time may take
 * one each; a copy that one of them took of what another had migrated already is deleted.
 */
import { readdirSync, rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../adapters/make-folder.js";
import { copySqlite } from "./backup.js";
import { readBookkeeping, type MigrateOptions } from "./migrate.js";
import { connectSqlite, openDatabase } from "./sqlite.js";
import { connect } from "./sqlite/connection.js";
import { StoreError } from "../store-error.js";

const mostCopies = 3;
const dayMs = 24 * 60 * 60_000;
const namePattern = /^sotto-step-(\d+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.db$/;

export interface UpgradeCopy {
  file: string;
  /** The number of the last migration that it has applied. */
  step: number;
  takenAt: Date;
}

/** Of the database at `path`. */
export const copiesFolder = (path: string): string => join(dirname(path), "upgrade-copies");

export interface UpgradeCopyOptions {
  /** How long copies are kept; 0 takes none. */
  days: number;
  onCopied?: ((file: string) => void) | undefined;
}

/** For the migration of the database at `path`. */
export const withUpgradeCopy = (
  path: string,
  { days, onCopied }: UpgradeCopyOptions,
): Pick<MigrateOptions, "beforeUpgrade" | "wayBack"> => ({
  beforeUpgrade: async (applied) => {
    if (days === 0) return;
    const file = await takeUpgradeCopy(path, applied, new Date());
    if (file !== null) onCopied?.(file);
  },
  wayBack: (known) => describeWayBack(path, known),
});

/** Null where another process has migrated it meanwhile. Rejects with `StoreError`. */
async function takeUpgradeCopy(path: string, step: number, now: Date): Promise<string | null> {
  const folder = copiesFolder(path);
  const file = join(folder, `sotto-step-${step}-${now.toISOString().replace(/[-:.]/g, "")}.db`);
  try {
    const { copyBytes, freeBytes } = await roomForCopy(path);
    if (freeBytes < copyBytes)
      throw new Error(`it needs ${megabytes(copyBytes)}, ${megabytes(freeBytes)} are free`);
    makeFolder(folder);
    await copySqlite(path, file);
  } catch (error) {
    throw refusal(folder, error);
  }
  if ((await stepOf(file)) !== step) {
    rmSync(file);
    return null;
  }
  for (const old of listUpgradeCopies(path).slice(mostCopies)) rmSync(old.file, { force: true });
  return file;
}

/** The newest first. */
export function listUpgradeCopies(path: string): UpgradeCopy[] {
  const folder = copiesFolder(path);
  return namesIn(folder)
    .flatMap((name): UpgradeCopy[] => {
      const [, step, year, month, day, hour, minute, second, ms] = namePattern.exec(name) ?? [];
      if (step === undefined) return [];
      const takenAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
      return [{ file: join(folder, name), step: Number(step), takenAt }];
    })
    .sort((a, b) => b.takenAt.getTime() - a.takenAt.getTime());
}

/** Deletes those that were taken more than `days` ago. */
export function removeOldUpgradeCopies(path: string, days: number, now: Date): void {
  const kept = now.getTime() - days * dayMs;
  for (const { file, takenAt } of listUpgradeCopies(path))
    if (takenAt.getTime() < kept) rmSync(file, { force: true });
}

/** How to undo an upgrade, for a version whose last migration is `known`. */
function describeWayBack(path: string, known: number): string | null {
  const copy = listUpgradeCopies(path).find(({ step }) => step <= known);
  if (copy === undefined) return null;
  return `To go back to ${copy.takenAt.toISOString()}, before the upgrade, and lose what was written since: stop all servers, put a copy of ${copy.file} in place of ${path}, and delete ${path}-wal and ${path}-shm.`;
}

/** What a copy takes at most, and what is free on its disk. */
export async function roomForCopy(path: string): Promise<{ copyBytes: number; freeBytes: number }> {
  const database = await openDatabase(path);
  const read = (name: string): number => Number(database.prepare(`pragma ${name}`).pluck().all()[0]);
  const pages = read("page_count") - read("freelist_count");
  const copyBytes = pages * read("page_size");
  database.close();
  const { bavail, bsize } = await statfs(dirname(path));
  return { copyBytes, freeBytes: bavail * bsize };
}

async function stepOf(file: string): Promise<number> {
  const db = connectSqlite(connect(file));
  try {
    return (await readBookkeeping(db)).applied;
  } finally {
    await db.destroy();
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e5) / 10} MB`;

function refusal(folder: string, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : "unknown error";
  return new StoreError(
    `The database was not migrated, since the copy that is taken first cannot be written to ${folder}: ${reason}`,
    "Make room on that disk and start again. Or write a backup to another one ('sotto backup <file>'), then start with SOTTO_UPGRADE_COPY_DAYS=0, which takes no copy.",
  );
}
