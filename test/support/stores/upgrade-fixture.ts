/**
 * Data that an earlier version wrote: `test/fixtures/<version>/database.db.gz`, and in `expected.json` what must be found
 * in it. `scripts/upgrade-fixture.ts` writes both.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type Database from "libsql";
import { sql, type Kysely } from "kysely";
import { z } from "zod";
import { migrate } from "../../../src/store/sql/migrate.js";
import { connectPostgres, postgresMigration } from "../../../src/store/sql/postgres.js";
import type { Schema } from "../../../src/store/sql/schema.js";
import { connect } from "../../../src/store/sql/sqlite/connection.js";
import { migrationsUpTo } from "./old-database.js";
import { testPlan } from "./temporary-store.js";

const sums = z.object({ requests: z.number(), promptTokens: z.number(), completionTokens: z.number() });

const expectedSchema = z.object({
  /** The number of that version's last migration. */
  steps: z.number(),
  /** When it was last written to: its sessions and usage have expired by any later clock. */
  now: z.coerce.date(),
  /** Of `SOTTO_SECRET_KEY`. */
  secretKey: z.string(),
  password: z.string(),
  accounts: z.array(
    z.object({
      email: z.string(),
      role: z.string(),
      planId: z.string(),
      totpSecret: z.string().nullable(),
      usage: sums,
      keys: z.array(z.object({ secret: z.string(), status: z.number() })),
    }),
  ),
  team: z.object({ id: z.string(), name: z.string(), members: z.array(z.string()), usage: sums }),
  plan: z.object({ id: z.string(), requestsPerDay: z.number(), tokensPerMonth: z.number() }),
  /** Of the first account, on the last day. */
  quotaUsed: z.object({ requests: z.number(), tokens: z.number() }),
  webhooks: z.number(),
  changelog: z.array(z.string()),
  /** Of every table. */
  rows: z.record(z.string(), z.number()),
});
export type Expected = z.infer<typeof expectedSchema>;

/** Each released version that has data here. */
export const fixtureVersions = readdirSync("test/fixtures").filter((name) => /^\d+\.\d+\.\d+$/.test(name));

const fileOf = (version: string, name: string): Buffer => readFileSync(join("test/fixtures", version, name));

export const readExpected = (version: string): Expected =>
  expectedSchema.parse(JSON.parse(fileOf(version, "expected.json").toString("utf8")));

/** Writes the database to a new file. */
export function restoreSqlite(version: string, path: string): void {
  writeFileSync(path, gunzipSync(fileOf(version, "database.db.gz")), { mode: 0o600 });
}

/** The same rows in an empty Postgres database, in the tables that version had there. */
export async function restorePostgres(version: string, url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sotto-fixture-"));
  restoreSqlite(version, join(folder, "copy.db"));
  const source = connect(join(folder, "copy.db"));
  const db = connectPostgres(url, { max: 1 });
  try {
    const { steps } = readExpected(version);
    const context = { bytesType: "bytea", defaultPlan: testPlan } as const;
    await migrate(db, context, { ...postgresMigration, migrations: migrationsUpTo(steps) });
    // References are satisfied once all rows are there.
    await sql`set session_replication_role = replica`.execute(db);
    for (const { name } of await db.introspection.getTables())
      if (name !== "migrations") await copyRows(source, db, name);
  } finally {
    await db.destroy();
    source.close();
    rmSync(folder, { recursive: true });
  }
}

async function copyRows(source: Database.Database, db: Kysely<Schema>, table: string): Promise<void> {
  await sql`delete from ${sql.table(table)}`.execute(db);
  for (const row of rowsOf(source, table)) {
    const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    const values = sql.join(
      Object.values(row).map((value) => (value instanceof ArrayBuffer ? Buffer.from(value) : value)),
    );
    await sql`insert into ${sql.table(table)} (${columns}) values (${values})`.execute(db);
  }
}

export const rowsOf = (database: Database.Database, table: string): Record<string, unknown>[] =>
  database.prepare(`select * from "${table}"`).all([]) as Record<string, unknown>[];
