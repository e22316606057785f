/**
 * A store as full as a large service's: 100,000 accounts, 500 keys of one of them, 1,000,000 hours of usage and
 * 200,000 audit lines. Written in SQL: through the store it would take an hour.
 *
 *   npx tsx bench/console/full-store.ts DATA_DIR    fills the SQLite database there, which must have no accounts
 */
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { databasePath, openSqliteStore } from "../../src/store/sql/sqlite.js";
import { testPlan } from "../../test/support/stores/temporary-store.js";

const size = { accounts: 100_000, keys: 500, usage: 1_000_000, audit: 200_000 };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The account with the 500 keys, and with a tenth of the usage. */
export const busyAccount = "acc_0000000001";

/** The operator's account is created by the set-up link, before or after. */
export async function fillStore(dataDir: string, now: Date): Promise<void> {
  const path = databasePath(dataDir);
  await (await openSqliteStore({ path, defaultPlan: testPlan })).close();
  const database = new Database(path);
  const end = now.getTime() - (now.getTime() % hourMs);
  const start = end - 399 * dayMs;
  const counting = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const steps = Array.from({ length: 11 }, (_, step) => `first_token_${step}`);
  const firstTokens = steps.map((_, step) => (step === 3 ? "1" : "0")).join(", ");
  database.exec(`
    begin;
    update plans set max_keys = 1000 where id = 'free';
    insert into accounts (id, email, email_lower, password_hash, role, plan_id, suspended_at, created_at)
      ${counting(size.accounts)} select printf('acc_%010d', i), 'User' || i || '@example.com',
      'user' || i || '@example.com', null, 'user', 'free', iif(i % 50 = 0, ${start} + i, null), ${start} + i * 300
      from n;
    insert into keys (id, account_id, hash, last_four, name, tags, created_at, revoked_at, last_used_at, last_used_model)
      ${counting(size.keys)} select printf('key_%010d', i), '${busyAccount}', randomblob(32), substr(hex(i + 65536), 1, 4),
      'Service ' || i, iif(i % 3 = 0, 'ci,team ' || (i % 7), null), ${start} + i * ${hourMs},
      iif(i % 10 = 0, ${start} + i * ${hourMs} + ${dayMs}, null), ${end - (end % dayMs)} - (i % 90) * ${dayMs}, 'omega'
      from n;
    insert into keys (id, account_id, hash, last_four, name, created_at)
      ${counting(size.accounts)} select printf('key_of_%010d', i), printf('acc_%010d', i), randomblob(32), 'abcd',
      'default', ${start} from n where i > 1;
    insert into sessions ${counting(20_000)} select randomblob(32), printf('acc_%010d', i), ${end}, ${end},
      ${end} + 30 * ${dayMs} from n;
    insert into links (hash, kind, account_id, email_hash, email, plan_id, created_at, expires_at)
      ${counting(200)} select randomblob(32), 'invite', null, randomblob(32), 'invited' || i || '@example.com', 'free',
      ${end} - i, ${end} + 7 * ${dayMs} from n;
    insert into usage (account_id, key_id, model, hour, requests, errors, prompt_tokens, completion_tokens,
      first_token_ms, first_token_min_ms, first_token_max_ms, ${steps.join(", ")})
      ${counting(size.usage)} select
      iif(i % 10 = 0, '${busyAccount}', printf('acc_%010d', 2 + i % 50000)),
      iif(i % 10 = 0, printf('key_%010d', 1 + (i / 10) % ${size.keys}), printf('key_of_%010d', 2 + i % 50000)),
      case i % 3 when 0 then 'omega' when 1 then 'prism' else 'lambda' end,
      ${end} - (i % 9576) * ${hourMs}, 3, 0, 500, 200, 250, 250, 250, ${firstTokens} from n where true
      on conflict do nothing;
    insert into audit ${counting(size.audit)} select printf('%012x%020x', ${start} + i * 170000, i), ${start} + i * 170000,
      printf('acc_%010d', 1 + i % 1000), case i % 4 when 0 then 'signed in' when 1 then 'created key'
      when 2 then 'signed in' else 'rotated key' end,
      iif(i % 4 = 0, printf('acc_%010d', 1 + i % 1000), printf('key_%010d', 1 + i % ${size.keys})) from n;
    commit;
    analyze;`);
  database.close();
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
