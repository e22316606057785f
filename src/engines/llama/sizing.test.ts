import { describe, expect, it } from "vitest";
import { chooseSizing, chooseThreads, copyingPays, type SizingInput } from "./sizing.js";

const gigabyte = 1024 ** 3;
const smallModel: SizingInput = {
  trainContextTokens: 2048,
  weightsBytes: 0.3 * gigabyte,
  cacheBytesPerToken: 22_528,
  availableBytes: 16 * gigabyte,
  sequences: undefined,
  contextTokens: undefined,
};
const memoryOf = (input: SizingInput) => {
  const { sequences, contextTokens } = chooseSizing(input);
  return input.weightsBytes + sequences * contextTokens * input.cacheBytesPerToken;
};

describe("sizing", () => {
  it("gives eight sequences the trained context where there is room, 4096 tokens at most", () => {
    expect(chooseSizing(smallModel)).toEqual({ sequences: 8, contextTokens: 2048 });
    expect(chooseSizing({ ...smallModel, trainContextTokens: 131_072 })).toEqual({
      sequences: 8,
      contextTokens: 4096,
    });
  });

  it("shrinks until weights and cache fit the memory", () => {
    for (const gigabytes of [1, 1.2, 2, 4]) {
      const input = { ...smallModel, trainContextTokens: 8192, availableBytes: gigabytes * gigabyte };
      expect(memoryOf(input)).toBeLessThanOrEqual(0.6 * input.availableBytes);
    }
  });

  it("keeps one sequence where nothing fits", () => {
    const sizing = chooseSizing({ ...smallModel, availableBytes: 0.1 * gigabyte });
    expect(sizing).toEqual({ sequences: 1, contextTokens: 512 });
  });

  it("takes what is configured as it is", () => {
    const configured = { sequences: 64, contextTokens: 8192 };
    expect(chooseSizing({ ...smallModel, availableBytes: 0, ...configured })).toEqual(configured);
    expect(chooseSizing({ ...smallModel, availableBytes: 0, contextTokens: 4096 })).toEqual({
      sequences: 1,
      contextTokens: 4096,
    });
  });

  it("uses all cores for a model that is worth it, one for a toy", () => {
    expect(chooseThreads(gigabyte, 8)).toBe(8);
    expect(chooseThreads(500_000, 8)).toBe(1);
  });

  it("copies a sequence that is small beside the weights, or small at all", () => {
    expect(copyingPays(0.1 * gigabyte, 0.6 * gigabyte)).toBe(true);
    expect(copyingPays(16 * gigabyte, 5 * gigabyte)).toBe(false);
    expect(copyingPays(500_000, 300_000)).toBe(true);
  });
});
