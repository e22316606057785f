/** What a counter keeps in the memory of its process: nothing that names anyone, and nothing for long. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../src/core/clock.js";
import { personalName } from "../../../src/core/counters.js";
import { MemoryAdmissions } from "../../../src/store/counters/memory-admissions.js";
import { MemoryLeases } from "../../../src/store/counters/memory-leases.js";
import { MemoryWindows } from "../../../src/store/counters/memory-windows.js";
import { RedisAdmissions } from "../../../src/store/counters/redis-admissions.js";
import { RedisLeases } from "../../../src/store/counters/redis-leases.js";
import { RedisLink } from "../../../src/store/counters/redis-link.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";
import { WindowCounter } from "../../support/stores/window-counter.js";

interface HoldingCounter extends Pick<WindowCounter, "take"> {
  heldNames(): string[];
  close(): Promise<void>;
}

const sweepEveryMs = 5;
const names = ["ada@example.com", "192.0.2.7", "5f1c9a"].map((who) => `${personalName}sign-in:${who}`);

function describeHeld(open: (clock: Clock) => Promise<HoldingCounter>): void {
  it("keeps no email address, network address or device name", async () => {
    const counter = await open(systemClock);
    for (const name of names) await counter.take(name, 1, 5, 60_000);
    expect(counter.heldNames()).toHaveLength(names.length);
    for (const held of counter.heldNames()) expect(held).toMatch(/^[\w:-]{20,}$/);
    expect(counter.heldNames().join()).not.toMatch(/ada|example|192|5f1c9a|sign-in|throttle/);
    await counter.close();
  });

  it("forgets windows that are over, though nothing is counted any more", async () => {
    const clock = new FakeClock();
    const counter = await open(clock);
    for (const name of names) await counter.take(name, 1, 5, 60_000);
    await counter.take("another", 1, 5, 3_600_000);
    clock.advance(60_000 + sweepEveryMs);
    expect(
      await eventually(() => counter.heldNames().length < names.length && counter.heldNames()),
    ).toHaveLength(1);
    await counter.close();
  });
}

const openMemory = async (clock: Clock): Promise<HoldingCounter> => {
  const windows = new MemoryWindows(clock, sweepEveryMs);
  const counter = new WindowCounter(new MemoryAdmissions(windows, new MemoryLeases()));
  return {
    take: (...given) => counter.take(...given),
    heldNames: () => windows.names(),
    close: async () => windows.close(),
  };
};

describe("a counter in memory", () => {
  describeHeld(openMemory);

  it("hashes names with a secret of its own", async () => {
    const [one, two] = [await openMemory(systemClock), await openMemory(systemClock)];
    await one.take(`${personalName}ada`, 1, 5, 60_000);
    await two.take(`${personalName}ada`, 1, 5, 60_000);
    expect(one.heldNames()).not.toEqual(two.heldNames());
  });
});

const openRedis =
  (url: string) =>
  async (clock: Clock): Promise<HoldingCounter> => {
    const link = await RedisLink.open({ url, secret: "a secret", replicas: 1, clock: systemClock });
    const leases = new RedisLeases(link);
    const admissions = new RedisAdmissions(link, leases, { clock, sweepEveryMs });
    const counter = new WindowCounter(admissions);
    return {
      take: (...given) => counter.take(...given),
      heldNames: () => admissions.names(),
      close: async () => {
        await admissions.close();
        await leases.close();
        await link.close();
      },
    };
  };

describe.skipIf(noRedis)("a counter in Redis", () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start();
  });
  afterAll(() => redis.kill());

  describeHeld((clock) => openRedis(redis.url)(clock));
});

describe("a counter in Redis while that is unreachable", () => {
  describeHeld(openRedis("redis://127.0.0.1:1/0"));
});
