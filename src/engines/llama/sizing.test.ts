import { describe, expect, it } from "vitest";
import {
  batchBytes,
  chooseBatchTokens,
  chooseSizing,
  chooseThreads,
  copyingPays,
  leastGpuCacheTokens,
  type SizingInput,
} from "./sizing.js";

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

  it("gives a GPU 64 sequences, and fewer before shorter ones where its memory is small", () => {
    const onGpu = { ...smallModel, trainContextTokens: 8192, onGpu: true };
    const sizeIn = (gigabytes: number) => chooseSizing({ ...onGpu, availableBytes: gigabytes * gigabyte });
    expect(sizeIn(80)).toEqual({ sequences: 64, contextTokens: 4096 });
    expect(sizeIn(4)).toEqual({ sequences: 32, contextTokens: 4096 });
    expect(sizeIn(1)).toEqual({ sequences: 8, contextTokens: 4096 });
    expect(sizeIn(0.5)).toEqual({ sequences: 8, contextTokens: 2048 });
    const configured = chooseSizing({ ...onGpu, sequences: 128, contextTokens: 8192 });
    expect(configured).toEqual({ sequences: 128, contextTokens: 8192 });
  });

  it("reads prompts in larger batches where a GPU has room for them", () => {
    const model = { vocabularySize: 128_256, embeddingLength: 4096 };
    const batchIn = (gigabytes: number) =>
      chooseBatchTokens({ ...model, freeGpuBytes: gigabytes * gigabyte });
    expect([120, 24, 12, 4].map(batchIn)).toEqual([4096, 2048, 1024, 512]);
    expect(batchBytes(batchIn(24), model)).toBeLessThan(2.4 * gigabyte);
    expect(chooseBatchTokens({ ...model, freeGpuBytes: undefined })).toBe(512);
  });

  it("keeps layers off a GPU for the sequences that are configured, not for those that would be nice", () => {
    expect(leastGpuCacheTokens({ sequences: undefined, contextTokens: undefined })).toBe(2 * 4096);
    expect(leastGpuCacheTokens({ sequences: 32, contextTokens: 2048 })).toBe(32 * 2048);
  });

  it("starts no threads for what little a GPU leaves to the CPU", () => {
    expect(chooseThreads(8 * gigabyte, 16, true)).toBe(1);
    expect(chooseThreads(8 * gigabyte, 16)).toBe(15);
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

  it("uses all cores for a model that is worth it, all but one of many, and one for a toy", () => {
    expect(chooseThreads(gigabyte, 4)).toBe(4);
    expect(chooseThreads(gigabyte, 8)).toBe(7);
    expect(chooseThreads(500_000, 8)).toBe(1);
  });

  it("copies a sequence that is small beside the weights, or small at all", () => {
    expect(copyingPays(0.1 * gigabyte, 0.6 * gigabyte)).toBe(true);
    expect(copyingPays(16 * gigabyte, 5 * gigabyte)).toBe(false);
    expect(copyingPays(500_000, 300_000)).toBe(true);
  });
});
