import { spawn, execFile } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FullStore } from "../../../src/store/full-store.js";
import { migrations } from "../../../src/store/sql/migrate.js";
import { openPostgresStore } from "../../../src/store/sql/postgres.js";
import { sharedPostgres, type TestPostgres } from "../../support/stores/postgres.js";
import { testPlan } from "../../support/stores/temporary-store.js";
import { scriptArguments, sourceModule } from "../../support/processes/script.js";

let server: TestPostgres;
let database: string;
const opened: FullStore[] = [];

beforeEach(async () => {
  server = await sharedPostgres();
  database = await server.createDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
  await server.dropDatabase(database);
});

const open = async (): Promise<FullStore> => {
  const store = await openPostgresStore({ url: server.url(database), poolSize: 2, defaultPlan: testPlan });
  opened.push(store);
  return store;
};
const applied = () => server.query("select number, name from migrations order by number", database);
const all = migrations.map(({ number, name }) => ({ number, name }));

it("a process killed during a migration keeps the earlier ones, and the next process resumes", async () => {
  const script = `
    import { migrate, migrations } from ${sourceModule("store/sql/migrate.ts")};
    import { connectPostgres, postgresMigration } from ${sourceModule("store/sql/postgres.ts")};
    const [first, second] = migrations;
    const stuck = {
      ...second,
      up: async (db, context) => {
        await second.up(db, context);
        console.log("in the middle");
        await new Promise(() => setInterval(() => {}, 1_000));
      },
    };
    const db = connectPostgres(${JSON.stringify(server.url(database))});
    const context = { bytesType: "bytea", defaultPlan: ${JSON.stringify(testPlan)} };
    await migrate(db, context, { ...postgresMigration, migrations: [first, stuck] });`;
  const child = spawn(process.execPath, scriptArguments(script), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  // Another replica waits for it meanwhile.
  const waiting = open();
  child.kill("SIGKILL");
  await exited;

  const store = await waiting;
  expect(await applied()).toEqual(all);
  expect(await store.accounts.hasAdmin()).toBe(false);
  expect(await store.listPlans()).toHaveLength(1);
});

it("is done once when several processes open a new database at the same time", async () => {
  const startAt = Date.now() + 2_000;
  const options = { url: server.url(database), poolSize: 1, defaultPlan: testPlan };
  const script = `
    import { openPostgresStore } from ${sourceModule("store/sql/postgres.ts")};
    while (Date.now() < ${startAt});
    const store = await openPostgresStore(${JSON.stringify(options)});
    console.log(await store.initSetting("winner", String(process.pid)));
    await store.close();`;
  const results = await Promise.all(
    Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, scriptArguments(script))),
  );
  expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1);
  expect(await applied()).toEqual(all);
});

it("is refused when a newer version wrote the database, which is left as it was", async () => {
  await open();
  await server.query("insert into migrations values (99, 'from-the-future', 0, '9.9.9')", database);
  const before = await applied();
  await expect(open()).rejects.toThrow(
    /by a newer version of Sotto, 9\.9\.9 .* Start that version or a newer one\./,
  );
  expect(await applied()).toEqual(before);
});

it("does not take the tables of another program in the same database for its own", async () => {
  await server.query("create schema other; create table other.migrations (number integer)", database);
  await open();
  expect(await applied()).toEqual(all);
});
