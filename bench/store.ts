/**
 * What the size of the database costs. Here SQLite answers on the thread of the event loop, as it does for commands,
 * to show the longest time a query blocks it; a server uses database threads (see database/commits.ts).
 * Each query runs on an empty store and on one with 100,000 accounts, keys, sessions, audit lines, changes and hours of
 * usage, half of the last of one account.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import type { FullStore } from "../src/store/full-store.js";
import { systemClock } from "../src/core/clock.js";
import { storedAbout, storedExport } from "../src/core/accounts/stored-about.js";
import { AvailabilityReports } from "../src/core/admin/availability.js";
import { ServiceUsageReports } from "../src/core/admin/service-report.js";
import { UsageReports } from "../src/core/usage/usage-report.js";
import { databasePath, openSqliteStore } from "../src/store/sql/sqlite.js";
import { testPlan } from "../test/support/stores/temporary-store.js";
import { sumsOfUsage } from "./dashboard/full-store.js";
import { median } from "./statistics.js";

const size = 100_000;
const rounds = 7;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const busy = "acc_000001";
const start = Date.UTC(2030, 0, 1);
const end = new Date(start + 399 * dayMs);

const quarter = { from: new Date(start), to: new Date(start + 90 * dayMs), step: "day" } as const;

const serviceUsage = (store: FullStore): ServiceUsageReports => {
  const flushed = { flush: () => Promise.resolve() };
  const reports = new UsageReports(store, { reading: (_, read) => read([], []) });
  return new ServiceUsageReports({ store, usage: flushed, outcomes: flushed, reports });
};

const reads: Record<string, (store: FullStore) => Promise<unknown>> = {
  "is there an admin (/api/site)": (store) => store.accounts.hasAdmin(),
  "stored about one, first page": (store) => storedAbout(store.stored, systemClock, busy),
  "stored about one, export": async (store) => {
    let length = 0;
    for await (const text of storedExport(store.stored, systemClock, busy)) length += text.length;
    return length;
  },
  "usage of 399 days": (store) =>
    new UsageReports(store, { reading: (_, read) => read([], []) }).report(busy, {
      from: new Date(start),
      to: end,
      step: "day",
    }),
  "the service's usage of 90 days": (store) => serviceUsage(store).report(quarter),
  "the service's top lists of 24 hours": (store) =>
    serviceUsage(store).top({ ...quarter, from: new Date(quarter.to.getTime() - dayMs) }, "tokens"),
  "the service's top lists of 90 days": (store) => serviceUsage(store).top(quarter, "tokens"),
  "90 days of availability": (store) =>
    new AvailabilityReports(store.service.outcomes, { ...systemClock, now: () => end }).read(),
  "accounts, an admin's first page": (store) => search(store, ""),
  "accounts, an admin's search": (store) => search(store, "er99999@"),
  "accounts list": async (store) => {
    for (let last = null; ;) {
      const page = await store.accounts.listSummaries(last, 1_000, end);
      if (page.length < 1_000) return;
      last = page.at(-1)?.account ?? null;
    }
  },
  "accounts by plan": (store) => store.accounts.countByPlan(),
  "audit trail, first page": (store) => store.audit.list(null, 100),
};

/** With nothing to remove, as in most hours. */
const prunes: Record<string, (store: FullStore, before: Date) => Promise<unknown>> = {
  "prune sessions": (store, before) => store.sessions.prune(before, before),
  "prune links": (store, before) => store.links.prune(before),
  "prune usage": (store, before) => store.usage.prune(before),
  "prune audit": (store, before) => store.audit.prune(before),
  "prune changes": (store, before) => store.changes.prune(before),
};

export async function benchStore(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sotto-bench-store-"));
  const empty = await openSqliteStore({ path: databasePath(join(folder, "empty")), defaultPlan: testPlan });
  const path = databasePath(join(folder, "full"));
  const full = await openSqliteStore({ path, defaultPlan: testPlan });
  try {
    fill(path);
    console.log("what                                 empty        full   ratio   longest hold-up");
    for (const [name, read] of Object.entries(reads)) await compare(name, read, empty, full, rounds);
    const never = new Date(0);
    for (const [name, prune] of Object.entries(prunes)) {
      await compare(`${name}, none`, (store) => prune(store, never), empty, full, rounds);
    }
    await compare("delete the busy account", (store) => store.accounts.remove(busy), empty, full, 1);
    const all = new Date(start + 10_000 * dayMs);
    for (const [name, prune] of Object.entries(prunes)) {
      await compare(`${name}, all`, (store) => prune(store, all), empty, full, 1);
    }
  } finally {
    await empty.close();
    await full.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const search = (store: FullStore, text: string): Promise<unknown> =>
  store.accounts.searchAccounts(text, { after: null, limit: 50 }, end);

async function compare(
  name: string,
  work: (store: FullStore) => Promise<unknown>,
  empty: FullStore,
  full: FullStore,
  times: number,
): Promise<void> {
  const small = await measure(() => work(empty), times);
  const large = await measure(() => work(full), times);
  console.log(
    [
      name.padEnd(33),
      `${small.ms.toFixed(2)} ms`.padStart(11),
      `${large.ms.toFixed(2)} ms`.padStart(11),
      (large.ms / small.ms).toFixed(1).padStart(7),
      `${large.holdUpMs.toFixed(2)} ms`.padStart(17),
    ].join(" "),
  );
}

/** The median duration, and the longest time the event loop was blocked. */
async function measure(
  work: () => Promise<unknown>,
  times: number,
): Promise<{ ms: number; holdUpMs: number }> {
  const took: number[] = [];
  let holdUpMs = 0;
  let lastMs = performance.now();
  let isOver = false;
  const tick = () => {
    const nowMs = performance.now();
    holdUpMs = Math.max(holdUpMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  for (let round = 0; round < times; round++) {
    const beganMs = performance.now();
    await work();
    took.push(performance.now() - beganMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  isOver = true;
  return { ms: median(took), holdUpMs };
}

/** In SQL: through the store it would take minutes. */
function fill(path: string): void {
  const database = new Database(path);
  const counting = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${size})`;
  const counts = Array.from({ length: 11 }, () => "1").join(", ");
  database.exec(`
    begin;
    insert into accounts (id, email, email_lower, password_hash, role, plan_id, suspended_at, created_at)
      ${counting} select printf('acc_%06d', i), 'User' || i || '@example.com', 'user' || i || '@example.com', null,
      iif(i = ${size}, 'admin', 'user'), 'free', null, ${start} + i * 1000 from n;
    insert into keys (id, account_id, hash, last_four, name, created_at)
      ${counting} select printf('key_%06d', i), printf('acc_%06d', i), randomblob(32), 'abcd', 'k', ${start} from n;
    insert into sessions (hash, account_id, created_at, last_seen_at, expires_at) ${counting}
      select randomblob(32), printf('acc_%06d', i), ${start}, ${start} + i, ${start} + i * 1000 from n;
    insert into links (hash, kind, account_id, email_hash, created_at, expires_at) ${counting}
      select randomblob(32), 'reset', printf('acc_%06d', i), null, ${start}, ${start} + i from n where i % 10 = 0;
    insert into usage (account_id, key_id, model, hour, requests, errors, prompt_tokens, completion_tokens,
      first_token_ms, ${Array.from({ length: 11 }, (_, step) => `first_token_${step}`).join(", ")})
      ${counting} select iif(i % 2 = 0, '${busy}', printf('acc_%06d', i)), 'key_' || (i % 12), 'omega',
      ${start} + (i / 12) * ${hourMs}, 1, 0, 5, 8, 90, ${counts} from n;
    ${sumsOfUsage()};
    insert into outcomes select hour, model, 'none', requests from service_usage;
    insert into outcomes select hour, model, 'overloaded', 3 from service_usage where hour % ${dayMs} = 0;
    insert into audit ${counting} select printf('%012x%020x', ${start} + i * 1000, i), ${start} + i * 1000,
      iif(i % 10 = 0, '${busy}', printf('acc_%06d', i)), 'signed in', printf('acc_%06d', i) from n;
    insert into changes ${counting} select i, 'key_changed', printf('key_%06d', i), ${start} + i from n;
    update change_counter set last = ${size};
    commit;`);
  database.close();
}
