import { sql } from "kysely";
import { statements } from "../migration.js";

const quotas = sql`
  requests_per_day bigint,
  tokens_per_day bigint,
  requests_per_month bigint,
  tokens_per_month bigint`;

/**
 * Teams. A team is an account that nobody signs in to, so that its keys, plan, usage and quotas are those of an account,
 * also for replicas of the version before. What only teams have is in `teams`, who is in them in `memberships`. A key of
 * a member goes with the member's account; a key of a team without a member is a service key.
 */
export const up = statements(() => [
  sql`alter table accounts add column kind text default 'person' not null`,
  sql`create table teams (
      id text primary key references accounts (id) on delete cascade,
      join_domain text,
      ${quotas})`,
  sql`create table memberships (
      team_id text not null references accounts (id) on delete cascade,
      account_id text not null references accounts (id) on delete cascade,
      role text not null,
      created_at bigint not null,
      requests_per_minute bigint,
      tokens_per_minute bigint,
      concurrent_requests bigint,
      ${quotas},
      constraint membership primary key (team_id, account_id))`,
  sql`alter table keys add column member_id text references accounts (id) on delete cascade`,
  sql`alter table links add column team_id text references accounts (id) on delete cascade`,
  sql`alter table links add column team_role text`,
  sql`create index memberships_by_account on memberships (account_id)`,
  sql`create index teams_by_domain on teams (join_domain)`,
  sql`create index keys_by_member on keys (member_id) where member_id is not null`,
  sql`create index links_by_team on links (team_id) where team_id is not null`,
]);
