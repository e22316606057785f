/**
 * Everything in the database that belongs to one account or names it, page by page, the newest first. A table is left
 * out only when nothing in it can be about a user; a test compares this list with the tables that exist and with what
 * `core/privacy-facts.ts` says about them.
 *
 * Usage and the audit trail may have many rows, and are paged by key. The other tables have few rows for each
 * account, and are paged by offset.
 */
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { StoredStore } from "../../core/accounts/ports.js";
import type { StoredRows } from "../../core/accounts/stored-views.js";
import { emailHash } from "../../core/sign-in/secret-token.js";
import { idsAbout } from "./audit-rows.js";
import type { Schema } from "./schema.js";

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
  constructor(private readonly db: Kysely<Schema>) {}

  get tables(): readonly string[] {
    return [...personalTables.keys()];
  }

  async read(id: string, name: string, after: string | null, limit: number): Promise<StoredRows | null> {
    const table = personalTables.get(name);
    if (table === undefined || (after !== null && !table.cursor.test(after))) return null;
    const account = await this.db
      .selectFrom("accounts")
      .select("email")
      .where("id", "=", id)
      .executeTakeFirst();
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
const byTime = (
  table: "usage" | "account_days" | "key_days" | "key_spans",
  order: readonly string[],
): PersonalTable => ({
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
});

const audit: PersonalTable = {
  cursor: /^[0-9a-f]{1,64}$/,
  select: ({ id }, after, limit) => {
    const conditions = after === null ? [] : [sql<boolean>`id < ${after}`];
    return sql<Row>`select * from audit where id in ${idsAbout(id, conditions, limit)}
      order by id desc limit ${limit}`;
  },
  next: (rows) => String(rows.at(-1)?.id),
};

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
  [
    "memberships",
    few(
      ({ id }) => sql`select * from memberships where account_id = ${id} order by created_at desc, team_id`,
    ),
  ],
  ["scim_users", few(({ id }) => sql`select * from scim_users where account_id = ${id}`)],
  [
    "sessions",
    few(({ id }) => sql`select * from sessions where account_id = ${id} order by created_at desc, hash`),
  ],
  ["totp", few(({ id }) => sql`select * from totp where account_id = ${id}`)],
  [
    "passkeys",
    few(({ id }) => sql`select * from passkeys where account_id = ${id} order by created_at desc, id`),
  ],
  [
    "recovery_codes",
    few(({ id }) => sql`select * from recovery_codes where account_id = ${id} order by hash`),
  ],
  [
    "sign_in_steps",
    few(({ id }) => sql`select * from sign_in_steps where account_id = ${id} order by expires_at desc, hash`),
  ],
  [
    "oidc_identities",
    few(({ id }) => sql`select * from oidc_identities where account_id = ${id} order by created_at desc, id`),
  ],
  [
    "oidc_rounds",
    few(({ id }) => sql`select * from oidc_rounds where account_id = ${id} order by expires_at desc, hash`),
  ],
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
  ["usage", byTime("usage", ["hour", "key_id", "model"])],
  ["account_days", byTime("account_days", ["day", "model"])],
  ["key_days", byTime("key_days", ["day", "key_id", "model"])],
  ["key_spans", byTime("key_spans", ["span", "key_id", "model"])],
  [
    "quota_days",
    few(({ id }) => sql`select * from quota_days where account_id = ${id} order by day desc, key_id`),
  ],
  [
    "quota_warnings",
    few(({ id }) => sql`select * from quota_warnings where account_id = ${id} order by sent_at desc, name`),
  ],
  [
    "webhook_deliveries",
    few(
      ({ id }) => sql`select * from webhook_deliveries where account_id = ${id} order by created_at desc, id`,
    ),
  ],
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
