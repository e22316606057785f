import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { memoryCounters } from "../../store/counters/counters.js";
import { DashboardError } from "../dashboard-error.js";
import { Throttle } from "./throttle.js";

const windowMs = 60_000;

function newThrottle(limit = 5) {
  const clock = new FakeClock();
  const throttle = new Throttle(memoryCounters(clock).admissions, clock, { name: "test", limit, windowMs });
  const attempts = async (count: number, who = "ada") => {
    const results = await Promise.allSettled(Array.from({ length: count }, () => throttle.attempt(who)));
    return results.filter(({ status }) => status === "fulfilled").length;
  };
  return { clock, throttle, attempts };
}

const retryAfterOf = (error: unknown): number =>
  error instanceof DashboardError ? (error.retryAfterSeconds ?? 0) : 0;

describe("throttle", () => {
  it("lets exactly the limit of a parallel burst through", async () => {
    const { attempts } = newThrottle();
    expect(await attempts(100)).toBe(5);
    expect(await attempts(100)).toBe(0);
  });

  it("counts each name for itself", async () => {
    const { attempts } = newThrottle();
    await attempts(5, "ada");
    expect(await attempts(5, "bob")).toBe(5);
  });

  it("never lets more than the limit through in any stretch as long as the window", async () => {
    const { clock, attempts } = newThrottle();
    const admitted: { atMs: number; count: number }[] = [];
    for (let second = 0; second < 300; second += 5) {
      admitted.push({ atMs: clock.monotonicMs(), count: await attempts(2) });
      clock.advance(5_000);
    }
    for (const { atMs } of admitted) {
      const inWindow = admitted.filter(
        (entry) => entry.atMs >= atMs && entry.atMs < atMs + windowMs * (5 / 6),
      );
      expect(inWindow.reduce((sum, entry) => sum + entry.count, 0)).toBeLessThanOrEqual(5);
    }
    expect(admitted.reduce((sum, entry) => sum + entry.count, 0)).toBeGreaterThan(20);
  });

  it("admits a blocked name again, however often it tried meanwhile", async () => {
    const { clock, attempts } = newThrottle();
    await attempts(5);
    for (let second = 0; second < 59; second++) {
      expect(await attempts(10)).toBe(0);
      clock.advance(1_000);
      if (second >= 49) break;
    }
    clock.advance(11_000);
    expect(await attempts(1)).toBe(1);
  });

  it("takes an attempt back", async () => {
    const { throttle, attempts } = newThrottle();
    for (let i = 0; i < 20; i++) await (await throttle.attempt("ada"))();
    expect(await attempts(10)).toBe(5);
  });

  it("says when to retry, and nothing about why", async () => {
    const { throttle, attempts } = newThrottle();
    await attempts(5);
    const refusal: unknown = await throttle.attempt("ada").catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DashboardError);
    expect(refusal).toMatchObject({ code: "throttled", retryAfterSeconds: 60 });
  });

  it("says to the second when the next attempt gets through", async () => {
    const { clock, throttle, attempts } = newThrottle();
    clock.advance(3_000);
    for (const [count, pauseMs] of [
      [2, 12_000],
      [1, 20_500],
      [2, 7_000],
    ] as const) {
      await attempts(count);
      clock.advance(pauseMs);
    }
    for (let round = 0; round < 8; round++) {
      const seconds = await throttle.attempt("ada").then(() => 0, retryAfterOf);
      if (seconds === 0) continue;
      clock.advance(seconds * 1000 - 1_001);
      expect(await attempts(1)).toBe(0);
      clock.advance(1_001);
      expect(await attempts(1)).toBe(1);
    }
  });
});
