/**
 * Migrates a database to the schema of this version. Migrations are numbered and applied in order, each in its own
 * transaction, which holds a lock against other processes and records the migration. If a process dies half-way, the
 * next one continues from there. Of several that open a database at the same time, one applies a migration; the
 * others wait for the lock, check again and continue after it.
 *
 * The table `migrations` belongs to this file, not to a migration. Each row notes the version that applied it; that
 * column is added to the table of 0.1.0 with the next migration.
 */
import type { Kysely, Transaction } from "kysely";
import { packageVersion } from "../../adapters/program-files.js";
import * as accountsAndKeys from "./migrations/0001-accounts-and-keys.js";
import * as dashboard from "./migrations/0002-dashboard.js";
import * as changes from "./migrations/0003-changes.js";
import * as keyLimits from "./migrations/0004-key-limits.js";
import * as indices from "./migrations/0005-indices-and-deleted-accounts.js";
import * as usageFigures from "./migrations/0006-usage-figures.js";
import * as quotas from "./migrations/0007-quotas.js";
import * as tagsAndInvitations from "./migrations/0008-tags-lineage-and-invitations.js";
import * as serviceUsage from "./migrations/0009-service-usage.js";
import * as usageByDay from "./migrations/0010-usage-by-day.js";
import * as accountSearch from "./migrations/0011-account-search.js";
import * as usageBySpan from "./migrations/0012-usage-by-span.js";
import * as keyLineage from "./migrations/0013-key-lineage.js";
import * as linkKinds from "./migrations/0014-link-kinds.js";
import * as verifiedAddresses from "./migrations/0015-verified-addresses.js";
import * as proof from "./migrations/0016-proof.js";
import * as statementLog from "./migrations/0017-statement-log.js";
import * as factors from "./migrations/0018-factors.js";
import * as singleSignOn from "./migrations/0019-single-sign-on.js";
import * as events from "./migrations/0020-events.js";
import * as teams from "./migrations/0021-teams.js";
import * as keyScopes from "./migrations/0022-key-scopes.js";
import * as scim from "./migrations/0023-scim.js";
import * as auditKey from "./migrations/0024-audit-key.js";
import type { Migration, MigrationContext } from "./migration.js";
import type { Schema } from "./schema.js";
import { StoreError } from "../store-error.js";

/** Never reorder, edit or remove one that was released: databases have applied it. */
export const migrations: readonly Migration[] = [
  { name: "0001-accounts-and-keys", ...accountsAndKeys },
  { name: "0002-dashboard", ...dashboard },
  { name: "0003-changes", ...changes },
  { name: "0004-key-limits", ...keyLimits },
  { name: "0005-indices-and-deleted-accounts", ...indices },
  { name: "0006-usage-figures", ...usageFigures },
  { name: "0007-quotas", ...quotas },
  { name: "0008-tags-lineage-and-invitations", ...tagsAndInvitations },
  { name: "0009-service-usage", ...serviceUsage },
  { name: "0010-usage-by-day", ...usageByDay },
  { name: "0011-account-search", ...accountSearch },
  { name: "0012-usage-by-span", ...usageBySpan },
  { name: "0013-key-lineage", ...keyLineage },
  { name: "0014-link-kinds", ...linkKinds },
  { name: "0015-verified-addresses", ...verifiedAddresses },
  { name: "0016-proof", ...proof },
  { name: "0017-statement-log", ...statementLog },
  { name: "0018-factors", ...factors },
  { name: "0019-single-sign-on", ...singleSignOn },
  { name: "0020-events", ...events },
  { name: "0021-teams", ...teams },
  { name: "0022-key-scopes", ...keyScopes },
  { name: "0023-scim", ...scim },
  { name: "0024-audit-key", ...auditKey },
];

export interface MigrateOptions {
  /** Blocks other processes until the transaction ends, where beginning it does not do so already. */
  lock?: (transaction: Transaction<Schema>) => Promise<void>;
  /** Whether the table `migrations` exists, where the database has a quicker way to find out. */
  hasBookkeeping?: (db: Kysely<Schema>) => Promise<boolean>;
  /** Others than those of this version, for tests. */
  migrations?: readonly Migration[];
  /** Called before the first one is applied to a database that is not new; what it rejects with ends the migration. */
  beforeUpgrade?: (applied: number) => Promise<void>;
  /** How to go back to at most so many migrations, for the message that refuses a newer database; null for a backup only. */
  wayBack?: (known: number) => string | null;
}

/** What a database says about itself. */
export interface Bookkeeping {
  /** How many migrations it has applied; 0 where it has no tables yet. */
  applied: number;
  /** The version that applied the last one; null where there is none, or it is not noted. */
  version: string | null;
}

/** Its table has no column for it. */
const firstVersion = "0.1.0";

const restoreBackup = "To go back, restore a backup from before the upgrade.";

export async function migrate(
  db: Kysely<Schema>,
  context: MigrationContext,
  options: MigrateOptions = {},
): Promise<void> {
  const { lock, hasBookkeeping = isListed, migrations: wanted = migrations, wayBack } = options;
  // Usually there is nothing to do, and no need to wait for the lock.
  const found = await readBookkeeping(db, hasBookkeeping);
  if (found.applied === wanted.length) return;
  requireKnown(found, wanted.length, wayBack);
  if (found.applied > 0) await options.beforeUpgrade?.(found.applied);
  for (let isDone = false; !isDone;) {
    isDone = await db.transaction().execute(async (transaction) => {
      await lock?.(transaction);
      const now = await readBookkeeping(transaction, hasBookkeeping);
      requireKnown(now, wanted.length, wayBack);
      const next = wanted[now.applied];
      if (next === undefined) return true;
      await prepareBookkeeping(transaction);
      await next.up(transaction, context);
      await transaction
        .insertInto("migrations")
        .values({
          number: now.applied + 1,
          name: next.name,
          applied_at: Date.now(),
          version: packageVersion(),
        })
        .execute();
      return now.applied + 1 === wanted.length;
    });
  }
}

function requireKnown(
  { applied, version }: Bookkeeping,
  known: number,
  wayBack: MigrateOptions["wayBack"],
): void {
  if (applied <= known) return;
  throw new StoreError(
    `The database was migrated by a newer version of Sotto, ${version ?? "which it does not name"} (step ${applied}), and this is ${packageVersion()} (step ${known})`,
    `Start that version or a newer one. ${wayBack?.(known) ?? restoreBackup}`,
  );
}

/** The last migration of a database, which is not changed. */
export async function readBookkeeping(
  db: Kysely<Schema>,
  hasBookkeeping: (db: Kysely<Schema>) => Promise<boolean> = isListed,
): Promise<Bookkeeping> {
  const row = (await hasBookkeeping(db)) ? await lastMigration(db) : undefined;
  if (row === undefined) return { applied: 0, version: null };
  return { applied: row.number, version: "version" in row ? row.version : firstVersion };
}

const lastMigration = (db: Kysely<Schema>) =>
  db.selectFrom("migrations").selectAll().orderBy("number", "desc").limit(1).executeTakeFirst();

async function prepareBookkeeping(transaction: Transaction<Schema>): Promise<void> {
  await createBookkeeping(transaction);
  const row = await lastMigration(transaction);
  if (row === undefined || "version" in row) return;
  await transaction.schema.alterTable("migrations").addColumn("version", "text").execute();
}

async function createBookkeeping(transaction: Transaction<Schema>): Promise<void> {
  await transaction.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("number", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("applied_at", "bigint", (column) => column.notNull())
    .addColumn("version", "text")
    .execute();
}

const isListed = async (db: Kysely<Schema>): Promise<boolean> =>
  (await db.introspection.getTables()).some((table) => table.name === "migrations");
