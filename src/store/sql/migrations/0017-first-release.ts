import { type RawBuilder, sql } from "kysely";
import { statements } from "../migration.js";

/** The tables of 0.1.0. Everything of an account references its row, so that deleting the row deletes the rest. */
export const up = statements(({ bytesType, defaultPlan }) => {
  const isSqlite = bytesType === "blob";
  return [
    ...accounts(sql.raw(bytesType)),
    ...usage(isSqlite),
    ...service,
    ...indices,
    ...(isSqlite ? sqliteAddressIndex : postgresAddressIndex),
    sql`insert into change_counter (id, last) values (1, 0)`,
    sql`insert into plans (id, name, requests_per_minute, tokens_per_minute, concurrent_requests, max_keys)
      values (${defaultPlan.id}, ${defaultPlan.name}, ${defaultPlan.requestsPerMinute},
        ${defaultPlan.tokensPerMinute}, ${defaultPlan.concurrentRequests}, ${defaultPlan.maxKeys})`,
  ];
});

const ofAccount = sql`account_id text not null references accounts (id) on delete cascade`;

const accounts = (bytes: RawBuilder<unknown>) => [
  sql`create table plans (
    id text primary key,
    name text not null,
    requests_per_minute bigint not null,
    tokens_per_minute bigint not null,
    concurrent_requests bigint not null,
    max_keys bigint not null,
    max_tokens bigint,
    models text,
    requests_per_day bigint,
    tokens_per_day bigint,
    requests_per_month bigint,
    tokens_per_month bigint,
    requires_encryption integer default 0 not null)`,
  sql`create table accounts (
    id text primary key,
    email text not null,
    email_lower text not null unique,
    password_hash text,
    role text not null check (role in ('user', 'admin')),
    plan_id text not null references plans (id),
    suspended_at bigint,
    created_at bigint not null,
    email_verified_at bigint)`,
  sql`create table keys (
    id text primary key,
    ${ofAccount},
    hash ${bytes} not null unique,
    last_four text not null,
    name text not null,
    models text,
    operations text,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    disabled_at bigint,
    requests_per_minute bigint,
    tokens_per_minute bigint,
    concurrent_requests bigint,
    requests_per_day bigint,
    tokens_per_day bigint,
    requests_per_month bigint,
    tokens_per_month bigint,
    tags text,
    replaces text,
    last_used_model text,
    lineage text)`,
  sql`create table sessions (
    hash ${bytes} primary key,
    ${ofAccount},
    created_at bigint not null,
    last_seen_at bigint not null,
    expires_at bigint not null)`,
  // A plan that is deleted while an invitation names it leaves the invitation with the default plan.
  sql`create table links (
    hash ${bytes} primary key,
    kind text not null,
    account_id text references accounts (id) on delete cascade,
    email_hash ${bytes},
    created_at bigint not null,
    expires_at bigint not null,
    email text,
    plan_id text references plans (id) on delete set null)`,
];

const firstTokens = sql.raw(
  Array.from({ length: 11 }, (_, step) => `first_token_${step} bigint not null`).join(", "),
);

const counts = sql`
    requests bigint not null,
    errors bigint not null,
    rate_limited bigint not null,
    unavailable bigint not null,
    prompt_tokens bigint not null,
    completion_tokens bigint not null,
    first_token_ms bigint not null,
    ${firstTokens},
    first_token_min_ms bigint,
    first_token_max_ms bigint`;

const keyCounts = sql`
    key_id text not null,
    model text not null,
    requests bigint not null,
    errors bigint not null,
    refused bigint not null,
    tokens bigint not null`;

function usage(isSqlite: boolean) {
  // SQLite then keeps the rows in the order of their key, which is how they are read.
  const inKeyOrder = isSqlite ? sql`without rowid` : sql``;
  return [
    sql`create table usage (
      ${ofAccount},
      key_id text not null,
      model text not null,
      hour bigint not null,
      requests bigint not null,
      errors bigint not null,
      prompt_tokens bigint not null,
      completion_tokens bigint not null,
      first_token_ms bigint not null,
      ${firstTokens},
      rate_limited bigint default 0 not null,
      unavailable bigint default 0 not null,
      first_token_min_ms bigint,
      first_token_max_ms bigint,
      constraint usage_bucket primary key (account_id, hour, key_id, model))`,
    sql`create table account_days (${ofAccount}, day bigint not null, model text not null, ${counts},
      constraint account_day primary key (account_id, day, model))`,
    sql`create table key_days (${ofAccount}, day bigint not null, ${keyCounts},
      constraint key_day primary key (account_id, day, key_id, model)) ${inKeyOrder}`,
    sql`create table key_spans (${ofAccount}, span bigint not null, ${keyCounts},
      constraint key_span primary key (account_id, span, key_id, model)) ${inKeyOrder}`,
    sql`create table quota_days (
      ${ofAccount},
      day text not null,
      key_id text not null,
      requests bigint not null,
      tokens bigint not null,
      constraint quota_day primary key (account_id, day, key_id))`,
    sql`create table quota_warnings (
      ${ofAccount},
      name text not null,
      sent_at bigint not null,
      constraint quota_warning primary key (account_id, name))`,
  ];
}

const service = [
  sql`create table service_usage (hour bigint not null, model text not null, ${counts},
    constraint service_usage_bucket primary key (hour, model))`,
  sql`create table outcomes (
    hour bigint not null,
    model text not null,
    code text not null,
    requests bigint not null,
    constraint outcomes_bucket primary key (hour, model, code))`,
  sql`create table changelog (
    id text primary key,
    title text not null,
    body text not null,
    published_at bigint not null,
    updated_at bigint not null)`,
  sql`create table maintenance (
    id text primary key,
    title text not null,
    body text not null,
    starts_at bigint not null,
    ends_at bigint not null,
    ended_at bigint,
    published_at bigint not null,
    updated_at bigint not null)`,
  sql`create table audit (
    id text primary key,
    at bigint not null,
    actor text not null,
    action text not null,
    target text not null)`,
  sql`create table settings (name text primary key, value text not null)`,
  sql`create table changes (
    id bigint primary key,
    kind text not null,
    subject text not null,
    at bigint not null)`,
  sql`create table change_counter (id integer primary key check (id = 1), last bigint not null)`,
  sql`create table statement_log (number bigint primary key, at bigint not null, body text not null)`,
];

const indices = [
  sql`create index accounts_by_role on accounts (role, suspended_at)`,
  sql`create index accounts_by_plan on accounts (plan_id)`,
  // With the address, so that a search through all of them reads the index alone.
  sql`create index accounts_by_creation_and_email on accounts (created_at, id, email_lower)`,
  // A page of an account's keys is read in their order.
  sql`create index keys_by_account on keys (account_id, created_at, id)`,
  sql`create index sessions_by_account on sessions (account_id)`,
  sql`create index sessions_by_expiry on sessions (expires_at)`,
  sql`create index sessions_by_last_seen on sessions (last_seen_at)`,
  sql`create index links_by_account on links (account_id)`,
  sql`create index links_by_expiry on links (expires_at)`,
  sql`create index links_by_email on links (email_hash)`,
  sql`create index links_by_kind on links (kind, created_at)`,
  sql`create index links_by_plan on links (plan_id)`,
  // The operator's account is created by one link. A second one beside it could create a second account.
  sql`create unique index links_one_setup on links (kind) where kind = 'setup'`,
  sql`create index usage_by_hour on usage (hour)`,
  // The hours of one key among hundreds.
  sql`create index usage_by_key on usage (account_id, key_id, hour)`,
  // With what is ranked by, so that the rows need not be read; it also finds what is too old.
  sql`create index account_days_by_day on account_days
    (day, account_id, model, requests, prompt_tokens, completion_tokens)`,
  sql`create index key_days_by_day on key_days (day)`,
  sql`create index key_spans_by_span on key_spans (span)`,
  sql`create index quota_days_by_day on quota_days (day)`,
  sql`create index quota_warnings_by_time on quota_warnings (sent_at)`,
  // In the order of what happened, so that a page of one account's lines is read without sorting all of them.
  sql`create index audit_by_actor on audit (actor, id)`,
  sql`create index audit_by_target on audit (target, id)`,
  sql`create index audit_by_action on audit (action, id)`,
  sql`create index changes_by_time on changes (at)`,
  sql`create index changes_by_subject on changes (subject, id)`,
];

const addressAdded = sql`
  insert into account_numbers (account_id) values (new.id);
  insert into account_addresses (rowid, address)
    select number, new.email_lower from account_numbers where account_id = new.id;`;
const addressRemoved = sql`
  insert into account_addresses (account_addresses, rowid, address)
    select 'delete', number, old.email_lower from account_numbers where account_id = old.id;
  delete from account_numbers where account_id = old.id;`;

/**
 * An index of the trigrams of addresses, so that accounts are found by a text inside their address, maintained by the
 * database. SQLite's is a table of its full-text search. It has no copy of the addresses and knows rows by number.
 * Accounts have no numbers that last (those that SQLite gives may change when the file is compacted), so they get some
 * here.
 */
const sqliteAddressIndex = [
  sql`create table account_numbers (
    number integer primary key autoincrement, account_id text not null unique)`,
  sql`create virtual table account_addresses using fts5(address, content='', tokenize='trigram')`,
  // What is deleted leaves the index at once. Otherwise it would only be marked, until parts of it are merged.
  sql`insert into account_addresses (account_addresses, rank) values ('secure-delete', 1)`,
  sql`create trigger account_address_added after insert on accounts begin ${addressAdded} end`,
  sql`create trigger account_address_removed after delete on accounts begin ${addressRemoved} end`,
  sql`create trigger account_address_changed after update of id, email_lower on accounts
    when old.id <> new.id or old.email_lower <> new.email_lower begin ${addressRemoved} ${addressAdded} end`,
];

/** Postgres has indices of arrays built in, whereas its extension for trigrams is not on every server. */
const postgresAddressIndex = [
  sql`create function address_pieces(address text) returns text[]
    language sql immutable strict parallel safe cost 1000 as
    'select array(select distinct substr(address, i, 3) from generate_series(1, length(address) - 2) as i)'`,
  sql`create index accounts_by_address_pieces on accounts using gin (address_pieces(email_lower))
    with (fastupdate = off)`,
  // Beginnings are found by an operator class of its own; SQLite compares bytes, and needs none.
  sql`create index accounts_by_email_beginning on accounts (email_lower text_pattern_ops)`,
  sql`create index accounts_by_id_beginning on accounts (id text_pattern_ops)`,
];
