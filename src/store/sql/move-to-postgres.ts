/** Moves an installation from SQLite to Postgres: both are migrated to this version's schema, then copied. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Plan } from "../../core/entities.js";
import { copyStore, type CopyOptions } from "./copy-store.js";
import { lockDataDir } from "../data-dir-lock.js";
import { connectPostgres, openPostgresStore } from "./postgres.js";
import { connectSqlite, openDatabase, openSqliteStore } from "./sqlite.js";
import { withUpgradeCopy } from "./upgrade-copy.js";
import { StoreError } from "../store-error.js";

/** Long enough for a batch on a busy server. */
const statementTimeoutMs = 120_000;

export interface MoveOptions {
  /** The SQLite file. */
  path: string;
  url: string;
  defaultPlan: Plan;
  upgradeCopyDays: number;
  onProgress?: CopyOptions["onProgress"];
}

/**
 * Rejects with `StoreError`, also when a server is running on the data directory; none can start until the copy is
 * done. The source stays as it is.
 */
export async function moveToPostgres(options: MoveOptions): Promise<Record<string, number>> {
  const { path } = options;
  if (!existsSync(path)) {
    throw new StoreError(`There is no database at ${path}. Name the data directory with --data-dir.`);
  }
  const lock = lockDataDir(dirname(path), "store copy");
  try {
    return await copyLocked(options);
  } finally {
    lock.release();
  }
}

async function copyLocked({ path, url, defaultPlan, upgradeCopyDays: days, onProgress }: MoveOptions) {
  await (await openSqliteStore({ path, defaultPlan, upgrade: withUpgradeCopy(path, { days }) })).close();
  await (await openPostgresStore({ url, poolSize: 1, defaultPlan })).close();

  const database = await openDatabase(path);
  const source = connectSqlite(database);
  const target = connectPostgres(url, {
    max: 1,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs,
    // While it waits for the source, and while rows are compared.
    idle_in_transaction_session_timeout: 0,
  });
  // Changes when another connection commits.
  const readVersion = (): unknown => database.prepare("pragma data_version").pluck().all()[0];
  let version = readVersion();
  const wasSourceWritten = (): boolean => {
    const before = version;
    version = readVersion();
    return before !== version;
  };
  try {
    return await copyStore({ source, target, wasSourceWritten, ...(onProgress && { onProgress }) });
  } finally {
    await target.destroy();
    await source.destroy();
  }
}
