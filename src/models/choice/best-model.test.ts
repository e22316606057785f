import { describe, expect, it } from "vitest";
import { chatArchitectures, embeddingArchitectures } from "../gguf/architectures.js";
import { bestFor, entryOfFile } from "./best-model.js";
import type { Machine } from "./fit-here.js";
import { catalog, entriesFor } from "./catalog.js";

const gib = 2 ** 30;
/** `gigabytes` a second of weights. */
const machine = (memoryGib: number, gigabytes: number | null = null): Machine => ({
  memory: { totalBytes: memoryGib * gib, onDemand: false },
  configured: {},
  bytesPerSecond: gigabytes === null ? null : gigabytes * 1e9,
});

describe("the best model for a machine", () => {
  it.each([
    [4, "gemma-3-1b"],
    [8, "qwen3-4b"],
    [16, "gemma-4-12b"],
    [32, "gemma-4-26b-a4b"],
  ])("with %i GiB is %s", (memory, id) => {
    // A tenth is taken by the system already.
    expect(bestFor(machine(0.9 * memory))?.entry.id).toBe(id);
  });

  it("leaves a reserve: it needs well below what is available", () => {
    for (const gibibytes of [2, 3, 5, 6, 10, 12, 20, 24, 48, 64]) {
      const best = bestFor(machine(gibibytes));
      expect(best?.entry.bytes ?? 0).toBeLessThan(0.6 * gibibytes * gib);
    }
  });

  it("never gets worse with more memory", () => {
    const ranks = Array.from({ length: 64 }, (_, index) => {
      const best = bestFor(machine(index + 1));
      return best === null ? -1 : catalog.indexOf(best.entry);
    });
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(ranks.at(-1)).toBe(entriesFor("omega").length - 1);
  });

  it("is none on a machine without room for any", () => {
    expect(bestFor(machine(0.5))).toBeNull();
  });

  it("is one that runs at reading speed, where it is known how fast weights are read", () => {
    expect(bestFor(machine(16, 1000))).toMatchObject({ entry: { id: "gemma-4-12b" }, isSlow: false });
    const twoCores = bestFor(machine(16, 12));
    expect(twoCores).toMatchObject({ isSlow: false });
    expect(twoCores?.tokensPerSecond).toBeGreaterThan(7);
    expect(twoCores?.entry.bytes).toBeLessThan(3.2e9);
    // Of a mixture of experts only a part is read.
    expect(bestFor(machine(40, 25))?.entry.id).toBe("gemma-4-26b-a4b");
  });

  it("says so when nothing is fast enough, and which is fastest", () => {
    expect(bestFor(machine(16, 3))).toMatchObject({
      entry: { id: "gemma-3-1b" },
      tokensPerSecond: 3.7,
      isSlow: true,
    });
  });
});

describe("an entry of the catalogue", () => {
  it("is recognised by the name of its file", () => {
    expect(entryOfFile("/data/models/Qwen3-4B-Instruct-2507-Q4_K_M.gguf")?.id).toBe("qwen3-4b");
    expect(entryOfFile("/data/models/qwen3-4b.gguf")).toBeNull();
  });

  it("tells what it is good for, in one line", () => {
    for (const { goodFor } of catalog) expect(goodFor).toMatch(/^[A-Z][^\n]{10,90}\.$/);
  });

  it("has an architecture that the engine knows", () => {
    const known = new Set([...chatArchitectures, ...embeddingArchitectures]);
    for (const { architecture } of catalog) expect(known).toContain(architecture);
  });
});
