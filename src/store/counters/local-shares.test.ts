import { beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { LocalShares, type Situation } from "./local-shares.js";

const minute = 60_000;
const limit = 100;

let clock: FakeClock;
let shares: LocalShares;
beforeEach(() => {
  clock = new FakeClock();
  clock.advance(10 * minute);
  shares = new LocalShares(clock);
});

const outage = (number = 1, replicas = 2): Situation => ({
  outage: { number, sinceMs: clock.monotonicMs() },
  replicas,
});
const saw = (count: number, resetMs = 30_000, window = "shared") =>
  shares.saw("acc", { admitted: true, count, remaining: limit - count, resetMs, window });
/** Takes one by one until refused. */
const takeAll = (situation: Situation, most = limit): number => {
  let admitted = 0;
  while (admitted < most && shares.take("acc", 1, most, minute, situation).admitted) admitted += 1;
  return admitted;
};

describe("a window that was open when the outage began", () => {
  it("goes on with this replica's share of what was left", () => {
    saw(60);
    expect(takeAll(outage())).toBe(20);
  });

  it("has nothing left where nothing was left", () => {
    saw(100);
    expect(takeAll(outage())).toBe(0);
  });

  it("ends when it would have ended, and is followed by windows with an equal share", () => {
    saw(60);
    const situation = outage();
    takeAll(situation);
    clock.advance(29_999);
    expect(takeAll(situation)).toBe(0);
    clock.advance(1);
    expect(takeAll(situation)).toBe(50);
    clock.advance(minute - 1);
    expect(takeAll(situation)).toBe(0);
    clock.advance(1);
    expect(takeAll(situation)).toBe(50);
  });

  it("admits a tenth of the share when it was not seen lately: others may have used the rest", () => {
    saw(10, minute);
    clock.advance(10_000);
    expect(takeAll(outage())).toBe(5);
  });
});

describe("a name that was not seen before", () => {
  it("has a tenth of the share until every window of Redis's is over, then the share", () => {
    const situation = outage();
    clock.advance(20_000);
    expect(takeAll(situation)).toBe(5);
    clock.advance(40_000);
    expect(takeAll(situation)).toBe(50);
  });

  it("may always do something, however small the limit", () => {
    const situation = outage(1, 5);
    expect(takeAll(situation, 2)).toBe(1);
    clock.advance(minute);
    expect(takeAll(situation, 2)).toBe(1);
  });

  it("is read without a count, and without a window", () => {
    const situation = outage();
    clock.advance(minute);
    expect(shares.read("acc", limit, minute, situation)).toMatchObject({ count: 0, remaining: 50 });
    expect(shares.names()).toEqual([]);
  });
});

describe("what is reported to Redis when it recovers", () => {
  it("is what it had counted itself and what was counted here, once", () => {
    saw(60);
    shares.lostReports();
    takeAll(outage());
    expect(shares.unreported("acc")).toEqual({
      name: "acc",
      amount: 20,
      seen: 60,
      leftMs: 30_000,
      window: "shared",
      isRecorded: false,
    });
    expect(shares.unreported("acc")).toBeNull();
  });

  it("is what it had counted, also where nothing was counted here", () => {
    saw(60);
    shares.lostReports();
    expect(shares.unreported("acc")).toMatchObject({ amount: 0, seen: 60 });
  });

  it("is reported again after another outage", () => {
    saw(60);
    shares.lostReports();
    takeAll(outage());
    shares.unreported("acc");
    shares.lostReports();
    expect(shares.unreported("acc")).toMatchObject({ amount: 20, seen: 60 });
  });

  it("follows corrections of what was counted here", () => {
    const situation = outage();
    clock.advance(minute);
    const { window } = shares.take("acc", 40, limit, minute, situation);
    expect(shares.unreported("acc")).toMatchObject({ amount: 40 });
    shares.adjust("acc", window, -30);
    expect(shares.unreported("acc")).toMatchObject({ amount: -30 });
  });

  it("is nothing about windows that are over", () => {
    saw(60);
    shares.lostReports();
    clock.advance(30_000);
    expect(shares.unreported("acc")).toBeNull();
  });
});

it("gives no second share to a window in which Redis came and went", () => {
  const first = outage();
  clock.advance(minute);
  expect(takeAll(first)).toBe(50);
  shares.lostReports();
  expect(takeAll(outage(2))).toBe(5);
  expect(shares.unreported("acc")).toMatchObject({ amount: 55 });
});

it("takes back in a window of Redis's what turned out not to be used", () => {
  saw(90);
  shares.adjust("acc", "shared", -50);
  expect(takeAll(outage())).toBe(30);
});
