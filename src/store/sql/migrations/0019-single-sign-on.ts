import { sql } from "kysely";
import { statements } from "../migration.js";

/** Identities at providers, sign-ins under way, what sessions were begun by, and logout tokens that were used. */
export const up = statements(({ bytesType }) => {
  const bytes = sql.raw(bytesType);
  return [
    sql`create table oidc_identities (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      provider text not null,
      issuer text not null,
      subject text not null,
      created_at bigint not null,
      last_used_at bigint not null,
      constraint oidc_identity unique (issuer, subject))`,
    sql`create table oidc_rounds (
      hash ${bytes} primary key,
      provider text not null,
      purpose text not null,
      account_id text references accounts (id) on delete cascade,
      next text not null,
      invite_hash ${bytes},
      identity text,
      expires_at bigint not null)`,
    sql`create table oidc_sessions (
      session_hash ${bytes} primary key references sessions (hash) on delete cascade,
      provider text not null,
      issuer text not null,
      subject text not null,
      sid text)`,
    sql`create table oidc_logouts (hash ${bytes} primary key, expires_at bigint not null)`,
    sql`create index oidc_identities_by_account on oidc_identities (account_id)`,
    sql`create index oidc_rounds_by_account on oidc_rounds (account_id)`,
    sql`create index oidc_rounds_by_expiry on oidc_rounds (expires_at)`,
    sql`create index oidc_sessions_by_sid on oidc_sessions (issuer, sid)`,
    sql`create index oidc_logouts_by_expiry on oidc_logouts (expires_at)`,
  ];
});
