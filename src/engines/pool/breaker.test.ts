import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../test/support/inputs/fake-clock.js";
import { Breaker, defaultBreakerLimits as limits } from "./breaker.js";

const opened = () => {
  const clock = new FakeClock();
  const breaker = new Breaker(clock);
  for (let count = 0; count < limits.failuresInRow; count++) breaker.fail();
  return { clock, breaker };
};

describe("a breaker", () => {
  it("opens after several failures in a row, and not before", () => {
    const breaker = new Breaker(new FakeClock());
    for (let count = 1; count < limits.failuresInRow; count++) breaker.fail();
    expect(breaker.state).toBe("closed");
    breaker.succeed();
    breaker.fail();
    expect(breaker.state).toBe("closed");
    for (let count = 1; count < limits.failuresInRow; count++) breaker.fail();
    expect(breaker).toMatchObject({ state: "open", allows: false });
  });

  it("opens when half of the latest outcomes are failures, although never many in a row", () => {
    const breaker = new Breaker(new FakeClock());
    for (let count = 0; count < limits.window; count++) {
      expect(breaker.state).toBe("closed");
      if (count % 2 === 0) breaker.succeed();
      else breaker.fail();
    }
    expect(breaker.state).toBe("open");
  });

  it("lets one probe through after its pause, and closes when it succeeds", () => {
    const { clock, breaker } = opened();
    clock.advance(limits.firstPauseMs);
    expect(breaker).toMatchObject({ state: "half-open", allows: true });
    breaker.begin();
    expect(breaker.allows).toBe(false);
    breaker.succeed();
    expect(breaker).toMatchObject({ state: "closed", allows: true });
  });

  it("pauses for longer after each probe that fails, up to a limit", () => {
    const { clock, breaker } = opened();
    let pauseMs = limits.firstPauseMs;
    for (let round = 0; round < 8; round++) {
      clock.advance(pauseMs - 1);
      expect(breaker.state).toBe("open");
      clock.advance(1);
      breaker.begin();
      breaker.fail();
      pauseMs = Math.min(limits.longestPauseMs, pauseMs * 2);
    }
    clock.advance(limits.longestPauseMs);
    expect(breaker.state).toBe("half-open");
  });

  it("lets another probe through when one ended without a verdict", () => {
    const { clock, breaker } = opened();
    clock.advance(limits.firstPauseMs);
    breaker.begin();
    breaker.forget();
    expect(breaker).toMatchObject({ state: "half-open", allows: true });
  });

  it("is not opened for longer by what was under way when it opened", () => {
    const { clock, breaker } = opened();
    breaker.fail();
    breaker.succeed();
    expect(breaker.state).toBe("open");
    clock.advance(limits.firstPauseMs);
    expect(breaker.state).toBe("half-open");
  });

  it("always lets work through again within the longest pause, whatever happened", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(2000)), { maxLength: 60 }), (steps) => {
        const clock = new FakeClock();
        const breaker = new Breaker(clock);
        for (const [step, ms] of steps) {
          clock.advance(ms);
          if (!breaker.allows) continue;
          breaker.begin();
          if (step === 0) breaker.succeed();
          else if (step === 1) breaker.forget();
          else breaker.fail();
        }
        clock.advance(limits.longestPauseMs);
        expect(breaker.allows).toBe(true);
      }),
    );
  });
});
