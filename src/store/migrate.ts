/**
 * Brings a database to the shape this version knows. Migrations are numbered and applied in order, all of
 * them in one transaction that holds the database's write lock, and each is recorded. Of two processes that
 * open a new database at once, the second waits for the lock, looks again and finds nothing to do. A
 * process that dies half-way leaves the database as it was.
 */
import type { Kysely, Transaction } from "kysely";
import type { Plan } from "../core/ports.js";
import * as accountsAndKeys from "./migrations/0001-accounts-and-keys.js";
import * as dashboard from "./migrations/0002-dashboard.js";
import * as keyLimits from "./migrations/0004-key-limits.js";
import type { Schema } from "./schema.js";
import { StoreFault } from "./store-fault.js";

/** Never reorder, edit or remove one that was released: databases have it behind them. */
const migrations: readonly Migration[] = [
  { name: "0001-accounts-and-keys", ...accountsAndKeys },
  { name: "0002-dashboard", ...dashboard },
  { name: "0004-key-limits", ...keyLimits },
];

/** What a migration may need beside the connection. */
export interface MigrationContext {
  /** How this database calls a column of bytes. */
  bytesType: "blob" | "bytea";
  /** The plan that a new database starts with. */
  defaultPlan: Plan;
}

interface Migration {
  name: string;
  up: (db: Transaction<Schema>, context: MigrationContext) => Promise<void>;
}

/** `lock` makes other processes wait until the transaction ends, where beginning it does not do so already. */
export async function migrate(
  db: Kysely<Schema>,
  context: MigrationContext,
  lock: (transaction: Transaction<Schema>) => Promise<void> = async () => {},
): Promise<void> {
  // Most openings find nothing to do, and then no one should have to wait for the lock.
  if ((await countApplied(db)) === migrations.length) return;

  await db.transaction().execute(async (transaction) => {
    await lock(transaction);
    const applied = await countApplied(transaction);
    if (applied > migrations.length) {
      throw new StoreFault(
        `The database was made by a newer version of Sotto (it is at step ${applied}, this version knows ${migrations.length}). Start that version or a newer one.`,
      );
    }
    await transaction.schema
      .createTable("migrations")
      .ifNotExists()
      .addColumn("number", "integer", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("applied_at", "bigint", (column) => column.notNull())
      .execute();
    for (const [index, { name, up }] of migrations.entries()) {
      if (index < applied) continue;
      await up(transaction, context);
      await transaction
        .insertInto("migrations")
        .values({ number: index + 1, name, applied_at: Date.now() })
        .execute();
    }
  });
}

/** How many migrations the database has behind it. */
async function countApplied(db: Kysely<Schema>): Promise<number> {
  const tables = await db.introspection.getTables();
  if (!tables.some((table) => table.name === "migrations")) return 0;
  const row = await db
    .selectFrom("migrations")
    .select((select) => select.fn.max("number").as("last"))
    .executeTakeFirst();
  return row?.last ?? 0;
}
