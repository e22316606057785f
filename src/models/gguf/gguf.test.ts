import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ggufBytes,
  llamaFields,
  randomTensor,
  text,
  uint32,
  uint64,
} from "../../../test/support/engines/gguf-file.js";
import { GgufError, needMore, parseGgufHeader } from "./gguf-header.js";
import { readWeightsFacts } from "./gguf.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-gguf-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const tensors = [
  randomTensor("token_embd.weight", [256, 3], 10),
  randomTensor("blk.0.ffn_up.weight", [256, 8], 16),
  randomTensor("output_norm.weight", [256], 0),
];
const whole = ggufBytes(llamaFields, tensors);

async function factsOf(bytes: Buffer, name = "model.gguf") {
  await writeFile(join(folder, name), bytes);
  return readWeightsFacts(join(folder, name));
}

const header = (...parts: Buffer[]): Buffer => Buffer.concat([Buffer.from("GGUF"), uint32(3), ...parts]);

describe("a GGUF file", () => {
  it("says what it is from its header", async () => {
    expect(await factsOf(whole)).toEqual({
      architecture: "llama",
      name: "small",
      licence: null,
      quantisation: "IQ2_XXS",
      parameters: 256 * 12,
      bytes: whole.length,
      contextTokens: 2048,
      hasChatTemplate: true,
      ranks: false,
      // 2 layers × 2 heads × (64 + 64) values × 2 bytes
      activeBytes: 1804,
      cacheBytesPerToken: 1024,
      takesQuantisedCache: true,
    });
  });

  it("may say its licence", async () => {
    const licensed = ggufBytes({ ...llamaFields, "general.license": "apache-2.0" }, tensors);
    expect((await factsOf(licensed)).licence).toBe("apache-2.0");
  });

  it("may have a number of heads for each layer, and a vocabulary longer than the first read", async () => {
    const fields = {
      ...llamaFields,
      "llama.attention.head_count_kv": [1, 4],
      "tokenizer.ggml.tokens": Array.from({ length: 300_000 }, (_, index) => `token ${index}`),
    };
    const facts = await factsOf(ggufBytes(fields, tensors));
    expect(facts.cacheBytesPerToken).toBe(5 * 128 * 2);
    expect(facts.parameters).toBe(256 * 12);
  });

  it("that is split counts with all its parts, by the name of the first", async () => {
    const second = ggufBytes({ "split.no": 1 }, [randomTensor("blk.1.ffn_up.weight", [256, 8], 16)]);
    await writeFile(join(folder, "m-00002-of-00002.gguf"), second);
    const facts = await factsOf(whole, "m-00001-of-00002.gguf");
    expect(facts).toMatchObject({ parameters: 256 * 20, bytes: whole.length + second.length });
    await expect(readWeightsFacts(join(folder, "m-00002-of-00002.gguf"))).rejects.toThrow("name its part 1");
    await rm(join(folder, "m-00002-of-00002.gguf"));
    await expect(readWeightsFacts(join(folder, "m-00001-of-00002.gguf"))).rejects.toThrow(
      "is split, and m-00002-of-00002.gguf does not exist",
    );
  });
});

describe("a bad file is refused with the reason:", () => {
  it.each<[string, Buffer, string]>([
    ["an error page", Buffer.from("<html>"), "does not begin with 'GGUF'"],
    ["an empty file", Buffer.alloc(0), "does not begin with 'GGUF'"],
    ["one byte short", whole.subarray(0, whole.length - 32), "is truncated: it has"],
    ["cut in its header", whole.subarray(0, 100), "end within its header"],
    ["another version", Buffer.concat([Buffer.from("GGUF"), uint32(9), Buffer.alloc(16)]), "version 9"],
    ["a million million tensors", header(uint64(1e12), uint64(0)), "says that it has 1000000000000 tensors"],
    ["a million million fields", header(uint64(0), uint64(1e12)), "says that it has 1000000000000 fields"],
    ["a text without end", header(uint64(0), uint64(1), uint64(2 ** 50)), "has a text of"],
    [
      "a list without end",
      header(uint64(0), uint64(1), text("x"), uint32(9), uint32(4), uint64(2 ** 50)),
      "end within its header",
    ],
    [
      "texts without end",
      header(uint64(0), uint64(1), text("x"), uint32(9), uint32(8), uint64(2 ** 50)),
      "end within its header",
    ],
    [
      "a type nobody knows",
      ggufBytes(llamaFields, [{ name: "t", dimensions: [32], type: 77, data: Buffer.alloc(64) }]),
      "type 77",
    ],
    ["no architecture", ggufBytes({}, tensors), "does not say which architecture"],
    ["no weights", ggufBytes(llamaFields, []), "holds no weights"],
    ["an odd alignment", ggufBytes({ ...llamaFields, "general.alignment": 7 }, tensors), "alignment"],
  ])("%s", async (_, bytes, reason) => {
    const error: unknown = await factsOf(bytes).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GgufError);
    expect(String(error)).toContain(reason);
  });

  it("any bytes at all, without ever failing in another way", () => {
    const change = fc.tuple(fc.nat(900), fc.uint8Array({ minLength: 1, maxLength: 8 }));
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.nat(whole.length),
        (changes, length) => {
          const bytes = Buffer.from(whole);
          for (const [at, written] of changes) bytes.set(written, at);
          try {
            const parsed = parseGgufHeader(bytes.subarray(0, length));
            if (parsed !== needMore) expect(parsed.tensors.length).toBeLessThan(100_000);
          } catch (error) {
            expect(error).toBeInstanceOf(GgufError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
