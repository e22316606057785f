/**
 * A real Postgres of the test file's own, in a temporary folder, started when it is first asked for and
 * stopped when the file is done.
 */
import { randomUUID } from "node:crypto";
import { afterAll } from "vitest";
import type { FullStore } from "../../../src/store/full-store.js";
import type { Clock } from "../../../src/core/clock.js";
import { openPostgresStore } from "../../../src/store/sql/postgres.js";
import { TestPostgres } from "./postgres-server.js";
import { testPlan } from "./temporary-store.js";

export { TestPostgres };

let shared: Promise<TestPostgres> | null = null;

/** The server of this test file. */
export function sharedPostgres(): Promise<TestPostgres> {
  shared ??= TestPostgres.start();
  return shared;
}

afterAll(async () => {
  await (await shared)?.dispose();
  shared = null;
  model = null;
});

export interface TemporaryPostgresStore {
  store: FullStore;
  database: string;
  url: string;
  another(): Promise<FullStore>;
  dispose(): Promise<void>;
}

const longestMs = 60_000;
const patient = {
  connectionTimeoutMillis: longestMs,
  lock_timeout: longestMs,
  statement_timeout: longestMs,
  query_timeout: longestMs,
};

const optionsFor = (url: string) => ({ url, poolSize: 5, defaultPlan: testPlan, settings: patient });

let model: Promise<string> | null = null;

/** Empty and migrated: copied in half the time that all migrations take. */
function modelDatabase(server: TestPostgres): Promise<string> {
  model ??= (async () => {
    const name = await server.createDatabase();
    await (await openPostgresStore(optionsFor(server.url(name)))).close();
    return name;
  })();
  return model;
}

/** A store in a database of its own. */
export async function openTemporaryPostgresStore(clock?: Clock): Promise<TemporaryPostgresStore> {
  const server = await sharedPostgres();
  const database = await server.createDatabase(await modelDatabase(server));
  const url = server.url(database);
  const opened: FullStore[] = [];
  const another = async (): Promise<FullStore> => {
    const options = optionsFor(url);
    const store = await openPostgresStore(clock === undefined ? options : { ...options, clock });
    opened.push(store);
    return store;
  };
  const dispose = async (): Promise<void> => {
    await Promise.all(opened.map((store) => store.close()));
    await server.dropDatabase(database);
  };
  return { store: await another(), database, url, another, dispose };
}
