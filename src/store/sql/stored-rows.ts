/**
 * Everything in the database that belongs to one account or names it, page by page, the newest first. A table is left
 * out only when nothing in it can be about a user; a test compares this list with the tables that exist and with what
 * `core/privacy-facts.ts` says about them.
 *
 * Usage and the audit trail may have many rows, and are paged by key. The other tables have few rows for each
 * account, and are paged by offset.
 */
import { sql, type RawBuilder } from "kysely";
import type { StoredStore } from "../../core/accounts/ports.js";
import type { StoredRows } from "../../core/accounts/stored-views.js";
import { emailHash } from "../../core/sign-in/secret-token.js";
import { idsAbout } from "./audit-rows.js";
import type { Db, Schema } from "./schema.js";
import { findRow } from "./statements.js";

type Row = Record<string, unknown>;

interface Owner {
  id: string;
  emailHash: Uint8Array;
}

interface PersonalTable {
  /** What `after` must match. */
  cursor: RegExp;
  /** The rows after `after`, or the first ones. */
  select: (owner: Owner, after: string | null, limit: number) => RawBuilder<Row>;
  /** Where the page after this one begins. */
  next: (rows: readonly Row[], after: string | null) => string;
}

export class SqlStored implements StoredStore {
  constructor(private readonly db: Db) {}

  get tables(): readonly string[] {
    return [...personalTables.keys()];
  }

  async read(id: string, name: string, after: string | null, limit: number): Promise<StoredRows | null> {
    const table = personalTables.get(name);
    if (table === undefined || (after !== null && !table.cursor.test(after))) return null;
    const account = await findRow(this.db, "accounts", { id });
    if (account === undefined) return { rows: [], next: null };
    const owner = { id, emailHash: emailHash(account.email) };
    // One more than asked for, to know whether there is a next page.
    const { rows } = await table.select(owner, after, limit + 1).execute(this.db);
    const page = rows.slice(0, limit);
    return { rows: page.map(shown), next: rows.length > limit ? table.next(page, after) : null };
  }
}

/** Paged by offset. */
const few = (select: (owner: Owner) => RawBuilder<Row>): PersonalTable => ({
  cursor: /^\d{1,9}$/,
  select: (owner, after, limit) => sql<Row>`${select(owner)} limit ${limit} offset ${Number(after ?? 0)}`,
  next: (rows, after) => String(Number(after ?? 0) + rows.length),
});

/** Rows of an account by time. `order` begins with the time and is unique for each row. */
const byTime = (table: keyof Schema, order: readonly string[]): [string, PersonalTable] => [
  table,
  {
    cursor: new RegExp(`^\\d{1,15}${" \\w{0,64}".repeat(order.length - 1)}$`),
    select: ({ id }, after, limit) => {
      const columns = order.map((column) => sql.ref(column));
      const [time, ...rest] = after?.split(" ") ?? [];
      const behind =
        after === null ? sql`` : sql`and (${sql.join(columns)}) < (${sql.join([Number(time), ...rest])})`;
      return sql<Row>`select * from ${sql.table(table)} where account_id = ${id} ${behind}
        order by ${sql.join(columns.map((column) => sql`${column} desc`))} limit ${limit}`;
    },
    next: (rows) => order.map((column) => rows.at(-1)?.[column]).join(" "),
  },
];

const audit: PersonalTable = {
  cursor: /^[0-9a-f]{1,64}$/,
  select: ({ id }, after, limit) => {
    const conditions = after === null ? [] : [sql<boolean>`id < ${after}`];
    return sql<Row>`select * from audit where id in ${idsAbout(id, conditions, limit)}
      order by id desc limit ${limit}`;
  },
  next: (rows) => String(rows.at(-1)?.id),
};

/** Those that belong to the account by their `account_id`. */
const owned = (table: keyof Schema, order: string): [string, PersonalTable] => [
  table,
  few(({ id }) => sql`select * from ${sql.table(table)} where account_id = ${id} order by ${sql.raw(order)}`),
];

/** In the order in which they are shown. */
const personalTables: ReadonlyMap<string, PersonalTable> = new Map([
  ["accounts", few(({ id }) => sql`select * from accounts where id = ${id}`)],
  [
    "keys",
    few(
      ({ id }) => sql`select * from keys where account_id = ${id} or member_id = ${id}
        order by created_at desc, id desc`,
    ),
  ],
  owned("memberships", "created_at desc, team_id"),
  owned("scim_users", "account_id"),
  owned("sessions", "created_at desc, hash"),
  owned("totp", "account_id"),
  owned("passkeys", "created_at desc, id"),
  owned("recovery_codes", "hash"),
  owned("sign_in_steps", "expires_at desc, hash"),
  owned("oidc_identities", "created_at desc, id"),
  owned("oidc_rounds", "expires_at desc, hash"),
  [
    "oidc_sessions",
    few(
      ({ id }) => sql`select oidc_sessions.* from oidc_sessions join sessions on sessions.hash = session_hash
        where sessions.account_id = ${id} order by sessions.created_at desc, session_hash`,
    ),
  ],
  [
    "links",
    few(
      (owner) => sql`select * from links where account_id = ${owner.id} or email_hash = ${owner.emailHash}
        order by created_at desc, hash`,
    ),
  ],
  byTime("usage", ["hour", "key_id", "model"]),
  byTime("account_days", ["day", "model"]),
  byTime("key_days", ["day", "key_id", "model"]),
  byTime("key_spans", ["span", "key_id", "model"]),
  owned("quota_days", "day desc, key_id"),
  owned("quota_warnings", "sent_at desc, name"),
  owned("webhook_deliveries", "created_at desc, id"),
  ["audit", audit],
  [
    "changes",
    few(
      ({ id }) => sql`select * from changes
        where subject in (select id from keys where account_id = ${id} union all select ${id})
        order by id desc`,
    ),
  ],
]);

/** Without hashes and secrets, and with readable times. */
const shown = (row: Row): StoredRows["rows"][number] =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, cell(column, value)]));

function cell(column: string, value: unknown): string | number | null {
  if (value === null) return null;
  if (column === "hash" || column.endsWith("_hash")) return "(hash, not shown)";
  if (column === "sealed_secret") return "(encrypted, not shown)";
  if (typeof value === "number") return isTime(column) ? new Date(value).toISOString() : value;
  if (typeof value === "string") return value;
  throw new TypeError(`The column ${column} holds a value of an unknown type.`);
}

const isTime = (column: string): boolean =>
  ["at", "hour", "day", "span", "retry_until"].includes(column) || column.endsWith("_at");
