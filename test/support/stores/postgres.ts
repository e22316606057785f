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
});

export interface TemporaryPostgresStore {
  store: FullStore;
  schema: string;
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

/** A store in a schema of its own, which is created faster than a database. */
export async function openTemporaryPostgresStore(clock?: Clock): Promise<TemporaryPostgresStore> {
  const server = await sharedPostgres();
  const schema = `t_${randomUUID().replaceAll("-", "")}`;
  await server.query(`create schema ${schema}`);
  const url = `${server.url("postgres")}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  const opened: FullStore[] = [];
  const another = async (): Promise<FullStore> => {
    const options = { url, poolSize: 5, defaultPlan: testPlan, settings: patient };
    const store = await openPostgresStore(clock === undefined ? options : { ...options, clock });
    opened.push(store);
    return store;
  };
  const dispose = async (): Promise<void> => {
    await Promise.all(opened.map((store) => store.close()));
    await server.query(`set client_min_messages = error; drop schema ${schema} cascade`);
  };
  return { store: await another(), schema, url, another, dispose };
}
