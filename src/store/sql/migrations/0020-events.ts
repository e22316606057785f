import { sql } from "kysely";
import { statements } from "../migration.js";

/** Webhooks and their deliveries; networks that a key is limited to; the weight of a plan in the queue. */
export const up = statements(() => [
  sql`alter table plans add column weight integer default 1 not null`,
  sql`alter table keys add column allow_from text`,
  sql`create index keys_by_expiry on keys (expires_at)`,
  sql`create table webhooks (
      id text primary key,
      url text not null,
      description text not null,
      events text,
      created_at bigint not null,
      off_at bigint,
      off_reason text,
      failing_since bigint)`,
  sql`create table webhook_deliveries (
      id text primary key,
      webhook_id text not null references webhooks (id) on delete cascade,
      account_id text references accounts (id) on delete cascade,
      type text not null,
      body text not null,
      created_at bigint not null,
      retry_until bigint not null,
      next_at bigint,
      attempts integer not null,
      delivered_at bigint,
      last_at bigint,
      response_status integer,
      error text,
      duration_ms integer)`,
  sql`create index webhook_deliveries_due on webhook_deliveries (next_at)`,
  sql`create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, created_at, id)`,
  sql`create index webhook_deliveries_by_time on webhook_deliveries (created_at, id)`,
  sql`create index webhook_deliveries_by_account on webhook_deliveries (account_id)`,
]);
