/**
 * Migrates a database to the schema of this version. Migrations are numbered and applied in order, each in its own
 * transaction, which holds a lock against other processes and records the migration. If a process dies half-way, the
 * next one continues from there. Of several that open a database at the same time, one applies a migration; the
 * others wait for the lock, check again and continue after it.
 *
 * The table `migrations` belongs to this file, not to a migration. Each row notes the version that applied it; that
 * column is added to the table of 0.1.0 with the next migration.
 */
import { packageVersion } from "../../adapters/program-files.js";
import * as firstRelease from "./migrations/0017-first-release.js";
import * as factors from "./migrations/0018-factors.js";
import * as singleSignOn from "./migrations/0019-single-sign-on.js";
import * as events from "./migrations/0020-events.js";
import * as teams from "./migrations/0021-teams.js";
import * as keyScopes from "./migrations/0022-key-scopes.js";
import * as scim from "./migrations/0023-scim.js";
import * as auditKey from "./migrations/0024-audit-key.js";
import type { Migration, MigrationContext } from "./migration.js";
import type { Db, DbTransaction } from "./schema.js";
import { StoreError } from "../store-error.js";

/** 0.1.0 got here in 17 steps, which are one now. Databases from before it have fewer. */
const firstReleased = 17;

/** Never reorder, edit or remove one that was released: databases have applied it. */
export const migrations: readonly Migration[] = [
  { number: firstReleased, name: "0017-first-release", ...firstRelease },
  { number: 18, name: "0018-factors", ...factors },
  { number: 19, name: "0019-single-sign-on", ...singleSignOn },
  { number: 20, name: "0020-events", ...events },
  { number: 21, name: "0021-teams", ...teams },
  { number: 22, name: "0022-key-scopes", ...keyScopes },
  { number: 23, name: "0023-scim", ...scim },
  { number: 24, name: "0024-audit-key", ...auditKey },
];

export const lastNumber = (known: readonly Migration[]): number => known.at(-1)?.number ?? 0;

export interface MigrateOptions {
  /** Blocks other processes until the transaction ends, where beginning it does not do so already. */
  lock?: (transaction: DbTransaction) => Promise<void>;
  /** Whether the table `migrations` exists, where the database has a quicker way to find out. */
  hasBookkeeping?: (db: Db) => Promise<boolean>;
  /** Others than those of this version, for tests. */
  migrations?: readonly Migration[];
  /** Called before the first one is applied to a database that is not new; what it rejects with ends the migration. */
  beforeUpgrade?: (applied: number) => Promise<void>;
  /** How to go back to at most so many migrations, for the message that refuses a newer database; null for a backup only. */
  wayBack?: (known: number) => string | null;
}

/** What a database says about itself. */
export interface Bookkeeping {
  /** The number of the last migration that it has applied; 0 where it has no tables yet. */
  applied: number;
  /** The version that applied the last one; null where there is none, or it is not noted. */
  version: string | null;
}

/** Its table has no column for it. */
const firstVersion = "0.1.0";

const restoreBackup = "To go back, restore a backup from before the upgrade.";

export async function migrate(
  db: Db,
  context: MigrationContext,
  options: MigrateOptions = {},
): Promise<void> {
  const { lock, hasBookkeeping = isListed, migrations: wanted = migrations, wayBack } = options;
  // Usually there is nothing to do, and no need to wait for the lock.
  const found = await readBookkeeping(db, hasBookkeeping);
  if (found.applied === lastNumber(wanted)) return;
  requireKnown(found, wanted, wayBack);
  if (found.applied > 0) await options.beforeUpgrade?.(found.applied);
  for (let isDone = false; !isDone;) {
    isDone = await db.transaction().execute(async (transaction) => {
      await lock?.(transaction);
      const now = await readBookkeeping(transaction, hasBookkeeping);
      requireKnown(now, wanted, wayBack);
      const next = wanted.find(({ number }) => number > now.applied);
      if (next === undefined) return true;
      await prepareBookkeeping(transaction);
      await next.up(transaction, context);
      await transaction
        .insertInto("migrations")
        .values({
          number: next.number,
          name: next.name,
          applied_at: Date.now(),
          version: packageVersion(),
        })
        .execute();
      return next.number === lastNumber(wanted);
    });
  }
}

function requireKnown(
  { applied, version }: Bookkeeping,
  wanted: readonly Migration[],
  wayBack: MigrateOptions["wayBack"],
): void {
  const known = lastNumber(wanted);
  if (applied <= known) return;
  throw new StoreError(
    `The database was migrated by a newer version of Sotto, ${version ?? "which it does not name"} (step ${applied}), and this is ${packageVersion()} (step ${known})`,
    `Start that version or a newer one. ${wayBack?.(known) ?? restoreBackup}`,
  );
}

/** The last migration of a database, which is not changed. Rejects with `StoreError` where it is too old. */
export async function readBookkeeping(
  db: Db,
  hasBookkeeping: (db: Db) => Promise<boolean> = isListed,
): Promise<Bookkeeping> {
  const row = (await hasBookkeeping(db)) ? await lastMigration(db) : undefined;
  if (row === undefined) return { applied: 0, version: null };
  if (row.number < firstReleased)
    throw new StoreError(
      `The database is from before Sotto ${firstVersion} (step ${row.number}), and this version cannot migrate it`,
      `Start ${firstVersion} on it once, then this version.`,
    );
  return { applied: row.number, version: "version" in row ? row.version : firstVersion };
}

const lastMigration = (db: Db) =>
  db.selectFrom("migrations").selectAll().orderBy("number", "desc").limit(1).executeTakeFirst();

async function prepareBookkeeping(transaction: DbTransaction): Promise<void> {
  await createBookkeeping(transaction);
  const row = await lastMigration(transaction);
  if (row === undefined || "version" in row) return;
  await transaction.schema.alterTable("migrations").addColumn("version", "text").execute();
}

async function createBookkeeping(transaction: DbTransaction): Promise<void> {
  await transaction.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("number", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("applied_at", "bigint", (column) => column.notNull())
    .addColumn("version", "text")
    .execute();
}

const isListed = async (db: Db): Promise<boolean> =>
  (await db.introspection.getTables()).some((table) => table.name === "migrations");
