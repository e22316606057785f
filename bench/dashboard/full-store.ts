/**
 * A store as full as a large service's: 100,000 accounts, 500 keys of one of them, 1,000,000 hours of usage and
 * 200,000 audit lines. Written in SQL: through the store it would take an hour.
 *
 *   npx tsx bench/dashboard/full-store.ts DATA_DIR    fills the SQLite database there, which must have no accounts
 */
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { Client } from "pg";
import { openPostgresStore } from "../../src/store/sql/postgres.js";
import { databasePath, openSqliteStore } from "../../src/store/sql/sqlite.js";
import { spanMs } from "../../src/store/sql/rows.js";
import { testPlan } from "../../test/support/stores/temporary-store.js";

const size = { accounts: 100_000, keys: 500, usage: 1_000_000, audit: 200_000 };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The account with the 500 keys, and with a tenth of the usage. */
export const busyAccount = "acc_0000000001";

/** SQL that differs between the two databases. */
interface Words {
  /** A table `n` with the numbers from 1 on. */
  counting: (count: number) => string;
  /** Ten digits. */
  padded: (number: string) => string;
  hex: (number: string, digits: number) => string;
  /** 32 bytes that are different for each number. */
  bytes: (number: string) => string;
}

const sqlite: Words = {
  counting: (count) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`,
  padded: (number) => `printf('%010d', ${number})`,
  hex: (number, digits) => `printf('%0${digits}x', ${number})`,
  bytes: () => "randomblob(32)",
};
const postgres: Words = {
  counting: (count) => `with n(i) as (select generate_series(cast(1 as bigint), ${count}))`,
  padded: (number) => `lpad((${number})::text, 10, '0')`,
  hex: (number, digits) => `lpad(to_hex(${number}), ${digits}, '0')`,
  bytes: (number) => `sha256(convert_to((${number})::text || random()::text, 'UTF8'))`,
};

/** The admin account is created by the set-up link, before or after. */
export async function fillStore(dataDir: string, now: Date): Promise<void> {
  const path = databasePath(dataDir);
  await (await openSqliteStore({ path, defaultPlan: testPlan })).close();
  fillSqliteTables(path, now);
}

/** The tables must be there, of this version or the one before. */
export function fillSqliteTables(path: string, now: Date): void {
  const database = new Database(path);
  for (const setting of ["synchronous = off", "cache_size = -200000"]) database.pragma(setting);
  const indices = database
    .prepare(
      "select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in (select value from json_each(?))",
    )
    .all([JSON.stringify(largeTables)]) as { name: string; sql: string }[];
  database.exec(withoutIndices(indices, statements(sqlite, now)));
  database.close();
}

export async function fillPostgres(url: string, now: Date): Promise<void> {
  await (await openPostgresStore({ url, poolSize: 1, defaultPlan: testPlan })).close();
  await fillPostgresTables(url, now);
}

/** As `fillSqliteTables`. */
export async function fillPostgresTables(url: string, now: Date): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows: indices } = await client.query<{ name: string; sql: string }>(
    `select indexname as name, indexdef as sql from pg_indexes
      where schemaname = current_schema() and tablename = any($1)
      and indexname not in (select conname from pg_constraint)`,
    [largeTables],
  );
  // The generated rows satisfy all references; checking each takes longer than writing it.
  await client.query("set session_replication_role = replica; set work_mem = '256MB'");
  await client.query(withoutIndices(indices, statements(postgres, now)));
  await client.query("vacuum analyze");
  await client.end();
}

const largeTables = ["accounts", "usage", "account_days", "key_days", "key_spans"];

/** Building indices once is faster than updating them row by row. */
function withoutIndices(indices: readonly { name: string; sql: string }[], fill: string): string {
  const drop = indices.map(({ name }) => `drop index ${name};`).join(" ");
  const create = indices.map(({ sql }) => `${sql};`).join(" ");
  return `begin; ${drop} ${fill}; ${create} commit; analyze;`;
}

const steps = Array.from({ length: 11 }, (_, step) => `first_token_${step}`);
const counts = [
  ...["requests", "errors", "rate_limited", "unavailable", "prompt_tokens", "completion_tokens"],
  ...["first_token_ms", ...steps],
];

/** The store's other usage tables, derived from the hours. */
export const sumsOfUsage = (): string => {
  const sums = counts.map((name) => `cast(sum(${name}) as bigint)`).join(", ");
  const columns = [...counts, "first_token_min_ms", "first_token_max_ms"].join(", ");
  const extremes = "min(first_token_min_ms), max(first_token_max_ms)";
  const day = `hour - hour % ${dayMs}`;
  const span = `day - day % ${spanMs}`;
  return `
    insert into account_days (account_id, day, model, ${columns})
      select account_id, ${day}, model, ${sums}, ${extremes} from usage group by account_id, ${day}, model
      order by 1, 2, 3;
    insert into key_days (account_id, day, key_id, model, requests, errors, refused, tokens)
      select account_id, ${day}, key_id, model, cast(sum(requests) as bigint), cast(sum(errors) as bigint),
      cast(sum(rate_limited + unavailable) as bigint), cast(sum(prompt_tokens + completion_tokens) as bigint)
      from usage group by account_id, ${day}, key_id, model order by 1, 2, 3, 4;
    insert into key_spans (account_id, span, key_id, model, requests, errors, refused, tokens)
      select account_id, ${span}, key_id, model, cast(sum(requests) as bigint), cast(sum(errors) as bigint),
      cast(sum(refused) as bigint), cast(sum(tokens) as bigint)
      from key_days group by account_id, ${span}, key_id, model order by 1, 2, 3, 4;
    insert into service_usage (hour, model, ${columns})
      select hour, model, ${sums}, ${extremes} from usage group by hour, model`;
};

function statements({ counting, padded, hex, bytes }: Words, now: Date): string {
  const end = now.getTime() - (now.getTime() % hourMs);
  const start = end - 399 * dayMs;
  const firstTokens = steps.map((_, step) => (step === 3 ? "1" : "0")).join(", ");
  const account = (number: string) => `'acc_' || ${padded(number)}`;
  const key = (number: string) => `'key_' || ${padded(number)}`;
  const ownKey = (number: string) => `'key_of_' || ${padded(number)}`;
  return `
    update plans set max_keys = 1000 where id = 'free';
    insert into accounts (id, email, email_lower, password_hash, role, plan_id, suspended_at, created_at)
      ${counting(size.accounts)} select ${account("i")}, 'User' || i || '@example.com',
      'user' || i || '@example.com', null, 'user', 'free', case when i % 50 = 0 then ${start} + i end,
      ${start} + i * 300 from n;
    insert into keys (id, account_id, hash, last_four, name, tags, created_at, revoked_at, last_used_at, last_used_model)
      ${counting(size.keys)} select ${key("i")}, '${busyAccount}', ${bytes("i")}, ${hex("i + 4096", 4)},
      'Service ' || i, case when i % 3 = 0 then 'ci,team ' || (i % 7) end, ${start} + i * ${hourMs},
      case when i % 10 = 0 then ${start} + i * ${hourMs} + ${dayMs} end,
      ${end - (end % dayMs)} - (i % 90) * ${dayMs}, 'omega' from n;
    insert into keys (id, account_id, hash, last_four, name, created_at)
      ${counting(size.accounts)} select ${ownKey("i")}, ${account("i")}, ${bytes("i")}, 'abcd',
      'default', ${start} from n where i > 1;
    insert into sessions (hash, account_id, created_at, last_seen_at, expires_at) ${counting(size.accounts)} select ${bytes("i")}, ${account("i")}, ${end}, ${end},
      ${end} + 30 * cast(${dayMs} as bigint) from n;
    insert into links (hash, kind, account_id, email_hash, email, plan_id, created_at, expires_at)
      ${counting(200)} select ${bytes("i")}, 'invite', null, ${bytes("i")}, 'invited' || i || '@example.com', 'free',
      ${end} - i, ${end} + 7 * cast(${dayMs} as bigint) from n;
    insert into usage (account_id, key_id, model, hour, requests, errors, prompt_tokens, completion_tokens,
      first_token_ms, first_token_min_ms, first_token_max_ms, ${steps.join(", ")})
      ${counting(size.usage)} select
      case when i % 10 = 0 then '${busyAccount}' else ${account("2 + i % 50000")} end,
      case when i % 10 = 0 then ${key(`1 + (i / 10) % ${size.keys}`)} else ${ownKey("2 + i % 50000")} end,
      case i % 3 when 0 then 'omega' when 1 then 'prism' else 'lambda' end,
      ${end} - (i % 9576) * ${hourMs}, 3, 0, 500, 200, 250, 250, 250, ${firstTokens} from n
      order by 1, 4, 2, 3;
    ${sumsOfUsage()};
    insert into outcomes (hour, model, code, requests)
      select hour, model, 'none', requests from service_usage;
    insert into audit ${counting(size.audit)} select ${hex(`${start} + i * 170000`, 12)} || ${hex("i", 20)},
      ${start} + i * 170000, ${account("1 + i % 1000")}, case i % 4 when 0 then 'signed in' when 1 then 'created key'
      when 2 then 'signed in' else 'rotated key' end,
      case when i % 4 = 0 then ${account("1 + i % 1000")} else ${key(`1 + i % ${size.keys}`)} end from n`;
}

async function main(): Promise<void> {
  const [dataDir] = process.argv.slice(2);
  if (dataDir === undefined) {
    console.error("Name the data directory to fill.");
    process.exit(2);
  }
  const began = performance.now();
  await fillStore(dataDir, new Date());
  console.log(`filled ${databasePath(dataDir)} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
