import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FullStore } from "../../src/store/full-store.js";
import type { UsageBucketRow } from "../../src/core/usage/ports.js";
import { noKeyLimits } from "../../src/core/entities.js";
import { noFirstTokens } from "../../src/core/usage/first-tokens.js";
import { copyStore } from "../../src/store/sql/copy-store.js";
import { lockDataDir } from "../../src/store/data-dir-lock.js";
import { moveToPostgres } from "../../src/store/sql/move-to-postgres.js";
import { connectPostgres, openPostgresStore } from "../../src/store/sql/postgres.js";
import { connectSqlite, databasePath, openDatabase, openSqliteStore } from "../../src/store/sql/sqlite.js";
import { at, newPasskey, newSession, someHash } from "../contract/store/dashboard-store.js";
import { sharedPostgres } from "../support/stores/postgres.js";
import { testPlan } from "../support/stores/temporary-store.js";
import { CommandLine } from "./run.js";

let commandLine: CommandLine;
let source: FullStore;
let database: string;
let url: string;
const opened: FullStore[] = [];

beforeEach(async () => {
  commandLine = await CommandLine.open();
  source = await openSqliteStore({ path: databasePath(commandLine.dataDir), defaultPlan: testPlan });
  const server = await sharedPostgres();
  database = await server.createDatabase();
  url = server.url(database);
});
afterEach(async () => {
  await Promise.all([source, ...opened.splice(0)].map((store) => store.close()));
  await (await sharedPostgres()).dropDatabase(database);
  await commandLine.dispose();
});

const openTarget = async (): Promise<FullStore> => {
  const store = await openPostgresStore({ url, poolSize: 2, defaultPlan: testPlan });
  opened.push(store);
  return store;
};

/** Something in every table, with what databases like to disagree about. */
async function fill(
  store: FullStore,
): Promise<{ accountId: string; keyHash: Uint8Array; sessionHash: Uint8Array }> {
  await store.putPlan({ ...testPlan, requestsPerMinute: 7, models: ["omega"] });
  await store.putPlan({ ...testPlan, id: "large", tokensPerMinute: 900_000_000, maxTokens: 4_000 });
  const { id: accountId } = await store.createAccount({
    email: "Zoë@Example.com",
    passwordHash: "$argon2id$v=19$…",
    role: "admin",
    planId: "large",
  });
  for (let i = 0; i < 30; i++) {
    await store.createAccount({
      email: `User${i}@example.com`,
      passwordHash: null,
      role: "user",
      planId: "free",
    });
  }
  const keyHash = someHash();
  const key = { accountId, name: "naïve 🔑 'quoted' \\ name", lastFour: "wxyz", hash: keyHash };
  await store.createKey({
    ...key,
    models: ["omega", "prism"],
    operations: ["chat"],
    limits: { ...noKeyLimits, requestsPerMinute: 7, concurrentRequests: 2, tokensPerMonth: 90_000_000_000 },
    expiresAt: at("10:00:00.123"),
  });
  const ended = await store.createKey({
    ...key,
    hash: someHash(),
    models: null,
    operations: null,
    limits: noKeyLimits,
    expiresAt: null,
  });
  await store.revokeKey(ended.id, at("09:00:00.001"));
  await store.accounts.setKeyDisabled(ended.id, at("08:00:00"));
  const sessionHash = Uint8Array.from(someHash().fill(0, 0, 4).fill(255, 4, 8));
  await store.sessions.create(newSession(accountId, { hash: sessionHash, lastSeenAt: at("09:00:00") }));
  await store.factors.beginTotp(accountId, "sealed", at("08:00:00"));
  await store.factors.addPasskey(newPasskey(accountId));
  await store.factors.replaceRecoveryCodes(accountId, [someHash(), someHash()]);
  const step = { kind: "second_factor", hash: someHash(), accountId, expiresAt: at("08:05:00") } as const;
  await store.signInSteps.create(step);
  const link = { hash: someHash(), createdAt: at("08:00:00"), expiresAt: at("20:00:00") };
  await store.links.create({ ...link, kind: "invite", accountId: null, emailHash: someHash() });
  await store.links.create({ ...link, hash: someHash(), kind: "reset", accountId, emailHash: null });
  await store.usage.add(Array.from({ length: 1_203 }, (_, i) => usage(accountId, i)));
  const item = {
    id: "chg_1",
    title: "One\\two",
    body: "Line\nline\ttab",
    publishedAt: at("08:00:00"),
    updatedAt: at("08:00:01"),
  };
  await store.news.createItem(item);
  await store.news.createWindow({
    ...item,
    id: "mnt_1",
    startsAt: at("10:00:00"),
    endsAt: at("11:00:00"),
    endedAt: null,
  });
  await store.audit.add({ at: at("08:00:00"), actor: accountId, action: "created key", target: "key_1" });
  await store.setSetting("feed_id", "a-b-c");
  return { accountId, keyHash, sessionHash };
}

const usage = (accountId: string, i: number): UsageBucketRow => ({
  accountId,
  keyId: `key_${i % 7}`,
  model: i % 2 === 0 ? "omega" : "prism",
  start: new Date(Date.UTC(2030, 0, 1) + i * 3_600_000),
  requests: i + 1,
  errors: i % 3,
  promptTokens: 3_000_000_000 + i,
  completionTokens: i * 10,
  rateLimited: i,
  unavailable: 1,
  firstTokenMs: i,
  firstTokens: noFirstTokens,
  firstTokenMinMs: null,
  firstTokenMaxMs: i,
});

/** What a store says about everything in it. */
async function contents(
  store: FullStore,
  { accountId, keyHash, sessionHash }: Awaited<ReturnType<typeof fill>>,
) {
  const ever = { accountId, from: new Date(0), to: new Date(8.64e15) };
  return {
    accounts: (await store.listAccounts()).sort((a, b) => (a.id < b.id ? -1 : 1)),
    credentials: await store.accounts.findCredentials("zoë@example.com"),
    plans: (await store.listPlans()).sort((a, b) => (a.id < b.id ? -1 : 1)),
    key: await store.findKeyByHash(keyHash),
    keys: await store.listKeys(accountId),
    session: await store.sessions.find(sessionHash),
    usage: await store.usage.read(ever, 3_600_000),
    items: await store.news.listItems(10),
    windows: await store.news.listWindows(10),
    audit: await store.audit.list(null, 10),
    setting: await store.getSetting("feed_id"),
    changes: await store.changes.readAfter(0, 100),
    last: await store.changes.last(),
  };
}

describe("sotto store copy", () => {
  it("brings everything over, and the new database goes on from there", async () => {
    const filled = await fill(source);
    const before = await contents(source, filled);
    expect(await commandLine.json("store", "copy", url)).toMatchObject({
      tables: {
        plans: 2,
        accounts: 31,
        keys: 2,
        sessions: 1,
        links: 2,
        usage: 1_203,
        changelog: 1,
        audit: 1,
      },
    });
    const target = await openTarget();
    expect(await contents(target, filled)).toEqual(before);
    await target.changes.append("models_changed", "");
    expect(await target.changes.last()).toBe(before.last + 1);
    // The source is as it was.
    expect(await contents(source, filled)).toEqual(before);
  });

  it("prints a summary and the next steps", async () => {
    const { code, stdout } = await commandLine.run("store", "copy", url);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^TABLE +ROWS\n/);
    expect(stdout).toContain("SOTTO_DATABASE_URL");
    const old = databasePath(commandLine.dataDir);
    expect(stdout).toContain(
      `delete the old database, which still holds every account and key:\n\n  rm -f ${old} `,
    );
  });

  it("refuses a target with rows in it, and leaves them alone", async () => {
    await fill(source);
    const target = await openTarget();
    await target.createAccount({ email: "a@b", passwordHash: null, role: "user", planId: "free" });
    const { code, stderr } = await commandLine.run("store", "copy", url);
    expect(code).toBe(1);
    expect(stderr).toContain("The target is not empty: its table accounts has rows.");
    expect(await target.listAccounts()).toHaveLength(1);
  });

  it("says which address is wrong", async () => {
    const { code, stderr } = await commandLine.run("store", "copy", "postgres://127.0.0.1:1/none");
    expect(code).toBe(1);
    expect(stderr).toContain("The database none on 127.0.0.1:1 cannot be opened");
    expect((await commandLine.run("store", "copy", "mysql://x/y")).stderr).toContain(
      "must be an address such as",
    );
  });

  it("refuses while a server is running, and names it", async () => {
    await fill(source);
    const server = lockDataDir(commandLine.dataDir);
    const refused = await commandLine.run("store", "copy", url);
    server.release();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`A Sotto server (process ${process.pid}) is running`);
    expect(refused.stderr).toContain("Nothing was copied.");
    expect(await (await openTarget()).listAccounts()).toEqual([]);
    expect((await commandLine.run("store", "copy", url)).code).toBe(0);
  });

  it("lets no server start before it has finished", async () => {
    await fill(source);
    let refusal: unknown;
    const onProgress = () => {
      try {
        lockDataDir(commandLine.dataDir).release();
      } catch (error) {
        refusal = error;
      }
    };
    const path = databasePath(commandLine.dataDir);
    await moveToPostgres({ path, url, defaultPlan: testPlan, upgradeCopyDays: 0, onProgress });
    expect(String(refusal)).toContain(`'sotto store copy' (process ${process.pid}) is copying`);
    lockDataDir(commandLine.dataDir).release();
  });

  it("makes no database where there is none to copy", async () => {
    const empty = new CommandLine(join(commandLine.dataDir, "nowhere"));
    const { code, stderr } = await empty.run("store", "copy", url);
    expect(code).toBe(1);
    expect(stderr).toContain("There is no database at");
  });
});

describe("a copy", () => {
  const copy = async (options: { wasSourceWritten?: () => boolean; onProgress?: () => void }) => {
    await openTarget();
    const from = connectSqlite(await openDatabase(databasePath(commandLine.dataDir)));
    const to = connectPostgres(url, { max: 1 });
    try {
      return await copyStore({ source: from, target: to, wasSourceWritten: () => false, ...options });
    } finally {
      await from.destroy();
      await to.destroy();
    }
  };

  it("is given up when the source was written to meanwhile", async () => {
    await fill(source);
    await expect(copy({ wasSourceWritten: () => true })).rejects.toThrow(/Stop the server and try again/);
    expect(await (await openTarget()).listAccounts()).toEqual([]);
  });

  it("that fails in the middle leaves nothing behind", async () => {
    await fill(source);
    let batches = 0;
    const onProgress = () => {
      batches += 1;
      if (batches > 5) throw new Error("out of ink");
    };
    await expect(copy({ onProgress })).rejects.toThrow("out of ink");
    const target = await openTarget();
    expect(await target.listAccounts()).toEqual([]);
    expect(await target.findPlan("free")).toMatchObject({ requestsPerMinute: testPlan.requestsPerMinute });
  });

  it("is aborted if the copied rows differ from the original", async () => {
    await fill(source);
    await openTarget();
    const server = await sharedPostgres();
    await server.query(
      `create function spoil() returns trigger language plpgsql as 'begin new.requests = new.requests + 1; return new; end';
       create trigger spoil before insert on usage for each row when (new.key_id = 'key_3') execute function spoil();`,
      database,
    );
    await expect(copy({})).rejects.toThrow(/The copy of the table usage differs from its source/);
    expect(await (await openTarget()).listAccounts()).toEqual([]);
  });
});

describe("sotto backup", () => {
  it("writes a whole copy for the owner's eyes only, while the database is in use", async () => {
    const filled = await fill(source);
    const file = join(commandLine.dataDir, "backup.db");
    expect(await commandLine.json("backup", file)).toMatchObject({ file });
    const { mode } = await stat(file);
    expect((mode & 0o777).toString(8)).toBe("600");
    const restored = await openSqliteStore({ path: file, defaultPlan: testPlan });
    opened.push(restored);
    expect(await contents(restored, filled)).toEqual(await contents(source, filled));
  });

  it("never writes over a file", async () => {
    const file = join(commandLine.dataDir, "precious");
    await writeFile(file, "precious");
    const { code, stderr } = await commandLine.run("backup", file);
    expect(code).toBe(1);
    expect(stderr).toContain("Choose a file that does not exist yet");
    expect(await readFile(file, "utf8")).toBe("precious");
  });

  it("makes no database where there is none", async () => {
    await mkdir(join(commandLine.dataDir, "nothing"));
    const empty = new CommandLine(join(commandLine.dataDir, "nothing"));
    expect((await empty.run("backup", join(commandLine.dataDir, "b"))).stderr).toContain(
      "There is no database at",
    );
  });

  it("names the tool for a database in Postgres", async () => {
    const config = join(commandLine.dataDir, "config.yaml");
    await writeFile(config, `database_url: ${url}\n`);
    const { code, stderr } = await commandLine.run("backup", "b", "--config", config);
    expect(code).toBe(1);
    expect(stderr).toContain("pg_dump");
  });
});
