/**
 * Two replicas on one Postgres and one Redis, and a third Sotto as their engine: what must hold through both of
 * them, with every part in a process of its own. What a killed replica held is in replica-killed.test.ts, a
 * restart of both under load in rolling-restart.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../support/processes/dashboard-server.js";
import { eventually } from "../../support/eventually.js";
import { noRedis } from "../../support/stores/redis.js";
import {
  ask,
  listModels,
  openStream,
  startThreeProcesses,
  type Replica,
  type ThreeProcesses,
} from "../../support/processes/three-processes.js";

describe.skipIf(noRedis)("two replicas and an engine, three processes", () => {
  let parts: ThreeProcesses;
  let one: Replica;
  let two: Replica;

  beforeAll(async () => {
    parts = await startThreeProcesses();
    [one, two] = parts.replicas;
  });
  afterAll(() => parts.stop());

  const both = () => [one, two] as const;
  /** How many of `times` requests, to one and the other in turn, were let in. */
  const admittedOf = async (times: number, key: string): Promise<number> => {
    const statuses = await Promise.all(
      Array.from({ length: times }, (_, index) => listModels(index % 2 === 0 ? one : two, key)),
    );
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 200).length;
  };
  const limitsAre = (state: "up" | "degraded") =>
    Promise.all(
      both().map(({ process }) =>
        eventually(async () => {
          const status = await new Browser(process.url).get<{ parts: { name: string; state: string }[] }>(
            "/api/status",
          );
          return status.parts.find(({ name }) => name === "Limits")?.state === state;
        }, 15_000),
      ),
    );

  it("answer with the third one's model", async () => {
    const { secret } = await parts.newKey();
    expect(await Promise.all(both().map((replica) => ask(replica, secret)))).toEqual([200, 200]);
    const replies = () => parts.engine.metric("sotto_time_to_first_token_seconds_count", "omega");
    await eventually(async () => (await replies()) === 2);
  });

  it("keep a limit in total", async () => {
    const { secret } = await parts.newKey({ requestsPerMinute: 40 });
    expect(await admittedOf(80, secret)).toBe(40);
  });

  it("keep the number of requests at once in total", async () => {
    const { secret } = await parts.newKey({ concurrentRequests: 2 });
    const hangUp = new AbortController();
    const streams = await Promise.all(both().map((replica) => openStream(replica, secret, hangUp.signal)));
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    expect(await Promise.all(both().map((replica) => ask(replica, secret)))).toEqual([429, 429]);
    hangUp.abort();
    for (const replica of both()) await eventually(async () => (await ask(replica, secret)) === 200);
  });

  it("admit at most a limit in all while Redis is unreachable, and count together again afterwards", async () => {
    const limit = 40;
    const { secret } = await parts.newKey({ requestsPerMinute: limit });
    expect(await admittedOf(limit / 4, secret)).toBe(limit / 4);
    await parts.redis.kill();
    await limitsAre("degraded");
    expect(await one.process.metric("sotto_redis_up")).toBe(0);
    const startedMs = performance.now();
    const withoutRedis = await admittedOf(2 * limit, secret);
    const windows = 1 + Math.ceil((performance.now() - startedMs) / 60_000);
    expect(withoutRedis).toBeGreaterThan(0);
    expect(withoutRedis).toBeLessThanOrEqual(limit * windows);
    await parts.redis.start();
    await limitsAre("up");
    expect(await one.process.metric("sotto_redis_up")).toBe(1);
    const { secret: another } = await parts.newKey({ requestsPerMinute: limit });
    expect(await admittedOf(2 * limit, another)).toBe(limit);
  });

  /** Streams on both replicas end, and both refuse the key, within `limitMs` of the end of `revoke`. */
  const endsEverywhere = async (key: string, revoke: () => Promise<unknown>, limitMs: number) => {
    const streams = await Promise.all(both().map((replica) => openStream(replica, key)));
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const ends = streams.map((stream) => stream.text());
    await revoke();
    const cut = AbortSignal.timeout(limitMs);
    const late = new Promise<never>((_resolve, reject) => {
      cut.addEventListener("abort", () => reject(new Error(`not cut within ${limitMs} ms`)));
    });
    const bodies = await Promise.race([Promise.all(ends), late]);
    for (const body of bodies) expect(body.slice(-300)).toContain('"code":"invalid_api_key"');
    expect(await Promise.all(both().map((replica) => ask(replica, key)))).toEqual([401, 401]);
  };

  it("cut the streams of a key and refuse it within 2 s when it is revoked on the other", async () => {
    const { key, secret } = await parts.newKey();
    await endsEverywhere(secret, () => parts.ada.post(`/api/keys/${key.id}/revoke`), 2_000);
  });

  it("do so within 2 s when it is revoked on the command line", async () => {
    const { key, secret } = await parts.newKey();
    await endsEverywhere(secret, () => one.process.run("keys", "revoke", key.id), 2_000);
  });

  it("do so within 10 s while Redis is unreachable, by reading the database", async () => {
    const { key, secret } = await parts.newKey();
    await parts.redis.kill();
    await limitsAre("degraded");
    await endsEverywhere(secret, () => parts.ada.post(`/api/keys/${key.id}/revoke`), 10_000);
    await parts.redis.start();
    await limitsAre("up");
  });

  it("let known keys go on for a minute while Postgres is stopped, then answer 503, never 401, and recover", async () => {
    const { secret } = await parts.newKey();
    const { secret: stranger } = await parts.newKey();
    const answers = (key: string) => Promise.all(both().map((replica) => ask(replica, key)));
    expect(await answers(secret)).toEqual([200, 200]);

    await parts.postgres.stop();
    expect(await answers(secret)).toEqual([200, 200]);
    expect(await answers(stranger)).toEqual([503, 503]);
    await Promise.all(both().map((replica) => replica.leap()));
    expect(await answers(secret)).toEqual([200, 200]);
    await Promise.all(both().map((replica) => replica.leap()));
    expect(await answers(secret)).toEqual([503, 503]);
    await eventually(async () => (await one.process.metric("sotto_store_up")) === 0);

    await parts.postgres.start();
    for (const replica of both()) {
      const statuses = new Set<number>();
      await eventually(async () => statuses.add(await ask(replica, secret)).has(200));
      expect(statuses).not.toContain(401);
      expect(await ask(replica, stranger)).toBe(200);
      await eventually(async () => (await replica.process.metric("sotto_store_up")) === 1);
    }
  });
});
