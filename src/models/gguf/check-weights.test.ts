import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { ggufBytes, llamaFields, randomTensor } from "../../../test/support/engines/gguf-file.js";
import { textLike } from "../../../test/support/matchers.js";
import { rejectionOf } from "../../../test/support/rejection.js";
import { chatArchitectures, embeddingArchitectures, otherArchitectures } from "./architectures.js";
import { catalog } from "../choice/catalog.js";
import { checkWeights } from "./check-weights.js";
import { agentMemory, leastMemory } from "./memory.js";
import { parseReference } from "../pull/reference.js";
import { WeightsError } from "../weights-error.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-check-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const tensors = [randomTensor("t", [256, 8], 16)];
const plenty = { availableBytes: 1e12 };

async function errorOf(bytes: Buffer, machine = plenty): Promise<string> {
  const path = join(folder, "m.gguf");
  await writeFile(path, bytes);
  return (await rejectionOf(WeightsError, checkWeights(path, machine))).message;
}

describe("weights are refused before anything is loaded:", () => {
  it("an architecture that does not chat, or that nobody knows", async () => {
    const other = ggufBytes({ ...llamaFields, "general.architecture": "bert" }, tensors);
    expect(await errorOf(other)).toMatch(
      /m\.gguf is a bert model, which does not chat\. Use it for iota, or choose another model: /,
    );
    const path = join(folder, "m.gguf");
    await expect(checkWeights(path, plenty, "iota")).resolves.toMatchObject({ architecture: "bert" });
    const draft = ggufBytes({ ...llamaFields, "general.architecture": "eagle3" }, tensors);
    expect(await errorOf(draft)).toContain("is a eagle3 model, which does not chat. Choose another");
    await expect(checkWeights(path, plenty, "iota")).rejects.toThrow("which does not embed");
    const unknown = ggufBytes({ ...llamaFields, "general.architecture": "zeta9" }, tensors);
    expect(await errorOf(unknown)).toContain(
      "'zeta9', which this version of the engine does not know. Choose another",
    );
  });

  it("more than the memory holds, naming both numbers", async () => {
    const bytes = ggufBytes(llamaFields, tensors);
    expect(await errorOf(bytes, { availableBytes: 200e6 })).toMatch(
      /needs at least 2\d\d MB of memory, and 200 MB are available\. Choose a smaller/,
    );
    await expect(checkWeights(join(folder, "m.gguf"), { availableBytes: 300e6 })).resolves.toMatchObject({
      architecture: "llama",
    });
  });

  it("a folder, a missing file, a truncated one", async () => {
    await expect(checkWeights(folder, plenty)).rejects.toThrow(
      "is a folder, not a GGUF file. Choose another",
    );
    await expect(checkWeights(join(folder, "none.gguf"), plenty)).rejects.toThrow(
      "none.gguf does not exist. Check the path, or download it",
    );
    expect(await errorOf(ggufBytes(llamaFields, tensors).subarray(0, -64))).toMatch(
      /is truncated: .+\. Download it again: sotto models pull/,
    );
    expect(await errorOf(Buffer.from("GGUF and nothing that follows it"))).toMatch(
      /m\.gguf has GGUF version \d+, not 2 or 3\. The file is damaged, or its format is not supported\. Download/,
    );
  });

  it("a file that this user may not read", async () => {
    const path = join(folder, "secret.gguf");
    await writeFile(path, ggufBytes(llamaFields, tensors), { mode: 0o000 });
    await chmod(folder, 0o755);
    const check = () => checkWeights(path, plenty);
    await expect(asNobody(check)).rejects.toThrow(
      "secret.gguf cannot be read: this user has no permission (EACCES). Let the user that runs Sotto read it.",
    );
  });
});

/** Root may read everything. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe("the list of architectures", () => {
  it("covers what the binding knows, no more and no less", async () => {
    const bindingSchema = z.object({ GgufArchitectureType: z.record(z.string(), z.string()) });
    const { GgufArchitectureType } = bindingSchema.parse({ ...(await import("node-llama-cpp")) });
    const ours = [...chatArchitectures, ...embeddingArchitectures, ...otherArchitectures].sort();
    const known = Object.values(GgufArchitectureType).filter((name) => !name.startsWith("("));
    expect(ours).toEqual(known.sort());
  });
});

describe("memory", () => {
  it("is weights, cache and room to work", () => {
    const facts = { bytes: 1e9, cacheBytesPerToken: 1000, contextTokens: 8192, takesQuantisedCache: false };
    const base = 1e9 + 256 * 1024 * 1024;
    expect(leastMemory(facts)).toBe(base + 512 * 1000);
    expect(agentMemory(facts)).toBe(base + 8192 * 1000);
    expect(leastMemory(facts, { sequences: 2, contextTokens: 1000 })).toBe(base + 2 * 1000 * 1000);
  });
});

describe("the catalogue", () => {
  it("has entries that can be pulled, each under one name", () => {
    expect(new Set(catalog.map(({ id }) => id)).size).toBe(catalog.length);
    for (const entry of catalog) {
      expect(parseReference(entry.id)).toMatchObject({
        type: "hugging-face",
        file: textLike(/\.gguf$/),
      });
      expect(entry.suits.length).toBeGreaterThan(0);
      expect(agentMemory({ ...entry, takesQuantisedCache: true })).toBeGreaterThan(entry.bytes);
    }
  });
});
