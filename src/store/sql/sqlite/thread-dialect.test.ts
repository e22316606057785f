import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type Database from "libsql";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtThreads, testPlan } from "../../../../test/support/stores/temporary-store.js";
import { StoreUnavailable } from "../../../core/store.js";
import type { Schema } from "../schema.js";
import { databasePath, openSqliteStore } from "../sqlite.js";
import { connect } from "./connection.js";
import { threadDialect, type ThreadsOptions } from "./thread-dialect.js";

let folder: string;
let path: string;
let beside: Database.Database;
const opened: { destroy(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-threads-"));
  path = databasePath(folder);
  await (await openSqliteStore({ path, defaultPlan: testPlan })).close();
  beside = connect(path);
});
afterEach(async () => {
  if (beside.inTransaction) beside.exec("rollback");
  await Promise.all(opened.splice(0).map((db) => db.destroy()));
  beside.close();
  await rm(folder, { recursive: true, force: true });
});

const openIn = (threads: ThreadsOptions): Kysely<Schema> => {
  const db = new Kysely<Schema>({ dialect: threadDialect(path, threads) });
  opened.push(db);
  return db;
};
const open = (threads: ThreadsOptions = {}): Kysely<Schema> => openIn({ ...builtThreads, ...threads });
const put = (db: Kysely<Schema>, name: string, value = "v") =>
  db.insertInto("settings").values({ name, value }).execute();
const names = async (db: Kysely<Schema>): Promise<string[]> =>
  (await db.selectFrom("settings").select("name").orderBy("name").execute()).map(({ name }) => name);
const namesBeside = () => beside.prepare("select name from settings order by name").pluck().all();
/** For the part of a second, for seconds, for as long as a busy machine may need. */
const counts = [700_000, 7_000_000, 35_000_000];
const countingTo = (most: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most})`;
const longRead = (db: Kysely<Schema>, to: string) =>
  sql<{ count: number }>`select count(*) as count from (${sql.raw(to)} select i from n)`.execute(db);
const causeOf = async (work: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreUnavailable);
  return error instanceof StoreUnavailable ? error.cause : null;
};

describe("the event loop", () => {
  it.each(["from its source", "as it is built"])(
    "goes on while a statement runs in a thread, %s",
    async (how) => {
      const db = openIn(how === "as it is built" ? builtThreads : { readers: 1 });
      let turns = 0;
      const others = setInterval(() => (turns += 1), 1);
      // A machine that is busy may give this process no turn while a short one runs.
      for (const most of counts) if (turns < 2) await longRead(db, countingTo(most));
      clearInterval(others);
      expect(turns).toBeGreaterThan(1);
    },
  );
});

describe("reads", () => {
  it("see every write that was awaited before", async () => {
    const db = open({ readers: 2 });
    for (let round = 0; round < 50; round++) {
      await put(db, `single ${round}`);
      await db.transaction().execute((transaction) => put(transaction, `together ${round}`));
      const seen = await Promise.all([names(db), names(db), names(db)]);
      for (const found of seen) expect(found).toHaveLength(2 * round + 2);
    }
  });

  it("that take long hold up neither writes nor, with a second reader, other reads", async () => {
    const db = open({ readers: 2, busyMs: 0 });
    await names(db);
    /** A second reader is slow to start on a busy machine: then a longer read shows what the first did not. */
    const attempt = async (most: number): Promise<string[]> => {
      const order: string[] = [];
      const long = longRead(db, countingTo(most)).then(({ rows }) =>
        order.push(`long read of ${rows[0]?.count}`),
      );
      await put(db, `${most}`);
      order.push("write");
      await names(db);
      order.push("short read");
      await long;
      return order;
    };
    const orders: string[][] = [];
    for (const most of counts) {
      orders.push(await attempt(most));
      if (orders.at(-1)?.[2] !== "short read") break;
    }
    expect(orders.at(-1)).toEqual(["write", "short read", expect.stringMatching(/^long read of \d+$/)]);
  });

  it("are the writer's until one takes long, and those answered quickly start no second reader, however many come at once", async () => {
    const worker = join(folder, "thread.mjs");
    const real = JSON.stringify(String(builtThreads.workerFile));
    await writeFile(
      worker,
      `import { writeFileSync } from "node:fs"; import { threadId } from "node:worker_threads";
       writeFileSync(${JSON.stringify(folder)} + "/started-" + threadId, ""); await import(${real});`,
    );
    // Longer than this test takes.
    const db = open({ readers: 2, busyMs: 600_000, workerFile: pathToFileURL(worker) });
    const started = async () => (await readdir(folder)).filter((name) => name.startsWith("started-"));
    const readMany = () => Promise.all(Array.from({ length: 50 }, () => names(db)));
    await readMany();
    await put(db, "a");
    expect(await started()).toHaveLength(1);
    await longRead(db, countingTo(10));
    await readMany();
    expect(await started()).toHaveLength(2);
  });

  it("never see what is not committed", async () => {
    const db = open();
    await db.transaction().execute(async (transaction) => {
      await put(transaction, "a");
      expect(await names(transaction)).toEqual(["a"]);
      expect(await names(db)).toEqual([]);
    });
    expect(await names(db)).toEqual(["a"]);
  });
});

describe("writes", () => {
  it("are committed when they are answered, however many are on their way", async () => {
    const db = open();
    const wanted = Array.from({ length: 300 }, (_, index) => `n${index}`);
    await Promise.all(
      wanted.map(async (name) => {
        await put(db, name);
        expect(namesBeside()).toContain(name);
      }),
    );
  });

  it("that queue up share commits, and one that fails, fails alone", async () => {
    const db = open();
    await put(db, "taken");
    beside.exec("begin immediate");
    // Waits for the other connection, and everything else behind it.
    const first = put(db, "first");
    const before = await stat(`${path}-wal`);
    const wanted = Array.from({ length: 200 }, (_, index) => (index === 100 ? "taken" : `n${index}`));
    const queued = Promise.allSettled(wanted.map((name) => put(db, name)));
    await new Promise((resolve) => setImmediate(resolve));
    beside.exec("rollback");
    await first;
    const outcomes = await queued;
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(outcomes[100]).toMatchObject({
      status: "rejected",
      reason: { name: "SqliteError", code: "SQLITE_CONSTRAINT_PRIMARYKEY", rawCode: 1555 },
    });
    expect(await names(db)).toHaveLength(201);
    // Each commit by itself appends the pages it changed, at least one.
    const pages = ((await stat(`${path}-wal`)).size - before.size) / 4_120;
    expect(pages).toBeLessThan(100);
  });

  it("that do not fit are unavailable, and those beside them succeed", async () => {
    const db = open();
    const used = Number(beside.prepare("pragma page_count").pluck().all()[0]);
    await sql`pragma max_page_count = ${sql.lit(used + 4)}`.execute(db);
    const [small, large, other] = await Promise.allSettled([
      put(db, "small"),
      put(db, "large", "x".repeat(100_000)),
      put(db, "other"),
    ]);
    expect([small.status, other.status]).toEqual(["fulfilled", "fulfilled"]);
    expect(large).toMatchObject({ reason: { name: "StoreUnavailable", cause: { code: "SQLITE_FULL" } } });
    const inTransaction = db
      .transaction()
      .execute((transaction) => put(transaction, "large", "x".repeat(100_000)));
    expect(await causeOf(inTransaction)).toMatchObject({ code: "SQLITE_FULL" });
    expect(await names(db)).toEqual(["other", "small"]);
  });

  it("store and return bytes, numbers, text and null as a synchronous connection does", async () => {
    const db = open();
    const buffer = Buffer.from("....bytes....").subarray(4, 9);
    const values = [buffer, null, 1, -1.5, 2 ** 40, "täxt"];
    const bound = sql.join(values.map((value, index) => sql`${value} as ${sql.ref(`c${index}`)}`));
    const { rows } = await sql`select ${bound}`.execute(db);
    const text = values.map((_, index) => `? as c${index}`).join(", ");
    expect(rows).toEqual(beside.prepare(`select ${text}`).all(values));
    expect(rows).toMatchObject([{ c1: null, c2: 1, c3: -1.5, c4: 2 ** 40, c5: "täxt" }]);
    const written = await sql`insert into settings values ('a', ${buffer})`.execute(db);
    expect(written.numAffectedRows).toBe(1n);
    const hex = await sql`select hex(value) as hex from settings`.execute(db);
    expect(hex.rows).toEqual([{ hex: Buffer.from("bytes").toString("hex").toUpperCase() }]);
  });

  it("with a parameter of an unsupported type are rejected, without quoting it", async () => {
    const db = open();
    const error: unknown = await sql`select ${true}`.execute(db).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain("true");
  });
});

describe("a transaction", () => {
  it("has the thread that writes to itself", async () => {
    const db = open();
    const order: string[] = [];
    let single: Promise<unknown> = Promise.resolve();
    let other: Promise<unknown> = Promise.resolve();
    const failing = db.transaction().execute(async (transaction) => {
      await put(transaction, "rolled back");
      single = put(db, "single").then(() => order.push("single"));
      other = db
        .transaction()
        .execute((second) => put(second, "other"))
        .then(() => order.push("other"));
      await put(transaction, "rolled back, too");
      order.push("failing");
      throw new RangeError("no");
    });
    await expect(failing).rejects.toThrow(RangeError);
    await Promise.all([single, other]);
    expect(order).toEqual(["failing", "single", "other"]);
    expect(await names(db)).toEqual(["other", "single"]);
  });

  it("whose commit is refused leaves nothing behind, and the next one begins", async () => {
    const db = open();
    await sql`create table owners (name text references settings deferrable initially deferred)`.execute(db);
    const dangling = db.transaction().execute(async (transaction) => {
      await put(transaction, "a");
      await sql`insert into owners values ('nobody')`.execute(transaction);
    });
    await expect(dangling).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
    await db.transaction().execute((transaction) => put(transaction, "b"));
    expect(await names(db)).toEqual(["b"]);
  });
});

describe("closing", () => {
  it("answers all that was asked before, and nothing after", async () => {
    const db = open();
    const writes = [put(db, "a"), put(db, "b"), db.transaction().execute((both) => put(both, "c"))];
    const reads = names(db);
    // Taken up, as far as Kysely is concerned.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([...writes, reads, db.destroy()]);
    expect(namesBeside()).toEqual(["a", "b", "c"]);
    await expect(put(db, "d")).rejects.toThrow(/destroyed/);
  });
});
