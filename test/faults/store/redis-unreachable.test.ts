import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/core/ports.js";
import type { Counters } from "../../../src/store/counters/counters.js";
import { openRedisCounters } from "../../../src/store/counters/redis-counters.js";
import { eventually } from "../../support/eventually.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

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

  const open = async (replicas = 1, onHealth: (health: string) => void = () => {}) => {
    const counters = await openRedisCounters({
      url: redis.url,
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
  /** What replicas told each other about their leases, a line each. */
  const holdings = () =>
    redis.command(async (connection) => {
      const [key = ""] = await connection.keys("sotto:holdings:*");
      return (await connection.hvals(key)).join("\n");
    });
  const healthOf = (all: readonly Counters[], health: "ok" | "unreachable") =>
    eventually(() => all.every((counters) => counters.health() === health), 15_000);

  it("admits at most 1.1 times the limit in each window, from the outage to the recovery", async () => {
    const replicas = await openTwo();
    const [limit, windowMs] = [100, 4_000];
    const admittedAt: number[] = [];
    /** When windows ended, by the earliest estimate: what a reply takes to arrive makes it late. */
    const ends: number[] = [];
    let isOver = false;
    const hammer = async ({ counter }: Counters): Promise<void> => {
      while (!isOver) {
        const reading = await counter.take("requests:acc", 1, limit, windowMs);
        const now = performance.now();
        if (reading.admitted) {
          admittedAt.push(now);
          noteEnd(now + reading.resetMs);
        }
        await sleep(5);
      }
    };
    const noteEnd = (endsAt: number): void => {
      const index = ends.findIndex((known) => Math.abs(known - endsAt) < 200);
      if (index < 0) ends.push(endsAt);
      else ends[index] = Math.min(ends[index] ?? endsAt, endsAt);
    };
    const hammers = replicas.map(hammer);

    await eventually(() => ends.length === 2, 20_000);
    await redis.kill();
    await healthOf(replicas, "unreachable");
    const before = ends.length;
    await eventually(() => ends.length >= before + 2, 20_000);
    await redis.start();
    await healthOf(replicas, "ok");
    const returned = ends.length;
    await eventually(() => ends.length >= returned + 2, 20_000);
    isOver = true;
    await Promise.all(hammers);

    const admitted = ends.map((end) => admittedAt.filter((at) => at >= end - windowMs && at < end).length);
    expect(Math.max(...admitted), admitted.join()).toBeLessThanOrEqual(1.1 * limit);
    // And it was not refused altogether.
    expect(Math.min(...admitted.slice(0, -1)), admitted.join()).toBeGreaterThanOrEqual(limit * 0.5);
  }, 90_000);

  it("remembers what it had counted before its death", async () => {
    const [one, two] = await openTwo();
    await one.counter.take("requests:acc", 50, 100, 60_000);
    await two.counter.take("requests:acc", 10, 100, 60_000);
    await one.counter.read("requests:acc", 100, 60_000);
    await redis.kill();
    await healthOf([one, two], "unreachable");
    expect(await one.counter.take("requests:acc", 20, 100, 60_000)).toMatchObject({ admitted: true });
    expect(await one.counter.take("requests:acc", 1, 100, 60_000)).toMatchObject({ admitted: false });
    expect(await two.counter.take("requests:acc", 15, 100, 60_000)).toMatchObject({ admitted: true });
    await redis.start();
    await healthOf([one, two], "ok");
    expect(
      await eventually(async () => {
        const { count } = await one.counter.read("requests:acc", 100, 60_000);
        return count >= 95 && count;
      }),
    ).toBe(95);
  }, 30_000);

  it("reports it once, and the recovery once, also when it only falls silent", async () => {
    const told: string[] = [];
    const counters = await open(2, (health) => told.push(health));
    redis.freeze();
    await healthOf([counters], "unreachable");
    await Promise.all(Array.from({ length: 20 }, () => counters.counter.take("a", 1, 1_000, 60_000)));
    expect(told).toEqual(["unreachable"]);
    redis.thaw();
    await healthOf([counters], "ok");
    expect(told).toEqual(["unreachable", "ok"]);
  }, 30_000);

  it("starts without it, within the share that the configuration says, and finds it later", async () => {
    await redis.kill();
    const told: string[] = [];
    const counters = await open(4, (health) => told.push(health));
    expect(counters.health()).toBe("unreachable");
    const given = await Promise.all(Array.from({ length: 16 }, () => counters.leases.acquire("acc", 16)));
    expect(given.filter((lease) => lease !== null)).toHaveLength(4);
    await redis.start();
    await healthOf([counters], "ok");
    expect(told).toEqual(["unreachable", "ok"]);
    expect(await counters.leases.held("acc")).toBe(4);
  }, 30_000);

  it("gives out no more leases than the limit, though one replica held more than its share", async () => {
    const [one, two] = await openTwo();
    const acquire = async (replica: Counters, count: number) => {
      const given = await Promise.all(Array.from({ length: count }, () => replica.leases.acquire("acc", 10)));
      return given.flatMap((lease) => (lease === null ? [] : [lease]));
    };
    const held = await acquire(one, 7);
    expect([held.length, (await acquire(two, 3)).length]).toEqual([7, 3]);
    await redis.kill();
    await healthOf([one, two], "unreachable");
    expect([(await acquire(one, 10)).length, (await acquire(two, 10)).length]).toEqual([0, 0]);
    // What ends is free again, up to the share.
    for (const lease of held) lease.release();
    expect([(await acquire(one, 10)).length, (await acquire(two, 10)).length]).toEqual([5, 0]);
  }, 30_000);

  it("knows what another replica holds of a name it has never asked for", async () => {
    const [one, two] = await openTwo();
    for (let count = 0; count < 8; count++) await one.leases.acquire("acc", 10);
    await eventually(async () => (await holdings()).includes(":8}"));
    // Both have told and heard once more since.
    const before = await holdings();
    await eventually(
      async () => (await holdings()).split("\n").every((told) => !before.includes(told)),
      10_000,
    );
    await redis.kill();
    await healthOf([one, two], "unreachable");
    const given = await Promise.all(Array.from({ length: 10 }, () => two.leases.acquire("acc", 10)));
    expect(given.filter((lease) => lease !== null)).toHaveLength(1);
    expect(await one.leases.acquire("acc", 10)).toBeNull();
  }, 30_000);

  it("knows after its recovery who holds leases, from before and from the outage", async () => {
    const [one, two] = await openTwo();
    const first = await one.leases.acquire("acc", 4);
    await redis.kill();
    await healthOf([one, two], "unreachable");
    expect(await one.leases.acquire("acc", 4)).not.toBeNull();
    expect(await one.leases.acquire("acc", 4)).toBeNull();
    expect(await two.leases.acquire("acc", 4)).not.toBeNull();
    await redis.start();
    await healthOf([one, two], "ok");
    expect(await two.leases.held("acc")).toBe(3);
    first?.release();
    await eventually(async () => (await two.leases.held("acc")) === 2);
  }, 30_000);
});
