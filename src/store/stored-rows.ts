/**
 * Everything in the database that belongs to one account or names it. A table is left out only when nothing
 * in it can be about a user; a test compares this list with the tables that exist.
 */
import type { Kysely } from "kysely";
import type { StoredStore, StoredTable } from "../core/dashboard-ports.js";
import type { Schema } from "./schema.js";

/** Tables of the service itself: limits, announcements, its own state. */
export const impersonalTables = [
  "plans",
  "changelog",
  "maintenance",
  "settings",
  "migrations",
  "change_counter",
] as const;

export class SqlStored implements StoredStore {
  constructor(private readonly db: Kysely<Schema>) {}

  async readAll(accountId: string): Promise<StoredTable[]> {
    const { db } = this;
    const accounts = await db.selectFrom("accounts").selectAll().where("id", "=", accountId).execute();
    const keys = await db
      .selectFrom("keys")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("created_at")
      .execute();
    const sessions = await db
      .selectFrom("sessions")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("created_at")
      .execute();
    const links = await db
      .selectFrom("links")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("created_at")
      .execute();
    const usage = await db
      .selectFrom("usage")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("hour")
      .execute();
    const audit = await db
      .selectFrom("audit")
      .selectAll()
      .where((where) => where.or([where("actor", "=", accountId), where("target", "=", accountId)]))
      .orderBy("id")
      .execute();
    const subjects = [accountId, ...keys.map((key) => key.id)];
    const changes = await db
      .selectFrom("changes")
      .selectAll()
      .where("subject", "in", subjects)
      .orderBy("id")
      .execute();
    return [
      shown("accounts", accounts),
      shown("keys", keys),
      shown("sessions", sessions),
      shown("links", links),
      shown("usage", usage),
      shown("audit", audit),
      shown("changes", changes),
    ];
  }
}

/** Rows as they are, with hashes named and times readable. */
function shown(name: keyof Schema, rows: readonly object[]): StoredTable {
  return {
    name,
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, cell(column, value)])),
    ),
  };
}

function cell(column: string, value: unknown): string | number | null {
  if (value === null) return null;
  if (column === "hash" || column.endsWith("_hash")) return "(hash, not shown)";
  if (typeof value === "number") return isTime(column) ? new Date(value).toISOString() : value;
  if (typeof value === "string") return value;
  throw new TypeError(`The column ${column} holds a kind of value that is not known here.`);
}

const isTime = (column: string): boolean => column === "at" || column === "hour" || column.endsWith("_at");
