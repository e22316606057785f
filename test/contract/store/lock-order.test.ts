/** Replicas write last-used times of the same keys at the same time: the order of locks keeps them from a deadlock. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { Client } from "pg";
import { eventually } from "../../support/eventually.js";
import { openTemporaryPostgresStore, type TemporaryPostgresStore } from "../../support/stores/postgres.js";
import { newKey } from "./dashboard-store.js";

const keyCount = 1_000;

let opened: TemporaryPostgresStore;
let ids: string[];
let client: Client;
beforeEach(async () => {
  opened = await openTemporaryPostgresStore();
  client = new Client({ connectionString: opened.url });
  await client.connect();
  const { store } = opened;
  const account = await store.createAccount({
    email: "ada@example.com",
    passwordHash: null,
    role: "user",
    planId: "free",
  });
  const key = await store.createKey(newKey(account.id));
  // On disk in the opposite of their order, and so many that an update reads them from there: it would lock the last
  // one first.
  await client.query(`insert into keys select copy.* from keys as one,
    generate_series(${keyCount}, 1, -1) as number,
    jsonb_populate_record(one, jsonb_build_object(
      'id', 'key_' || lpad(number::text, 6, '0'), 'hash', '\\x' || md5(number::text))) as copy
    order by number desc`);
  await client.query("delete from keys where id = $1", [key.id]);
  await client.query("analyze keys");
  ids = Array.from({ length: keyCount }, (_, index) => `key_${String(index + 1).padStart(6, "0")}`);
});
afterEach(async () => {
  await client.end();
  await opened.dispose();
});

/** Of a tenth of the keys an update would read all rows from the disk; of half of them it follows the list. */
const few = () => ids.filter((_, index) => index % 10 === 0);
const many = () => ids.filter((_, index) => index % 2 === 0);
const dayMs = 24 * 60 * 60_000;
const touched = (some: readonly string[], day: number) =>
  new Map(some.map((id) => [id, { at: new Date(day * dayMs), model: null }]));

it.each([
  ["few", few],
  ["many", many],
])("locks %s keys in the order of their ids, wherever their rows are", async (_count, some) => {
  await client.query("begin");
  await client.query("select 1 from keys where id = $1 for update", [ids[0]]);
  const flushed = opened.store.touchKeys(touched(some(), 1));
  await eventually(async () => {
    const { rows } = await client.query("select 1 from pg_locks where not granted");
    return rows.length > 0;
  });
  // It waits for the first, and holds none of the others yet.
  const free = await client.query("select id from keys for update skip locked");
  await client.query("rollback");
  await flushed;
  expect(free.rows).toHaveLength(keyCount);
});

it("lets two replicas that write at the same time finish", async () => {
  const other = await opened.another();
  for (let round = 1; round <= 20; round++) {
    await Promise.all([
      opened.store.touchKeys(touched(few(), round)),
      other.touchKeys(touched(many(), round)),
    ]);
  }
  expect((await opened.store.findKey(ids[0] ?? ""))?.lastUsedAt).toEqual(new Date(20 * dayMs));
});
