import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/core/clock.js";
import type { Counters } from "../../../src/store/counters/counters.js";
import { openRedisCounters } from "../../../src/store/counters/redis-counters.js";
import { eventually } from "../../support/eventually.js";
import { acquireLease } from "../../support/stores/acquire-lease.js";
import { RedisProxy } from "../../support/stores/redis-proxy.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";
import { WindowCounter } from "../../support/stores/window-counter.js";

describe.skipIf(noRedis)("while Redis is unreachable", () => {
  let redis: TestRedis;
  let secret: string;
  const opened: Counters[] = [];
  beforeEach(async () => {
    redis = await TestRedis.start();
    secret = randomUUID();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((counters) => counters.close()));
    await redis.kill();
  });

  const open = async (replicas = 1, onHealth: (health: string) => void = () => {}, url = redis.url) => {
    const counters = await openRedisCounters({
      url,
      secret,
      replicas,
      clock: systemClock,
      onHealth,
    });
    opened.push(counters);
    return counters;
  };
  /** Both know of each other. */
  const openTwo = async () => {
    const two = [await open(), await open()] as const;
    await eventually(() =>
      redis.command(async (connection) => {
        const [replicas = ""] = await connection.keys("sotto:replicas:*");
        return (await connection.zcard(replicas)) === 2;
      }),
    );
    // The first has heard of the second by its next heartbeat.
    const seenBefore = await heartbeat();
    await eventually(async () => (await heartbeat()) > seenBefore);
    return two;
  };
  /** The oldest time at which any replica was heard of. */
  const heartbeat = () =>
    redis.command(async (connection) => {
      const [replicas = ""] = await connection.keys("sotto:replicas:*");
      const [, score] = await connection.zrange(replicas, 0, 0, "WITHSCORES");
      return Number(score);
    });
  const healthOf = (all: readonly Counters[], health: "ok" | "unreachable") =>
    eventually(() => all.every((counters) => (counters.failure()?.kind ?? "ok") === health));

  const lost = async (...replicas: readonly Counters[]) => {
    await redis.kill();
    await healthOf(replicas, "unreachable");
  };
  /** How many of `count` were admitted. */
  const admittedOf = async ({ admissions }: Counters, count: number, limit: number): Promise<number> => {
    const readings = await Promise.all(
      Array.from({ length: count }, () =>
        new WindowCounter(admissions).take("requests:acc", 1, limit, 60_000),
      ),
    );
    return readings.filter(({ admitted }) => admitted).length;
  };
  const quota = (amount: number) => ({
    first: [],
    leases: [],
    then: [{ name: "quota", amount, limit: 100, windowMs: 3_600_000, initial: async () => 60 }],
    read: [],
  });

  it("admits its share of a limit, and no second one when Redis is lost again within the window", async () => {
    const [one, two] = await openTwo();
    await lost(one, two);
    expect([await admittedOf(one, 80, 100), await admittedOf(two, 80, 100)]).toEqual([50, 50]);
    await redis.start();
    await healthOf([one, two], "ok");
    await lost(one, two);
    expect([await admittedOf(one, 10, 100), await admittedOf(two, 10, 100)]).toEqual([0, 0]);
  });

  it("continues from the counts in Redis when it recovers", async () => {
    const counters = await open();
    await new WindowCounter(counters.admissions).take("requests:acc", 50, 100, 60_000);
    redis.freeze();
    await healthOf([counters], "unreachable");
    expect(await admittedOf(counters, 120, 100)).toBe(100);
    redis.thaw();
    await healthOf([counters], "ok");
    expect(await new WindowCounter(counters.admissions).read("requests:acc", 100, 60_000)).toMatchObject({
      count: 50,
    });
  });

  it("divides the remaining quota according to the database, in each outage", async () => {
    const [one, two] = await openTwo();
    for (let count = 0; count < 2; count++) {
      await lost(one, two);
      for (const { admissions } of [one, two]) {
        expect((await admissions.admit(quota(21))).refusedBy).toMatchObject({ name: "quota" });
        expect((await admissions.admit(quota(20))).refusedBy).toBeNull();
        expect((await admissions.admit(quota(1))).refusedBy).toMatchObject({ name: "quota" });
      }
      await redis.start();
      await healthOf([one, two], "ok");
    }
    expect((await one.admissions.admit(quota(40))).refusedBy).toBeNull();
    expect((await two.admissions.admit(quota(1))).refusedBy).toMatchObject({ name: "quota" });
  });

  it("is used again behind a proxy that accepted connections and reset them, to count and to wake", async () => {
    const proxy = await RedisProxy.start(redis.port);
    const [behind, other] = [await open(1, undefined, proxy.url), await open()];
    for (let count = 0; count < 2; count++) {
      proxy.reset();
      await healthOf([behind], "unreachable");
      const attempts = proxy.accepted;
      await eventually(() => proxy.accepted >= attempts + 8);
      proxy.pass();
      await healthOf([behind], "ok");
    }
    await new WindowCounter(behind.admissions).take("requests:acc", 50, 100, 60_000);
    expect(await new WindowCounter(other.admissions).read("requests:acc", 100, 60_000)).toMatchObject({
      count: 50,
    });
    let woken = 0;
    behind.wakeUps.onWakeUp(() => (woken += 1));
    await eventually(() => {
      other.wakeUps.wakeOthers();
      return woken > 1;
    });
    await behind.close();
    await proxy.close();
  });

  it("reports it once, and the recovery once, even if it only stops responding", async () => {
    const told: string[] = [];
    const counters = await open(2, (health) => told.push(health));
    redis.freeze();
    await healthOf([counters], "unreachable");
    await Promise.all(
      Array.from({ length: 20 }, () => new WindowCounter(counters.admissions).take("a", 1, 1_000, 60_000)),
    );
    expect(told).toEqual(["unreachable"]);
    redis.thaw();
    await healthOf([counters], "ok");
    expect(told).toEqual(["unreachable", "ok"]);
  });

  it("starts without it, within the share that the configuration says, and finds it later", async () => {
    await redis.kill();
    const told: string[] = [];
    const counters = await open(4, (health) => told.push(health));
    expect(counters.failure()?.kind).toBe("unreachable");
    const given = await Promise.all(Array.from({ length: 16 }, () => acquireLease(counters, "acc", 16)));
    expect(given.filter((lease) => lease !== null)).toHaveLength(4);
    await redis.start();
    await healthOf([counters], "ok");
    expect(told).toEqual(["unreachable", "ok"]);
    expect(await counters.admissions.held("acc")).toBe(4);
  });

  it("grants its share of leases, minus those it already holds", async () => {
    const [one, two] = await openTwo();
    const acquire = async (replica: Counters, count: number) => {
      const given = await Promise.all(Array.from({ length: count }, () => acquireLease(replica, "acc", 10)));
      return given.flatMap((lease) => (lease === null ? [] : [lease]));
    };
    const held = await acquire(one, 7);
    expect([held.length, (await acquire(two, 3)).length]).toEqual([7, 3]);
    await lost(one, two);
    expect([(await acquire(one, 10)).length, (await acquire(two, 10)).length]).toEqual([0, 2]);
    // What ends is free again, up to the share.
    for (const lease of held) lease.release();
    expect([(await acquire(one, 10)).length, (await acquire(two, 10)).length]).toEqual([5, 0]);
  });

  it("frees, on recovery, leases released during the outage, and counts a grant whose reply was lost once", async () => {
    const counters = await open();
    const lease = await acquireLease(counters, "acc", 10);
    redis.freeze();
    const unheard = await acquireLease(counters, "acc", 10);
    await healthOf([counters], "unreachable");
    lease?.release();
    expect(unheard).not.toBeNull();
    redis.thaw();
    await healthOf([counters], "ok");
    expect(await counters.admissions.held("acc")).toBe(1);
  });

  it("knows after its recovery who holds leases, from before and from the outage", async () => {
    const [one, two] = await openTwo();
    const first = await acquireLease(one, "acc", 4);
    await lost(one, two);
    expect(await acquireLease(one, "acc", 4)).not.toBeNull();
    expect(await acquireLease(one, "acc", 4)).toBeNull();
    expect(await acquireLease(two, "acc", 4)).not.toBeNull();
    await redis.start();
    await healthOf([one, two], "ok");
    expect(await two.admissions.held("acc")).toBe(3);
    first?.release();
    await eventually(async () => (await two.admissions.held("acc")) === 2);
  });
});
