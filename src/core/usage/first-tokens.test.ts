import { describe, expect, it } from "vitest";
import {
  addFirstToken,
  firstTokenMedian,
  firstTokenP95,
  noFirstTokenTimes,
  sumOfFirstTokenTimes,
  type FirstTokenTimes,
} from "./first-tokens.js";

function timesOf(...times: number[]): FirstTokenTimes {
  const sum = { ...noFirstTokenTimes };
  for (const ms of times) addFirstToken(sum, ms);
  return sum;
}

describe("times to the first token", () => {
  it("fall into the step that ends at or after them", () => {
    expect(timesOf(0, 50).firstTokens[0]).toBe(2);
    expect(timesOf(50.1).firstTokens[1]).toBe(1);
    expect(timesOf(25_600).firstTokens[9]).toBe(1);
    expect(timesOf(25_601, 9_999_999).firstTokens[10]).toBe(2);
  });

  it("are the same summed up one by one or from several sums", () => {
    const sum = sumOfFirstTokenTimes(timesOf(80, 50, 0), timesOf(3_630, 100_000, 80));
    expect(timesOf(80, 50, 0, 3_630, 100_000, 80)).toEqual(sum);
    expect(noFirstTokenTimes).toMatchObject({ firstTokens: new Array(11).fill(0), firstTokenMinMs: null });
  });

  it("have no percentile without any", () => {
    expect(firstTokenMedian(noFirstTokenTimes)).toBeNull();
    expect(firstTokenP95(noFirstTokenTimes)).toBeNull();
    expect(timesOf()).toEqual(noFirstTokenTimes);
  });

  it.each([
    [[3_630], 3_630, 3_630],
    [[100_000], 100_000, 100_000],
    [[120, 3_630], 1_875, 3_630],
    [[120, 130, 3_630], 130, 3_630],
    [[120, 130, 140, 3_630], 135, 3_630],
  ])("are shown as they were for few replies: %j", (times, median, p95) => {
    expect(firstTokenMedian(timesOf(...times))).toBe(median);
    expect(firstTokenP95(timesOf(...times))).toBe(p95);
  });

  it("never have a percentile outside of what was observed", () => {
    for (let count = 1; count <= 60; count++) {
      for (const shortest of [1, 51, 3_300, 30_000]) {
        const times = Array.from({ length: count }, (_, i) => shortest + 7 * i);
        const longest = times.at(-1) ?? 0;
        for (const shown of [firstTokenMedian(timesOf(...times)), firstTokenP95(timesOf(...times))]) {
          expect(shown).toBeGreaterThanOrEqual(shortest);
          expect(shown).toBeLessThanOrEqual(longest);
        }
      }
    }
  });

  it("are the longest as long as one in twenty is none", () => {
    expect(firstTokenP95(timesOf(...new Array<number>(18).fill(210), 390))).toBe(390);
    expect(firstTokenP95(timesOf(...new Array<number>(39).fill(60), 20_000))).toBeLessThanOrEqual(100);
  });

  it("are estimated inside the step", () => {
    const times = timesOf(...Array.from({ length: 100 }, (_, i) => 100 + i));
    expect(firstTokenMedian(times)).toBeCloseTo(150, -1);
    expect(firstTokenP95(times)).toBeCloseTo(195, -1);
  });

  it("are never estimated off by more than a factor of two", () => {
    for (let ms = 51; ms <= 25_600; ms *= 1.13) {
      const times = timesOf(1, ...new Array<number>(98).fill(ms), 100_000);
      const estimate = firstTokenMedian(times) ?? 0;
      expect(estimate / ms).toBeGreaterThan(0.5);
      expect(estimate / ms).toBeLessThan(2);
    }
  });

  it("are estimated from the steps alone where shortest and longest are not known", () => {
    const old = {
      ...timesOf(...new Array<number>(30).fill(150)),
      firstTokenMinMs: null,
      firstTokenMaxMs: null,
    };
    expect(firstTokenMedian(old)).toBe(150);
    expect(firstTokenP95(old)).toBe(195);
    const long = { ...timesOf(90_000), firstTokenMinMs: null, firstTokenMaxMs: null };
    expect(firstTokenP95(long)).toBe(25_600);
  });

  it("add up", () => {
    const sum = sumOfFirstTokenTimes(timesOf(10, 60), timesOf(10));
    expect(sum).toEqual(timesOf(10, 10, 60));
    expect(sum).toMatchObject({ firstTokenMs: 80, firstTokenMinMs: 10, firstTokenMaxMs: 60 });
  });
});
