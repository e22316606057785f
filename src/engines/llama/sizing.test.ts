import { describe, expect, it } from "vitest";
import { batchBytes, chooseBatchTokens, chooseThreads, copyingPays, leastGpuCacheTokens } from "./sizing.js";

const gigabyte = 1024 ** 3;
describe("sizing", () => {
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
