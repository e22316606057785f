import { sql } from "kysely";
import { statements } from "../migration.js";

/**
 * Accounts and teams that another system manages over SCIM; memberships that an identity provider's groups made; networks
 * and a required second factor of teams. Replicas of the version before go on without them: until they are replaced they
 * enforce neither.
 */
export const up = statements(() => [
  sql`alter table teams add column allow_from text`,
  sql`alter table teams add column second_factor_days bigint`,
  sql`alter table teams add column second_factor_since bigint`,
  sql`alter table teams add column external_id text`,
  sql`alter table memberships add column provider_id text`,
  sql`create table scim_users (
      account_id text primary key references accounts (id) on delete cascade,
      user_name text not null,
      user_name_lower text not null unique,
      external_id text,
      inactive_since bigint)`,
  sql`create index scim_users_by_external_id on scim_users (external_id)`,
  sql`create index teams_by_external_id on teams (external_id)`,
]);
