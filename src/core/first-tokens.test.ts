import { describe, expect, it } from "vitest";
import {
  firstTokenPercentile,
  noFirstTokens,
  sumOfFirstTokens,
  withFirstToken,
  type FirstTokenHistogram,
} from "./first-tokens.js";

const histogramOf = (...times: number[]): FirstTokenHistogram => times.reduce(withFirstToken, noFirstTokens);

describe("times to the first token", () => {
  it("fall into the step that ends at or after them", () => {
    expect(histogramOf(0, 50)[0]).toBe(2);
    expect(histogramOf(50.1)[1]).toBe(1);
    expect(histogramOf(25_600)[9]).toBe(1);
    expect(histogramOf(25_601, 9_999_999)[10]).toBe(2);
  });

  it("have no percentile without any", () => {
    expect(firstTokenPercentile(noFirstTokens, 0.5)).toBeNull();
  });

  it("are estimated inside the step", () => {
    const times = Array.from({ length: 100 }, (_, i) => 100 + i);
    const histogram = histogramOf(...times);
    expect(firstTokenPercentile(histogram, 0.5)).toBeCloseTo(150, -1);
    expect(firstTokenPercentile(histogram, 0.95)).toBeCloseTo(195, -1);
  });

  it("are never estimated off by more than a factor of two between the bounds", () => {
    for (let ms = 51; ms <= 25_600; ms *= 1.13) {
      const estimate = firstTokenPercentile(histogramOf(ms, ms, ms), 0.5) ?? 0;
      expect(estimate / ms).toBeGreaterThan(0.5);
      expect(estimate / ms).toBeLessThan(2);
    }
  });

  it("past the last bound count as the last bound", () => {
    expect(firstTokenPercentile(histogramOf(100_000), 0.95)).toBe(25_600);
  });

  it("add up", () => {
    const sum = sumOfFirstTokens(histogramOf(10, 60), histogramOf(10));
    expect(sum).toEqual(histogramOf(10, 10, 60));
  });
});
