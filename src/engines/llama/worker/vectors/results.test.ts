import { describe, expect, it } from "vitest";
import { chooseLanes } from "./lane-sizing.js";
import { scoreOf, unitVector } from "./results.js";

describe("a vector", () => {
  it("has length 1, also where it is shortened", () => {
    expect([...unitVector(Float64Array.of(3, 4, 12))]).toEqual([3 / 13, 4 / 13, 12 / 13].map(Math.fround));
    expect([...unitVector(Float64Array.of(3, 4, 12), 2)]).toEqual([0.6, 0.8].map(Math.fround));
  });

  it("without any length stays as it is", () => {
    expect([...unitVector(Float64Array.of(0, 0))]).toEqual([0, 0]);
  });
});

describe("a score", () => {
  it("is a probability", () => {
    expect(scoreOf(Float64Array.of(0), false)).toBe(0.5);
    expect(scoreOf(Float64Array.of(0.9, 0.1), true)).toBe(0.9);
  });
});

describe("the lanes of a model", () => {
  const gibibyte = 1024 ** 3;
  const small = { trainedTokens: 512, embeddingLength: 384, cacheBytesPerToken: 0 };
  const large = { trainedTokens: 8192, embeddingLength: 1024, cacheBytesPerToken: 0 };

  it("are as many as threads, up to sixteen", () => {
    const lanesOf = (threads: number) => chooseLanes({ ...small, threads, availableBytes: 8 * gibibyte });
    expect(lanesOf(2)).toEqual({ lanes: 2, contextTokens: 512 });
    expect(lanesOf(64).lanes).toBe(16);
  });

  it("are fewer, and inputs shorter, where memory is scarce", () => {
    const chosen = (gibibytes: number, cacheBytesPerToken = 0) =>
      chooseLanes({ ...large, cacheBytesPerToken, threads: 8, availableBytes: gibibytes * gibibyte });
    expect(chosen(8)).toEqual({ lanes: 2, contextTokens: 8192 });
    expect(chosen(2)).toEqual({ lanes: 1, contextTokens: 4096 });
    expect(chosen(0)).toEqual({ lanes: 1, contextTokens: 512 });
    expect(chosen(8, 114_688)).toEqual({ lanes: 1, contextTokens: 8192 });
  });

  it("take no longer inputs than the model was trained for, nor than callers expect", () => {
    const tokens = (trainedTokens: number) =>
      chooseLanes({ ...small, threads: 1, trainedTokens, availableBytes: 8 * gibibyte }).contextTokens;
    expect(tokens(256)).toBe(256);
    expect(tokens(32_768)).toBe(8192);
  });
});
