import { describe, expect, it } from "vitest";
import { RestartPolicy } from "./restart-policy.js";
import { defaultTiming } from "./timing.js";

describe("restart policy", () => {
  it("doubles the wait from 250 ms to 30 s", () => {
    const policy = new RestartPolicy(defaultTiming);
    const delays = Array.from({ length: 9 }, (_, index) => policy.delayAfterDeath(index * 40_000, 0));
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it("starts over after a minute of health", () => {
    const policy = new RestartPolicy(defaultTiming);
    policy.delayAfterDeath(0, 0);
    policy.delayAfterDeath(1000, 0);
    expect(policy.delayAfterDeath(100_000, 60_000)).toBe(250);
  });

  it("sees a loop in five deaths within a minute, until a child stays well", () => {
    const policy = new RestartPolicy(defaultTiming);
    const dieAt = (nowMs: number, healthyMs = 0) => {
      policy.delayAfterDeath(nowMs, healthyMs);
      return policy.looping;
    };
    expect([0, 1, 2, 3].map((second) => dieAt(second * 1000))).toEqual([false, false, false, false]);
    expect(dieAt(4000)).toBe(true);
    expect(dieAt(200_000)).toBe(true);
    expect(dieAt(300_000, 61_000)).toBe(false);
  });

  it("sees no loop in deaths that are far apart", () => {
    const policy = new RestartPolicy(defaultTiming);
    for (let minute = 0; minute < 10; minute++) policy.delayAfterDeath(minute * 20_000, 10_000);
    expect(policy.looping).toBe(false);
  });
});
