import { describe, expect, it } from "vitest";
import { chatArchitectures } from "../gguf/architectures.js";
import { bestFor, entryOfFile } from "./best-model.js";
import { catalog } from "./catalog.js";

const gib = 2 ** 30;

describe("the best model for a machine", () => {
  it.each([
    [4, "gemma-3-1b"],
    [8, "qwen3-4b"],
    [16, "gemma-4-12b"],
    [32, "gemma-4-26b-a4b"],
  ])("with %i GiB is %s", (memory, id) => {
    // A tenth is taken by the system already.
    expect(bestFor({ availableBytes: 0.9 * memory * gib })?.id).toBe(id);
  });

  it("leaves a reserve: it needs well below what is available", () => {
    for (const gibibytes of [2, 3, 5, 6, 10, 12, 20, 24, 48, 64]) {
      const availableBytes = gibibytes * gib;
      const best = bestFor({ availableBytes });
      expect(best?.bytes ?? 0).toBeLessThan(0.6 * availableBytes);
    }
  });

  it("never gets worse with more memory", () => {
    const ranks = Array.from({ length: 64 }, (_, index) => {
      const best = bestFor({ availableBytes: (index + 1) * gib });
      return best === null ? -1 : catalog.indexOf(best);
    });
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(ranks.at(-1)).toBe(catalog.length - 1);
  });

  it("is none on a machine without room for any", () => {
    expect(bestFor({ availableBytes: 0.5 * gib })).toBeNull();
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
    for (const { architecture } of catalog) expect(chatArchitectures).toContain(architecture);
  });
});
