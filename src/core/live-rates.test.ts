import { describe, expect, it } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.js";
import { LiveRates } from "./live-rates.js";

describe("live rates", () => {
  it("count the tokens of the last minute, each model for itself", () => {
    const clock = new FakeClock();
    const rates = new LiveRates(clock);
    rates.add("omega", 600, undefined);
    clock.advance(30_000);
    rates.add("omega", 600, undefined);
    rates.add("omega", 60, undefined);
    expect(rates.tokensPerSecond("omega")).toBe(21);
    expect(rates.tokensPerSecond("prism")).toBe(0);
    clock.advance(30_000);
    expect(rates.tokensPerSecond("omega")).toBe(11);
    clock.advance(30_000);
    expect(rates.tokensPerSecond("omega")).toBe(0);
    rates.add("omega", 6, undefined);
    expect(rates.tokensPerSecond("omega")).toBe(0.1);
  });

  it("know the middle of the latest waits", () => {
    const rates = new LiveRates(new FakeClock());
    expect(rates.queueWaitMsP50("omega")).toBeNull();
    for (let i = 0; i < 1000; i++) rates.add("omega", 1, 10_000);
    for (let i = 0; i < 200; i++) rates.add("omega", 1, i);
    expect(rates.queueWaitMsP50("omega")).toBe(100);
  });
});
