import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/core/clock.js";
import { type ArrivedRequest, ConnectionTests } from "../../../src/core/keys/connection-tests.js";
import type { Counters } from "../../../src/store/counters/counters.js";
import { openRedisCounters } from "../../../src/store/counters/redis-counters.js";
import { RedisAdmissions } from "../../../src/store/counters/redis-admissions.js";
import { RedisLeases } from "../../../src/store/counters/redis-leases.js";
import { RedisLink } from "../../../src/store/counters/redis-link.js";
import { eventually } from "../../support/eventually.js";
import { acquireLease } from "../../support/stores/acquire-lease.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";
import { WindowCounter } from "../../support/stores/window-counter.js";
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
    await new WindowCounter(one.admissions).take("shared", 2, 3, 60_000);
    expect(await new WindowCounter(two.admissions).take("shared", 2, 3, 60_000)).toMatchObject({
      admitted: false,
      count: 2,
    });
    expect(await new WindowCounter(stranger.admissions).read("shared", 3, 60_000)).toMatchObject({
      count: 0,
    });
    await acquireLease(one, "shared", 1);
    expect(await acquireLease(two, "shared", 1)).toBeNull();
    expect(await acquireLease(stranger, "shared", 1)).not.toBeNull();
    await Promise.all([one.close(), two.close(), stranger.close()]);
  });

  it("lets one of all replicas claim a use, for its time, and not less while Redis is unreachable", async () => {
    const [one, two] = [await open(), await open()];
    expect(await one.uses?.claim("used", 60_000)).toBe(true);
    expect(await two.uses?.claim("used", 60_000)).toBe(false);
    expect(await one.uses?.claim("used", 60_000)).toBe(false);
    expect(await two.uses?.claim("another", 60_000)).toBe(true);
    const named = (await keys()).filter((key) => key.startsWith("sotto:use:"));
    expect(named).toHaveLength(2);
    expect(named.join()).not.toContain("used");
    const gone = await openRedisCounters({
      ...{ url: "redis://127.0.0.1:1/0", secret: "a secret", replicas: 1, clock: systemClock },
    });
    expect(await gone.uses?.claim("used", 60_000)).toBe(true);
    await Promise.all([one.close(), two.close(), gone.close()]);
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

  it("takes the notes of connection tests to the other replicas, and not back", async () => {
    const [one, two] = [await open(), await open()];
    const here = new ConnectionTests(systemClock, one.wakeUps.tests);
    const there = new ConnectionTests(systemClock, two.wakeUps.tests);
    await eventually(() => {
      here.begin("acc_1", "10.0.0.1");
      return there.isAwaited;
    });
    const request: ArrivedRequest = {
      ...{ atMs: 1, client: "codex", isCompletion: true, status: 200, code: "none", lastFour: "ab12" },
      ...{ keyProblem: null, durationMs: 412, firstTokenMs: 100 },
    };
    let noted = 0;
    await eventually(() => {
      there.note("acc_1", "10.0.0.2", request);
      noted += 1;
      return (here.read("acc_1")?.requests.length ?? 0) > 0;
    });
    expect(here.read("acc_1")?.requests[0]).toEqual(request);
    expect(there.read("acc_1")?.requests.length).toBeLessThanOrEqual(noted);
    await Promise.all([one.close(), two.close()]);
  });

  it("stores no identifying names in Redis, and nothing without an expiry", async () => {
    const counters = await open();
    await new WindowCounter(counters.admissions).take("throttle:sign-in:ada@example.com:17", 1, 5, 60_000);
    await acquireLease(counters, "acc_ada", 2);
    const names = await keys();
    expect(names.length).toBeGreaterThanOrEqual(3);
    expect(names.join()).not.toMatch(/ada|sign-in|throttle/);
    const lives = await redis.command((connection) =>
      Promise.all(names.map((name) => connection.pttl(name))),
    );
    expect(Math.min(...lives)).toBeGreaterThan(0);
    await counters.close();
  });

  it("releases the reservation of a killed holder; one that was only slow still counts its usage", async () => {
    const link = () => RedisLink.open({ url: redis.url, secret: "killed", replicas: 1, clock: systemClock });
    const links = [await link(), await link()] as const;
    const replica = (on: RedisLink, liveMs: number) => {
      const leases = new RedisLeases(on, { liveMs, renewEveryMs: 1_000_000 });
      return { leases, admissions: new RedisAdmissions(on, leases) };
    };
    const [silent, alive] = [replica(links[0], 5_000), replica(links[1], 60_000)];
    const ask = (amount: number) => ({
      first: [],
      leases: [{ name: "acc", limit: 5 }],
      then: [
        { name: "quota", amount, limit: 100, windowMs: 3_600_000, initial: async () => 10 },
        { name: "tokens", amount, limit: 1_000, windowMs: 60_000 },
      ],
      read: [],
    });
    const first = await silent.admissions.admit(ask(70));
    expect(first.readings.get("quota")).toMatchObject({ count: 80 });
    expect((await alive.admissions.admit(ask(50))).refusedBy).toMatchObject({ name: "quota" });
    const second = await eventually(async () => {
      const answer = await alive.admissions.admit(ask(50));
      return answer.refusedBy === null && answer;
    });
    expect(second.readings.get("quota")).toMatchObject({ count: 60 });
    expect(second.readings.get("tokens")).toMatchObject({ count: 120 });
    // It was alive after all, and used 20 of the 70.
    const corrections = ["quota", "tokens"].map((name) => ({
      name,
      window: first.readings.get(name)?.window ?? "",
      amount: -50,
      otherwise: name === "quota" ? 20 : undefined,
    }));
    await silent.admissions.settle(corrections, first.lease);
    const after = await alive.admissions.admit({ ...ask(1), leases: [] });
    expect(after.readings.get("quota")).toMatchObject({ count: 81 });
    expect(after.readings.get("tokens")).toMatchObject({ count: 71 });
    await Promise.all([silent.leases.close(), alive.leases.close()]);
    await Promise.all(links.map((each) => each.close()));
  });

  it("frees the leases of a holder that renews no more, and keeps those of one that does", async () => {
    const link = () => RedisLink.open({ url: redis.url, secret: "lives", replicas: 1, clock: systemClock });
    const [alive, dead] = [await link(), await link()];
    const replica = (on: RedisLink, renewEveryMs: number) => {
      const leases = new RedisLeases(on, { liveMs: 5_000, renewEveryMs });
      return { leases, admissions: new RedisAdmissions(on, leases) };
    };
    const [renewing, killed] = [replica(alive, 100), replica(dead, 1_000_000)];
    await acquireLease(renewing, "acc", 2);
    await acquireLease(killed, "acc", 2);
    expect(await acquireLease(renewing, "acc", 2)).toBeNull();
    await eventually(async () => (await acquireLease(renewing, "acc", 2)) ?? undefined);
    expect(await renewing.leases.held("acc")).toBe(2);
    expect(await acquireLease(renewing, "acc", 2)).toBeNull();
    await renewing.leases.close();
    await Promise.all([alive.close(), dead.close()]);
  });
});
