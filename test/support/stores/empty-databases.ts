/** Empty databases, in the deep suite of both kinds, for tests that migrate them step by step. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Kysely } from "kysely";
import type { MigrateOptions } from "../../../src/store/sql/migrate.js";
import type { MigrationContext } from "../../../src/store/sql/migration.js";
import { connectPostgres, postgresMigration } from "../../../src/store/sql/postgres.js";
import type { Schema } from "../../../src/store/sql/schema.js";
import { connectSqlite, openDatabase } from "../../../src/store/sql/sqlite.js";
import { isDeep } from "../depth.js";
import { sharedPostgres } from "./postgres.js";
import { testPlan } from "./temporary-store.js";
import { newDatabaseFolder } from "../processes/run-folder.js";

export interface EmptyDatabase {
  db: Kysely<Schema>;
  context: MigrationContext;
  options: MigrateOptions;
  close: () => Promise<void>;
}

const databases: [name: string, open: () => Promise<EmptyDatabase>][] = [
  ["SQLite", openSqlite],
  ["Postgres", openPostgres],
];

export const emptyDatabases = isDeep ? databases : databases.slice(0, 1);

export async function openSqlite(): Promise<EmptyDatabase> {
  const folder = await newDatabaseFolder("sotto-migration-");
  const db = connectSqlite(await openDatabase(join(folder, "sotto.db")));
  const close = async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  return { db, context: { bytesType: "blob", defaultPlan: testPlan }, options: {}, close };
}

async function openPostgres(): Promise<EmptyDatabase> {
  const server = await sharedPostgres();
  const database = await server.createDatabase();
  const db = connectPostgres(server.url(database));
  const close = async () => {
    await db.destroy();
    await server.dropDatabase(database);
  };
  return { db, context: { bytesType: "bytea", defaultPlan: testPlan }, options: postgresMigration, close };
}
