/** What a server's database threads survive, and what survives them. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type Database from "libsql";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../../src/core/store.js";
import type { Schema } from "../../../src/store/sql/schema.js";
import { databasePath, openSqliteStore } from "../../../src/store/sql/sqlite.js";
import { connect } from "../../../src/store/sql/sqlite/connection.js";
import { threadDialect, type ThreadsOptions } from "../../../src/store/sql/sqlite/thread-dialect.js";
import { eventually } from "../../support/eventually.js";
import { builtThreads, testPlan } from "../../support/stores/temporary-store.js";
import { scriptArguments, sourceModule } from "../../support/processes/script.js";
import { rejectionOf } from "../../support/rejection.js";

let folder: string;
let path: string;
let beside: Database.Database;
const opened: Kysely<Schema>[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-threads-"));
  path = databasePath(folder);
  await (await openSqliteStore({ path, defaultPlan: testPlan })).close();
  // The last connection of a thread that ends holds the file alone for a moment.
  beside = connect(path);
});
afterEach(async () => {
  if (beside.inTransaction) beside.exec("rollback");
  await Promise.all(opened.splice(0).map((db) => db.destroy()));
  beside.close();
  await rm(folder, { recursive: true, force: true });
});

const open = (threads: ThreadsOptions = {}): Kysely<Schema> => {
  const db = new Kysely<Schema>({ dialect: threadDialect(path, { ...builtThreads, ...threads }) });
  opened.push(db);
  return db;
};
const put = (db: Kysely<Schema>, name: string) =>
  db.insertInto("settings").values({ name, value: "v" }).execute();
/** However often it takes. */
const putEventually = (db: Kysely<Schema>, name: string) =>
  eventually(() =>
    sql`insert into settings values (${name}, 'v') on conflict do nothing`.execute(db).then(
      () => true,
      () => undefined,
    ),
  );
const names = () => beside.prepare("select name from settings order by name").pluck().all().map(String);
const causeOf = async (work: Promise<unknown>) => (await rejectionOf(StoreUnavailable, work)).cause;

describe("while another process holds the database", () => {
  it("no more statements are queued than allowed, and those that are succeed later", async () => {
    const db = open({ queued: 5 });
    await put(db, "before");
    beside.exec("begin immediate");
    const queued = Array.from({ length: 5 }, (_, index) => put(db, `n${index}`));
    // Kysely takes a few turns to hand a query over.
    await new Promise((resolve) => setImmediate(resolve));
    expect(await causeOf(put(db, "too many"))).toMatchObject({ code: "EAGAIN" });
    beside.exec("rollback");
    await Promise.all(queued);
    await put(db, "after");
    expect(names()).toEqual(["after", "before", "n0", "n1", "n2", "n3", "n4"]);
  });

  it("transactions that wait for one another are bounded, too", async () => {
    const db = open({ queued: 2 });
    let waiting: Promise<unknown>[] = [];
    await db.transaction().execute(async (transaction) => {
      waiting = [put(db, "a"), put(db, "b")];
      await new Promise((resolve) => setImmediate(resolve));
      const tooMany = db.transaction().execute((third) => put(third, "c"));
      expect(await causeOf(tooMany)).toMatchObject({ code: "EAGAIN" });
      await put(transaction, "d");
    });
    await Promise.all(waiting);
    await put(db, "e");
    expect(names()).toEqual(["a", "b", "d", "e"]);
  });

  it("statements whose callers have given up still count as queued", async () => {
    const db = open({ queued: 2, answerMs: 300 });
    await putEventually(db, "before");
    beside.exec("begin immediate");
    const causes = await Promise.all([put(db, "a"), put(db, "b")].map(causeOf));
    expect(causes).toMatchObject([{ code: "ETIMEDOUT" }, { code: "ETIMEDOUT" }]);
    expect(await causeOf(put(db, "c"))).toMatchObject({ code: "EAGAIN" });
    beside.exec("rollback");
    await putEventually(db, "after");
  });

  it("a statement is given up after its time limit, and never begins afterwards", async () => {
    const db = open({ answerMs: 300 });
    await putEventually(db, "before");
    beside.exec("begin immediate");
    const causes = await Promise.all(
      [
        put(db, "first"),
        db.transaction().execute((transaction) => put(transaction, "second")),
        put(db, "third"),
      ].map(causeOf),
    );
    expect(causes).toMatchObject(causes.map(() => ({ code: "ETIMEDOUT" })));
    beside.exec("rollback");
    await putEventually(db, "after");
    expect(names()).toContain("after");
    expect(names()).not.toContain("second");
    expect(names()).not.toContain("third");
  });
});

/** A thread with the real database, and something else that happens to it. */
const threadWith = async (before: string, after: string): Promise<URL> => {
  const real = pathToFileURL(resolve("dist/sqlite-worker.js")).href;
  const file = join(folder, "thread.mjs");
  await writeFile(
    file,
    `import { parentPort } from "node:worker_threads"; ${before}; await import(${JSON.stringify(real)}); ${after};`,
  );
  return pathToFileURL(file);
};

it("a transaction with a statement that got no answer cannot be committed", async () => {
  const deaf = await threadWith(
    `const on = parentPort.on.bind(parentPort);
     parentPort.on = (event, listener) =>
       on(event, (message) => { if (!message.sql?.includes("unheard")) listener(message); })`,
    "",
  );
  const db = open({ workerFile: deaf, answerMs: 500 });
  await putEventually(db, "before");
  const broken = db.transaction().execute(async (transaction) => {
    await put(transaction, "first half");
    const unheard = sql`update settings set value = 'unheard'`.execute(transaction);
    expect(await causeOf(unheard)).toMatchObject({ code: "ETIMEDOUT" });
    await put(transaction, "second half").catch(() => undefined);
  });
  expect(await causeOf(broken)).toMatchObject({ code: "ECONNRESET" });
  await putEventually(db, "after");
  expect(names()).toEqual(["after", "before"]);
});

describe("a thread that ends", () => {
  /** Ends after a statement that says so. */
  const mortal = () =>
    threadWith("", `parentPort.on("message", ({ sql }) => { if (sql?.includes("die")) process.exit(1); })`);
  const die = (db: Kysely<Schema>) =>
    sql`update settings set value = 'die' where name = 'nobody'`.execute(db);

  it("is unavailable to those that wait, and the next statement starts another", async () => {
    const db = open({ workerFile: await mortal(), restartMs: 0 });
    await put(db, "before");
    // Answered or not: it ends right after.
    await die(db).catch(() => undefined);
    await putEventually(db, "after");
    expect(names()).toEqual(["after", "before"]);
    expect(await db.selectFrom("settings").selectAll().execute()).toHaveLength(2);
  });

  it("rejects everything that waits for it", async () => {
    const silent = new URL(
      `data:text/javascript,${encodeURIComponent(
        `import { parentPort } from "node:worker_threads";
         let seen = 0;
         parentPort.on("message", (message) => { if (message === "close" || ++seen === 3) process.exit(1); });`,
      )}`,
    );
    const reported: unknown[] = [];
    const options = { ...builtThreads, workerFile: silent, restartMs: 60_000 };
    const dialect = threadDialect(path, options, (error) => reported.push(error.cause));
    const db = new Kysely<Schema>({ dialect });
    opened.push(db);
    const causes = await Promise.all([put(db, "a"), put(db, "b"), put(db, "c")].map(causeOf));
    expect(causes).toMatchObject(Array.from({ length: 3 }, () => ({ code: "ECONNRESET" })));
    expect(reported).toEqual(causes);
    // Not yet another one.
    expect(await causeOf(put(db, "d"))).toMatchObject({ code: "ECONNRESET" });
  });

  it("takes its transaction with it: what comes after is not carried out by itself", async () => {
    const db = open({ workerFile: await mortal(), restartMs: 0 });
    await put(db, "before");
    const broken = db.transaction().execute(async (transaction) => {
      await put(transaction, "first half");
      await die(transaction).catch(() => undefined);
      let attempts = 0;
      await eventually(async () => {
        await put(transaction, `second half ${++attempts}`);
        return false;
      });
    });
    expect(await causeOf(broken)).toMatchObject({ code: "ECONNRESET" });
    await putEventually(db, "after");
    expect(names().filter((name) => name.includes("half"))).toEqual([]);
  });

  it("is reported with its cause when it cannot open the database", async () => {
    beside.close();
    beside = connect(":memory:");
    await rm(folder, { recursive: true });
    const db = open({ restartMs: 60_000 });
    expect(await causeOf(put(db, "a"))).toMatchObject({ code: "SQLITE_CANTOPEN" });
  });
});

describe("a process", () => {
  const script = (work: string): string[] =>
    scriptArguments(
      `import { openSqliteStore } from ${sourceModule("store/sql/sqlite.ts")};
       const store = await openSqliteStore(${JSON.stringify({ path, defaultPlan: testPlan, threads: {} })});
       ${work}`,
    );
  const run = (work: string): Promise<{ code: unknown; stderr: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, script(work), (error, _, stderr) => {
        resolve({ code: error === null ? 0 : (error.signal ?? error.code), stderr });
      });
    });

  it("that is killed has lost nothing that was reported", async () => {
    const child = spawn(
      process.execPath,
      script(`let next = 0;
        const write = async () => {
          for (;;) {
            const name = "n" + next++;
            await store.setSetting(name, "v");
            process.stdout.write(name + "\\n");
          }
        };
        await Promise.all(Array.from({ length: 32 }, write));`),
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const reported: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      reported.push(line);
      if (reported.length === 500) child.kill("SIGKILL");
    }
    expect(reported.length).toBeGreaterThanOrEqual(500);
    const kept = new Set(names());
    expect(reported.filter((name) => !kept.has(name))).toEqual([]);
  });

  it.each([
    [
      "while a statement runs",
      "await store.ping(); for (let i = 0; i < 500; i++) void store.setSetting('n' + i, 'v');",
    ],
    ["while its threads start", "void store.ping();"],
  ])("exits with its own code %s", async (_, work) => {
    const { code, stderr } = await run(`${work} setTimeout(() => process.exit(3), 5);`);
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
  });

  it("ends by itself with an idle database open, and waits for an answer that is due", async () => {
    const { code, stderr } = await run("await store.setSetting('a', 'b'); void store.setSetting('c', 'd');");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(names()).toEqual(["a", "c"]);
  });
});
