import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/core/ports.js";
import type { Counters } from "../../../src/store/counters/counters.js";
import { openRedisCounters } from "../../../src/store/counters/redis-counters.js";
import { RedisLeases } from "../../../src/store/counters/redis-leases.js";
import { RedisLink } from "../../../src/store/counters/redis-link.js";
import { eventually } from "../../support/eventually.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";
import { describeAdmissionContract } from "./admissions.js";
import { describeCounterContract } from "./counter.js";
import { describeLeaseContract } from "./leases.js";

describe.skipIf(noRedis)("in Redis", () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start();
  });
  afterAll(() => redis.kill());

  const open = (secret = "a secret"): Promise<Counters> =>
    openRedisCounters({ url: redis.url, secret, replicas: 1, clock: systemClock });
  const withDispose = async () => {
    const counters = await open();
    return { ...counters, dispose: () => counters.close() };
  };
  const keys = () => redis.command((connection) => connection.keys("*"));

  describeCounterContract("Redis", withDispose);
  describeLeaseContract("Redis", withDispose);
  describeAdmissionContract("Redis", withDispose);

  it("shares counts and leases between replicas of an installation, and not with another", async () => {
    const [one, two, stranger] = [await open(), await open(), await open("another secret")];
    await one.counter.take("shared", 2, 3, 60_000);
    expect(await two.counter.take("shared", 2, 3, 60_000)).toMatchObject({ admitted: false, count: 2 });
    expect(await stranger.counter.read("shared", 3, 60_000)).toMatchObject({ count: 0 });
    await one.leases.acquire("shared", 1);
    expect(await two.leases.acquire("shared", 1)).toBeNull();
    expect(await stranger.leases.acquire("shared", 1)).not.toBeNull();
    await Promise.all([one.close(), two.close(), stranger.close()]);
  });

  it("wakes the other replicas", async () => {
    const [one, two] = [await open(), await open()];
    let heard = 0;
    two.wakeUps.onWakeUp(() => (heard += 1));
    await eventually(() => {
      one.wakeUps.wakeOthers();
      return heard > 1;
    });
    await Promise.all([one.close(), two.close()]);
  });

  it("keeps nothing in Redis that names anyone, and nothing for ever", async () => {
    const counters = await open();
    await counters.counter.take("throttle:sign-in:ada@example.com:17", 1, 5, 60_000);
    await counters.leases.acquire("acc_ada", 2);
    const names = await keys();
    expect(names.length).toBeGreaterThanOrEqual(3);
    expect(names.join()).not.toMatch(/ada|sign-in|throttle/);
    const lives = await redis.command((connection) =>
      Promise.all(names.map((name) => connection.pttl(name))),
    );
    expect(Math.min(...lives)).toBeGreaterThan(0);
    await counters.close();
  });

  it("frees the leases of a holder that renews no more, and keeps those of one that does", async () => {
    const link = () => RedisLink.open({ url: redis.url, secret: "lives", replicas: 1, clock: systemClock });
    const [alive, dead] = [await link(), await link()];
    const renewing = new RedisLeases(alive, { liveMs: 600, renewEveryMs: 100 });
    const killed = new RedisLeases(dead, { liveMs: 600, renewEveryMs: 1_000_000 });
    await renewing.acquire("acc", 2);
    await killed.acquire("acc", 2);
    expect(await renewing.acquire("acc", 2)).toBeNull();
    await eventually(async () => (await renewing.acquire("acc", 2)) ?? undefined);
    expect(await renewing.held("acc")).toBe(2);
    expect(await renewing.acquire("acc", 2)).toBeNull();
    await renewing.close();
    await Promise.all([alive.close(), dead.close()]);
  });
});
