/** What an upgrade of the configured database would do. Reads only. */
import { existsSync } from "node:fs";
import type { Config } from "../config.js";
import { lastNumber, migrations, readBookkeeping, type Bookkeeping } from "./sql/migrate.js";
import { type Db, primaryKeys, type Schema } from "./sql/schema.js";
import { countRows } from "./sql/statements.js";
import { cannotOpenSqlite, connectSqlite, databasePath, openDatabase } from "./sql/sqlite.js";
import { copiesFolder, listUpgradeCopies, roomForCopy, type UpgradeCopy } from "./sql/upgrade-copy.js";
import { StoreError } from "./store-error.js";

export interface UpgradeReport extends Bookkeeping {
  database: "sqlite" | "postgres";
  /** The file, or the database and its server. */
  place: string;
  /** The number of this version's last migration. */
  known: number;
  /** Migrations that would be applied, by name. None for a database that does not exist yet. */
  pending: readonly string[];
  /** By table. */
  rows: Record<string, number>;
  /** The copy that would be taken first; null where none is. */
  copy: { folder: string; copyBytes: number; freeBytes: number } | null;
  /** Those that are there, the newest first. */
  copies: readonly UpgradeCopy[];
}

const known = lastNumber(migrations);

/** Rejects with `StoreError` where the database cannot be read. */
export async function reportUpgrade({
  service,
  storage,
}: Pick<Config, "service" | "storage">): Promise<UpgradeReport> {
  if (storage.databaseUrl !== undefined) return reportPostgres(storage.databaseUrl);
  const path = databasePath(service.dataDir);
  const place = { database: "sqlite", place: path, copies: listUpgradeCopies(path) } as const;
  if (!existsSync(path))
    return { ...place, applied: 0, version: null, known, pending: [], rows: {}, copy: null };
  const db = connectSqlite(await openDatabase(path));
  try {
    const found = await reportOn(db, await readBookkeeping(db));
    const takesCopy = storage.upgradeCopyDays > 0 && found.pending.length > 0;
    const copy = takesCopy ? { folder: copiesFolder(path), ...(await roomForCopy(path)) } : null;
    return { ...place, ...found, copy };
  } catch (error) {
    throw error instanceof StoreError ? error : cannotOpenSqlite(path, error);
  } finally {
    await db.destroy();
  }
}

async function reportPostgres(url: string): Promise<UpgradeReport> {
  // Imported here, since most installations do without.
  const { connectPatiently, postgresMigration } = await import("./sql/postgres.js");
  const { cannotOpenPostgres, placeOf } = await import("./sql/postgres-address.js");
  const db = connectPatiently(url);
  try {
    const found = await reportOn(db, await readBookkeeping(db, postgresMigration.hasBookkeeping));
    return { database: "postgres", place: placeOf(url), ...found, copy: null, copies: [] };
  } catch (error) {
    throw cannotOpenPostgres(url, error);
  } finally {
    await db.destroy();
  }
}

async function reportOn(db: Db, found: Bookkeeping) {
  const isNew = found.applied === 0;
  return {
    ...found,
    known,
    pending: migrations.filter(({ number }) => !isNew && number > found.applied).map(({ name }) => name),
    rows: isNew ? {} : await countAll(db),
  };
}

async function countAll(db: Db): Promise<Record<string, number>> {
  const existing = new Set((await db.introspection.getTables()).map(({ name }) => name));
  const tables = (Object.keys(primaryKeys) as (keyof Schema)[]).filter((name) => existing.has(name));
  const counts: Record<string, number> = {};
  for (const table of tables) counts[table] = await countRows(db, table);
  return counts;
}
