import { describe, expect, it } from "vitest";
import {
  cacheBudget,
  cacheBytesOf,
  type ConfiguredSize,
  divideBudget,
  fitBeside,
  fitContext,
  type ModelSize,
} from "./context-fit.js";

const gib = 1024 ** 3;
const starter: ModelSize = {
  bytes: 0.6 * gib,
  contextTokens: 2048,
  cacheBytesPerToken: 22_528,
  takesQuantisedCache: true,
};
/** Such as Qwen3 4B. */
const long: ModelSize = { ...starter, bytes: 2.5 * gib, contextTokens: 262_144, cacheBytesPerToken: 147_456 };

const alone = (size: ModelSize, memoryGib: number, configured: ConfiguredSize = {}) =>
  fitBeside({ size, configured }, [], { totalBytes: memoryGib * gib, onDemand: false });

describe("the context that a model gets", () => {
  it("is the one it was trained for, for eight sequences, where there is room", () => {
    expect(alone(starter, 16)).toEqual({ sequences: 8, contextTokens: 2048, cacheType: "f16" });
    expect(alone(long, 2000)).toEqual({ sequences: 8, contextTokens: 262_144, cacheType: "f16" });
  });

  it("is as much of it as memory allows, beyond 32k", () => {
    const fit = alone(long, 128);
    expect(fit).toMatchObject({ sequences: 8, cacheType: "f16" });
    expect(fit.contextTokens).toBeGreaterThan(40_000);
    expect(fit.contextTokens % 256).toBe(0);
  });

  it("is at least 32k where a smaller cache, then fewer sequences, make room for it", () => {
    const fits = [96, 64, 32, 16, 10].map((memory) => alone(long, memory));
    expect(fits.map(({ sequences, cacheType }) => `${sequences} ${cacheType}`)).toEqual([
      "8 f16",
      "8 q8_0",
      "4 q8_0",
      "2 q8_0",
      "1 q8_0",
    ]);
    for (const { contextTokens } of fits) expect(contextTokens).toBeGreaterThanOrEqual(32_768);
  });

  it("never takes more than its part of the memory, down to one short conversation", () => {
    for (let memory = 5; memory < 300; memory += 3) {
      const cache = cacheBytesOf(long, alone(long, memory));
      expect(cache).toBeLessThanOrEqual(cacheBudget(memory * gib, long.bytes));
      expect(long.bytes + cache).toBeLessThanOrEqual(0.6 * memory * gib);
    }
    expect(alone(long, 6)).toMatchObject({ sequences: 1, contextTokens: 14_848 });
    expect(alone(long, 1)).toEqual({ sequences: 1, contextTokens: 512, cacheType: "q8_0" });
  });

  it("keeps a 16-bit cache where the heads do not fit the blocks of another", () => {
    expect(alone({ ...long, takesQuantisedCache: false }, 16)).toMatchObject({
      cacheType: "f16",
      sequences: 1,
    });
  });

  it("is what the operator sets", () => {
    expect(alone(long, 16, { contextTokens: 8192 })).toEqual({
      sequences: 8,
      contextTokens: 8192,
      cacheType: "q8_0",
    });
    const all = { sequences: 64, contextTokens: 8192, cacheType: "q4_0" } as const;
    expect(alone(long, 1, all)).toEqual(all);
    expect(alone(long, 1, { contextTokens: 4096 })).toMatchObject({ sequences: 1, contextTokens: 4096 });
    expect(alone(long, 64, { cacheType: "f16" })).toMatchObject({ sequences: 4, cacheType: "f16" });
  });

  it("is short where nothing is known of the cache", () => {
    const unknown = { ...long, cacheBytesPerToken: 0 };
    expect(alone(unknown, 64)).toEqual({ sequences: 8, contextTokens: 4096, cacheType: "f16" });
  });

  it("leaves a GPU more sequences than the CPU, until 32k need their memory", () => {
    const onGpu = (gigabytes: number) => fitContext(long, {}, gigabytes * gib, 64);
    expect(onGpu(400)).toMatchObject({ sequences: 64, cacheType: "f16" });
    expect(onGpu(100)).toMatchObject({ sequences: 16, cacheType: "f16" });
    expect(onGpu(24)).toMatchObject({ sequences: 8, cacheType: "q8_0" });
    expect(onGpu(3)).toMatchObject({ sequences: 1, cacheType: "q8_0" });
  });
});

describe("the memory", () => {
  it("is divided between the files that serve models; what one cannot use is the others'", () => {
    expect(divideBudget(90, [100, 10, 100])).toEqual([40, 10, 40]);
    expect(divideBudget(90, [5, 5])).toEqual([5, 5]);
    const memory = { totalBytes: 64 * gib, onDemand: false };
    const [one, other] = [long, { ...long, bytes: 3 * gib }].map((size) => ({ size, configured: {} }));
    if (one === undefined || other === undefined) throw new Error("two models");
    const beside = cacheBytesOf(one.size, fitBeside(one, [other], memory));
    expect(beside).toBeLessThanOrEqual(cacheBudget(memory.totalBytes, 5.5 * gib) / 2);
    const besideStarter = cacheBytesOf(one.size, fitBeside(one, [{ size: starter, configured: {} }], memory));
    expect(besideStarter).toBeGreaterThan(1.8 * beside);
  });

  it("leaves room for the next model beside the one that it replaces", () => {
    expect(2 * cacheBudget(64 * gib, gib)).toBeLessThanOrEqual(0.8 * 64 * gib);
    const memory = { totalBytes: 64 * gib, freeBytes: 4 * gib, onDemand: false };
    expect(cacheBytesOf(long, fitBeside({ size: long, configured: {} }, [], memory))).toBeLessThan(4 * gib);
  });
});
