/**
 * Every query that is asked often or every hour is answered by an index. What SQLite would do is asked of SQLite:
 * the statements are caught while the store is used, and each is explained. Postgres has the same indices.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Account, ApiKey } from "../../../src/core/entities.js";
import { systemClock } from "../../../src/core/clock.js";
import { noUsage } from "../../../src/core/usage/usage-recorder.js";
import { FullStore } from "../../../src/store/full-store.js";
import { connectSqlite, databasePath, openDatabase } from "../../../src/store/sql/sqlite.js";
import { newDatabase, testPlan } from "../../support/stores/temporary-store.js";
import { newKey, someHash } from "./dashboard-store.js";

const large = [
  "accounts",
  "keys",
  "sessions",
  "links",
  "usage",
  "account_days",
  "key_days",
  "key_spans",
  "service_usage",
  "outcomes",
  "audit",
  "changes",
];

let folder: string;
let database: Database.Database;
let store: FullStore;
let account: Account;
let key: ApiKey;
let asked: { text: string; parameters: unknown[] }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-plans-"));
  await writeFile(databasePath(folder), await newDatabase(testPlan));
  database = await openDatabase(databasePath(folder));
  asked = [];
  const db = connectSqlite(listening(database));
  store = new FullStore(db, systemClock);
  account = await store.createAccount({
    email: "ada@example.com",
    passwordHash: null,
    role: "admin",
    planId: "free",
  });
  key = await store.createKey(newKey(account.id));
  asked = [];
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** The same database, with what it is asked written down. */
function listening(real: Database.Database): Database.Database {
  return new Proxy(real, {
    get: (target, name) => {
      if (name !== "prepare") return bound(target, name);
      return (text: string) => {
        const statement = target.prepare(text);
        return new Proxy(statement, {
          get: (inner, part) => {
            if (part !== "all" && part !== "run") return bound(inner, part);
            return (parameters: unknown[]) => {
              asked.push({ text, parameters });
              return inner[part](parameters);
            };
          },
        });
      };
    },
  });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === "function" ? value.bind(target) : value;
}

/** Reads of a whole table, with the statement that does it. Reading it in order until a limit is none. */
function scans(): string[] {
  return asked
    .filter(({ text }) => /^\s*(select|update|delete|insert)/i.test(text))
    .flatMap(({ text, parameters }) => {
      const steps = database.prepare(`explain query plan ${text}`).all(parameters) as { detail: string }[];
      const isSorted = steps.some(({ detail }) => detail.includes("TEMP B-TREE FOR ORDER BY"));
      const endsEarly = /limit \?\s*(offset \?)?\s*$/i.test(text) && !isSorted;
      return steps
        .filter(({ detail }) => !(endsEarly && /^SCAN \w+ USING .*INDEX/.test(detail)))
        .map(({ detail }) => /^SCAN (\w+)/.exec(detail)?.[1])
        .filter((table) => table !== undefined && large.includes(table))
        .map((table) => `${table}: ${text.replaceAll(/\s+/g, " ")}`);
    });
}

const hash = someHash();
const now = new Date();
const later = new Date(now.getTime() + 1);

const dayMs = 24 * 3_600_000;
const days = { from: new Date(Date.UTC(2030, 0, 1)), to: new Date(Date.UTC(2030, 3, 1)) };
const daysAndHours = { from: new Date(Date.UTC(2030, 0, 1, 5)), to: new Date(Date.UTC(2030, 3, 1, 7)) };

const queries: Record<string, () => Promise<unknown>> = {
  "is there an admin": () => store.accounts.hasAdmin(),
  "a key on a request": () => store.findKeyByHash(hash),
  "a key of a running reply": () => store.findKeyRecord(key.id),
  "the keys of an account": () => store.listKeys(account.id),
  "a page of an account's keys": () => store.pageOfKeys(account.id, null, 100),
  "a later page of an account's keys": () => store.pageOfKeys(account.id, key, 100),
  "last-used times": () => store.touchKeys(new Map([[key.id, { at: now, model: "omega" as const }]])),
  "a session": () => store.sessions.find(hash),
  "the use of a session": () => store.sessions.touch(hash, now),
  "the end of a session": () => store.sessions.end(hash),
  "the end of all sessions": () => store.sessions.endAll(account.id, null),
  "signing in": () => store.accounts.findCredentials("ada@example.com"),
  "confirming a password": () => store.accounts.findCredentialsById(account.id),
  "a new password": () => store.accounts.setPassword(account.id, "hash", null),
  "a reset link": () => store.links.find("reset", hash, now),
  "the use of a reset link": () => store.links.resetPassword(hash, now, "hash"),
  "changes elsewhere": () => store.changes.readAfter(0, 500),
  "written usage": () =>
    store.usage.add([{ accountId: account.id, keyId: key.id, model: "omega", start: now, ...noUsage }]),
  "usage by time": () => store.usage.readByTime({ accountId: account.id, from: now, to: now }, 3_600_000),
  "usage by day": () => store.usage.readByTime({ accountId: account.id, ...days }, dayMs),
  "usage of a key by the day": () =>
    store.usage.readByTime({ accountId: account.id, ...days, keyId: key.id }, dayMs),
  "usage by key": () => store.usage.readByKey({ accountId: account.id, from: now, to: later }),
  "usage by key over days": () => store.usage.readByKey({ accountId: account.id, ...daysAndHours }),
  "usage by model over days": () => store.usage.readByModel({ accountId: account.id, ...daysAndHours }),
  "usage of a key by model": () =>
    store.usage.readByModel({ accountId: account.id, ...daysAndHours, keyId: key.id }),
  "usage in lines": () => store.usage.read({ accountId: account.id, from: now, to: now }, 3_600_000),
  "the service's usage by time": () => store.service.usage.readByTime({ from: now, to: now }, 3_600_000),
  "the service's usage by model": () => store.service.usage.readByModel({ from: now, to: now }),
  "those with the most requests": () => store.service.usage.top({ from: now, to: later }, "requests", 10),
  "those with the most requests over days": () => store.service.usage.top(daysAndHours, "requests", 10),
  "those with the most tokens of a model": () =>
    store.service.usage.top({ from: now, to: later, model: "omega" }, "tokens", 10),
  "the keys of one account with the most tokens": () =>
    store.service.usage.top({ ...daysAndHours, accountId: account.id }, "tokens", 10),
  "the service's usage in lines": () => store.service.usage.lines({ from: now, to: now }, 3_600_000),
  "busy hours of accounts": () =>
    store.service.usage.busyHours(
      { from: now, to: later },
      { requests: 1, tokens: 1, refusals: 1, errors: 1 },
      50,
    ),
  "quotas by day": () => store.quotas.byDay(account.id, "2030-01-01"),
  "outcomes by code": () => store.service.outcomes.readByCode({ from: now, to: now }),
  "outcomes by day": () => store.service.outcomes.readByDay(now, now),
  "hours with failures": () => store.service.outcomes.readHoursWith(["internal_error"], now, now),
  "the oldest outcome": () => store.service.outcomes.since(),
  "old sums of the service": () => store.service.usage.prune(now),
  "old outcomes": () => store.service.outcomes.prune(now),
  "whether someone was invited": () => store.service.facts.hasInvited(),
  "the first page of the audit trail": () => store.audit.list(null, 100),
  "a later page of the audit trail": () => store.audit.list("0".repeat(32), 100),
  "the newest accounts, and how many there are": async () => {
    await store.accounts.searchAccounts("", { after: null, limit: 50 }, now);
    await store.accounts.countAccounts();
    // The number alone: it is counted in an index, in the time of an admin's click.
    asked = asked.filter(({ text }) => text !== 'select count(*) as "total" from "accounts"');
  },
  "accounts whose id or address begins with a text": async () => {
    await store.accounts.searchAccounts(account.id.slice(0, 8), { after: null, limit: 50 }, now);
    // The rest of the search is read in slices, each in the order of an index.
    asked = asked.filter(({ text }) => !text.includes("as slice"));
  },
  "a later page of accounts, newest first": () =>
    store.accounts.searchAccounts("", { after: `newest 1 ${account.id}`, limit: 50 }, now),
  "summaries of some accounts": () => store.accounts.findSummaries([account.id], now),
  "an edited key": () => store.updateKey(key.id, key),
  "the sessions of an account": () => store.sessions.list(account.id, 100),
  "pending invitations": () => store.links.listInvites(now, 500),
  "a revoked invitation": () => store.links.revokeInvite(hash),
  "audit lines by an account": () => store.audit.list(null, 100, { actor: account.id }),
  "audit lines of an action": () => store.audit.list(null, 100, { action: "signed in" }),
  "audit lines of a period": () => store.audit.list(null, 100, { from: new Date(0), to: now }),
  "audit lines about an account": () =>
    store.audit.list(null, 100, { account: account.id, action: "signed in", from: new Date(0), to: now }),
  "a page of accounts": () => store.accounts.listSummaries(null, 1_000, now),
  "a later page of accounts": () => store.accounts.listSummaries(account, 1_000, now),
  "an account's summary": () => store.accounts.findSummary(account.id, now),
  "old sessions": () => store.sessions.prune(now, now),
  "old links": () => store.links.prune(now),
  "old usage": () => store.usage.prune(now),
  "what was used of a quota": () => store.quotas.used(account.id, key.id, "2030-01"),
  "a warning about a quota": () => store.quotas.claimWarning(account.id, "tokens", now),
  "old days of quotas": () => store.quotas.prune("2030-01-01", now),
  "old audit lines": () => store.audit.prune(now),
  "audit lines about what is gone": () => store.audit.forgetDeleted(now),
  "old changes": () => store.changes.prune(now),
  "a plan that nobody is on": () => store.accounts.deletePlan("gold"),
  "less power for an admin": () => store.accounts.setRole(account.id, "user"),
  "a suspension": () => store.setAccountSuspended(account.id, now),
  "a rotation": () => store.rotateKey(key.id, now, newKey(account.id)),
  "a deletion": () => store.deleteAccount(account.id),
};
it.each(Object.entries(queries))("finds by an index: %s", async (_name, ask) => {
  await ask();
  expect(asked).not.toEqual([]);
  expect(scans()).toEqual([]);
});

const personal = ["accounts", "keys", "sessions", "links", "usage", "account_days", "key_days", "key_spans"];
it.each([...personal, "audit", "changes"])(
  "uses an index to find the data stored about an account: %s",
  async (table) => {
    const cursors: Record<string, string> = {
      usage: "0 key_1 omega",
      account_days: "0 omega",
      key_days: "0 key_1 omega",
      key_spans: "0 key_1 omega",
      audit: "ab",
    };
    for (const after of [null, cursors[table] ?? "0"]) {
      expect(await store.stored.read(account.id, table, after, 50)).not.toBeNull();
    }
    expect(scans()).toEqual([]);
  },
);

it("notices a query that reads a whole table", async () => {
  await store.accounts.countByPlan();
  database.prepare("drop index accounts_by_role").run([]);
  await store.accounts.hasAdmin();
  expect(scans().some((scan) => scan.includes('"role" = ?'))).toBe(true);
});
