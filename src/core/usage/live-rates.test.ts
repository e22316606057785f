import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { LiveRates } from "./live-rates.js";

describe("live rates", () => {
  it("count the tokens of the last ten seconds, each model for itself or several together", () => {
    const clock = new FakeClock();
    const rates = new LiveRates(clock);
    clock.advance(1_000 - (clock.monotonicMs() % 1_000));
    for (let second = 0; second < 30; second++) {
      for (let token = 0; token < 20; token++) rates.addTokens("omega", 1);
      rates.addTokens("prism", 5);
      clock.advance(1_000);
    }
    expect(rates.tokensPerSecond(["omega"])).toBe(20);
    expect(rates.tokensPerSecond(["prism"])).toBe(5);
    expect(rates.tokensPerSecond(["lambda"])).toBe(0);
    expect(rates.tokensPerSecond(["omega", "prism", "lambda"])).toBe(25);
    clock.advance(5_000);
    expect(rates.tokensPerSecond(["omega"])).toBeCloseTo(20 * (4 / 9), 1);
    clock.advance(5_000);
    expect(rates.tokensPerSecond(["omega"])).toBe(0);
  });

  it("know the middle of the latest waits", () => {
    const rates = new LiveRates(new FakeClock());
    expect(rates.queueWaitMsP50(["omega"])).toBeNull();
    for (let i = 0; i < 1000; i++) rates.addWait("omega", 10_000);
    for (let i = 0; i < 200; i++) rates.addWait("omega", i);
    expect(rates.queueWaitMsP50(["omega"])).toBe(100);
    for (let i = 0; i < 200; i++) rates.addWait("prism", 1_000);
    expect(rates.queueWaitMsP50(["omega", "prism"])).toBe(1_000);
  });
});
