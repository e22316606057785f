import { sql } from "kysely";
import { statements } from "../migration.js";

/**
 * Second factors, and what sessions say about themselves. Sessions of earlier versions, and of replicas that still run
 * one, were begun with a password and were confirmed when they began.
 */
export const up = statements(({ bytesType }) => {
  const bytes = sql.raw(bytesType);
  return [
    sql`alter table sessions add column method text default 'password' not null`,
    sql`alter table sessions add column device text`,
    sql`alter table sessions add column confirmed_at bigint`,
    sql`create table totp (
      account_id text primary key references accounts (id) on delete cascade,
      sealed_secret text not null,
      last_step bigint not null,
      created_at bigint not null,
      confirmed_at bigint)`,
    sql`create table passkeys (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      name text not null,
      public_key text not null,
      counter bigint not null,
      transports text not null,
      can_sync integer not null,
      is_synced integer not null,
      created_at bigint not null,
      last_used_at bigint)`,
    sql`create table recovery_codes (
      hash ${bytes} primary key,
      account_id text not null references accounts (id) on delete cascade)`,
    sql`create table sign_in_steps (
      hash ${bytes} primary key,
      kind text not null,
      account_id text references accounts (id) on delete cascade,
      expires_at bigint not null)`,
    sql`create index passkeys_by_account on passkeys (account_id)`,
    sql`create index recovery_codes_by_account on recovery_codes (account_id)`,
    sql`create index sign_in_steps_by_account on sign_in_steps (account_id)`,
    sql`create index sign_in_steps_by_expiry on sign_in_steps (expires_at)`,
  ];
});
