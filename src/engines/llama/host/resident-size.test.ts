import { describe, expect, it } from "vitest";
import { residentSize } from "./resident-size.js";

const mb = 1024 * 1024;
const file = { bytes: 1000 * mb, contextTokens: 8192, cacheBytesPerToken: 0.1 * mb };
const unset = { sequences: undefined, contextTokens: undefined, cacheType: "f16" } as const;

describe("the size of a model that is loaded on demand", () => {
  it("is its file, its cache and room to compute in", () => {
    const { sizing, size } = residentSize(file, unset, 100_000 * mb);
    expect(sizing).toEqual({ sequences: 8, contextTokens: 4096 });
    expect(size.weightsBytes).toBe(1000 * mb);
    expect(size.workingBytes).toBeCloseTo((256 + 8 * 4096 * 0.1) * mb, -3);
  });

  it("shrinks with the memory of the machine, and stays as the operator set it", () => {
    const small = residentSize(file, unset, 2000 * mb);
    expect(small.sizing).toEqual({ sequences: 1, contextTokens: 1024 });
    const set = residentSize(file, { ...unset, sequences: 4, contextTokens: 1024 }, 2000 * mb);
    expect(set.sizing).toEqual({ sequences: 4, contextTokens: 1024 });
  });

  it("knows how the cache is kept", () => {
    const half = residentSize(file, { ...unset, cacheType: "q8_0" }, 100_000 * mb);
    expect(half.size.workingBytes).toBeCloseTo((256 + (8 * 4096 * 0.1 * 34) / 64) * mb, -3);
  });
});
