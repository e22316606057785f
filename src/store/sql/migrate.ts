/**
 * Migrates a database to the schema of this version. Migrations are numbered and applied in order, each in its own
 * transaction, which holds a lock against other processes and records the migration. If a process dies half-way, the
 * next one continues from there. Of several that open a database at the same time, one applies a migration; the
 * others wait for the lock, check again and continue after it.
 */
import type { Kysely, Transaction } from "kysely";
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
}

export async function migrate(
  db: Kysely<Schema>,
  context: MigrationContext,
  options: MigrateOptions = {},
): Promise<void> {
  const { lock, hasBookkeeping = isListed, migrations: wanted = migrations } = options;
  // Usually there is nothing to do, and no need to wait for the lock.
  while ((await countApplied(db, hasBookkeeping)) !== wanted.length) {
    await db.transaction().execute(async (transaction) => {
      await lock?.(transaction);
      const applied = await countApplied(transaction, hasBookkeeping);
      requireKnown(applied, wanted.length);
      const next = wanted[applied];
      if (next === undefined) return;
      await createBookkeeping(transaction);
      await next.up(transaction, context);
      await transaction
        .insertInto("migrations")
        .values({ number: applied + 1, name: next.name, applied_at: Date.now() })
        .execute();
    });
  }
}

function requireKnown(applied: number, known: number): void {
  if (applied <= known) return;
  throw new StoreError(
    `The database was created or migrated by a newer version of Sotto (it is at step ${applied}, this version knows ${known}). Start that version or a newer one.`,
  );
}

async function createBookkeeping(transaction: Transaction<Schema>): Promise<void> {
  await transaction.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("number", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("applied_at", "bigint", (column) => column.notNull())
    .execute();
}

const isListed = async (db: Kysely<Schema>): Promise<boolean> =>
  (await db.introspection.getTables()).some((table) => table.name === "migrations");

/** How many migrations the database has applied. */
async function countApplied(
  db: Kysely<Schema>,
  hasBookkeeping: (db: Kysely<Schema>) => Promise<boolean>,
): Promise<number> {
  if (!(await hasBookkeeping(db))) return 0;
  const row = await db
    .selectFrom("migrations")
    .select((select) => select.fn.max("number").as("last"))
    .executeTakeFirst();
  return row?.last ?? 0;
}
