import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ggufBytes,
  llamaFields,
  randomTensor,
  type FileTensor,
} from "../../../test/support/engines/gguf-file.js";
import { mergedRow, valueAt } from "../../../test/support/engines/reference-merge.js";
import { readWeightsFacts, readWholeHeader } from "../gguf/gguf.js";
import { mergeWeights, type Merged, type MergeOptions } from "./merge.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-merge-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const [q40, q2k, q4k, q5k, iq2xxs, f32, f16] = [2, 10, 12, 13, 16, 0, 1];
const rank = 32;
const tinyScales = [0, 1, 2, 3, 0x8001, 0x10, 0x83ff, 0x400];

/** One of every type that the starter has, of odd shapes where shapes may be odd. */
const base: FileTensor[] = [
  randomTensor("output.weight", [256, 7], q5k, 1),
  finiteScales(randomTensor("token_embd.weight", [512, 66], q2k, 2), 84, [80, 82]),
  randomTensor("blk.0.attn_norm.weight", [512], f32, 3),
  withTinyScales(randomTensor("blk.0.attn_q.weight", [512, 130], iq2xxs, 4)),
  finiteScales(randomTensor("blk.0.attn_v.weight", [256, 64], q4k, 5), 144, [0, 2]),
  finiteScales(randomTensor("blk.0.ffn_down.weight", [768, 2], q2k, 6), 84, [80, 82]),
  randomTensor("output_norm.weight", [256], f32, 7),
];
const corrected = base.filter(({ dimensions, name }) => dimensions.length === 2 && name !== "output.weight");
const halves: FileTensor[] = corrected.flatMap(({ name, dimensions: [columns = 0, rows = 0] }, index) =>
  name === "token_embd.weight"
    ? [
        randomTensor(`${name}.lora_a`, [rank, rows], q40, 10 + index),
        finiteScales(randomTensor(`${name}.lora_b`, [rank, columns], f16, 20 + index), 2, [0]),
      ]
    : [
        randomTensor(`${name}.lora_a`, [columns, rank], q40, 10 + index),
        randomTensor(`${name}.lora_b`, [rank, rows], q40, 20 + index),
      ],
);
const adapterFields = {
  "general.architecture": "llama",
  "general.type": "adapter",
  "adapter.type": "lora",
  "adapter.lora.alpha": 64,
};

/** Scales of the first blocks: zero, and halves from the smallest up, so that the new ones round and vanish. */
function withTinyScales(tensor: FileTensor): FileTensor {
  tinyScales.forEach((scale, block) => tensor.data.writeUInt16LE(scale, block * 66));
  return tensor;
}

/** Random bits can be a half that is infinite or no number; these are between 2^-5 and 2^-4, of either sign. */
function finiteScales(tensor: FileTensor, blockBytes: number, places: number[]): FileTensor {
  for (let block = 0; block < tensor.data.length; block += blockBytes)
    for (const place of places)
      tensor.data.writeUInt16LE((tensor.data.readUInt16LE(block + place) & 0x83ff) | 0x2800, block + place);
  return tensor;
}

async function merge(
  correction: readonly FileTensor[] = halves,
  options: Partial<MergeOptions> & { fields?: Record<string, string | number> } = {},
): Promise<Merged & { path: string }> {
  const { fields = adapterFields, ...rest } = options;
  const files = {
    base: join(folder, "base.gguf"),
    correction: join(folder, "correction.gguf"),
    target: join(folder, `merged-${Math.random()}.gguf`),
  };
  await writeFile(files.base, ggufBytes(llamaFields, base));
  await writeFile(files.correction, ggufBytes(fields, correction));
  const merged = await mergeWeights({ ...files, onProgress: () => {}, threads: 2, ...rest });
  return { ...merged, path: files.target };
}

const dataOf = async (path: string, name: string): Promise<Buffer> => {
  const { header } = await readWholeHeader(path);
  const tensor = header.tensors.find((candidate) => candidate.name === name);
  if (tensor === undefined) throw new Error(`no ${name}`);
  const from = header.dataAt + tensor.offset;
  return (await readFile(path)).subarray(from, from + tensor.bytes);
};

describe("weights merged with their correction", () => {
  it.each(corrected.map(({ name }) => name))("are, in %s, what a plain computation gives", async (name) => {
    const { path } = await merge();
    const tensor = base.find((candidate) => candidate.name === name);
    const [a, b] = ["a", "b"].map((half) => halves.find((part) => part.name === `${name}.lora_${half}`));
    if (tensor === undefined || a === undefined || b === undefined) throw new Error("no such tensor");
    const [columns = 0, rows = 0] = tensor.dimensions;
    const isEmbedding = name === "token_embd.weight";
    const rowsOfB = Array.from({ length: rows }, (_, row) =>
      mergedRow({
        base: Array.from({ length: columns }, (_, column) =>
          valueAt(tensor.type, tensor.data, row * columns + column),
        ),
        coefficients: Array.from(
          { length: rank },
          (_, k) =>
            2 *
            (isEmbedding ? valueAt(a.type, a.data, row * rank + k) : valueAt(b.type, b.data, row * rank + k)),
        ),
        shared: (k, column) =>
          isEmbedding
            ? valueAt(b.type, b.data, column * rank + k)
            : valueAt(a.type, a.data, k * columns + column),
      }),
    );
    expect((await dataOf(path, name)).equals(Buffer.concat(rowsOfB))).toBe(true);
  });

  it("hold the other tensors as they were, and say that they are Q4_0", async () => {
    const { path, bytes } = await merge();
    for (const { name, data } of base.filter((tensor) => !corrected.includes(tensor)))
      expect((await dataOf(path, name)).equals(data), name).toBe(true);
    const before = await readWeightsFacts(join(folder, "base.gguf"));
    expect(await readWeightsFacts(path)).toEqual({
      ...before,
      quantisation: "Q4_0",
      bytes,
      activeBytes: expect.any(Number) as number,
    });
  });

  it("are the same bytes from one thread, from three and from the built program's, with the hash that was reported", async () => {
    const results = [
      await merge(halves, { threads: 1 }),
      await merge(halves, { threads: 3 }),
      await merge(halves, { workerFile: pathToFileURL("dist/merge-worker.js") }),
    ];
    for (const { path, sha256 } of results) {
      expect(
        createHash("sha256")
          .update(await readFile(path))
          .digest("hex"),
      ).toBe(sha256);
      expect(sha256).toBe(results[0]?.sha256);
    }
  });

  it("are right where values are zero, or too small for an ordinary scale", async () => {
    const name = "blk.0.attn_q.weight";
    const none = halves.map((tensor) => ({ ...tensor, data: Buffer.alloc(tensor.data.length) }));
    const { path } = await merge(none);
    const merged = await dataOf(path, name);
    const { data } = base.find((tensor) => tensor.name === name) ?? { data: Buffer.alloc(0) };
    for (let row = 0; row < tinyScales.length / 2; row++) {
      const values = Array.from({ length: 512 }, (_, column) => valueAt(iq2xxs, data, row * 512 + column));
      const expected = mergedRow({ base: values, coefficients: [], shared: () => 0 });
      expect(merged.subarray(row * 288, (row + 1) * 288).equals(expected), `row ${row}`).toBe(true);
    }
  });

  it("tell how far they have come, to the end", async () => {
    const progress: [number, number][] = [];
    const { bytes } = await merge(halves, { onProgress: (done, total) => progress.push([done, total]) });
    expect(progress.map(([done]) => done)).toEqual(progress.map(([done]) => done).sort((a, b) => a - b));
    expect(progress.at(-1)).toEqual([bytes, bytes]);
  });
});

describe("weights that are damaged", () => {
  it("are refused when a value is no number", async () => {
    const broken = halves.map((tensor) => ({ ...tensor, data: Buffer.from(tensor.data) }));
    broken.find(({ name }) => name === "blk.0.attn_v.weight.lora_b")?.data.writeUInt16LE(0x7e00, 0);
    await expect(merge(broken)).rejects.toThrow("has values that are not numbers");
  });
});

describe("a correction is refused that", () => {
  it.each<[string, FileTensor[], Record<string, string | number>, RegExp]>([
    ["says that it is something else", halves, llamaFieldsOnly(), /does not say that it is a LoRA adapter/],
    [
      "has no factor",
      halves,
      { "general.type": "adapter", "adapter.type": "lora" },
      /has no 'adapter\.lora\.alpha'/,
    ],
    [
      "corrects what is not there",
      [...halves, randomTensor("blk.9.attn_q.weight.lora_a", [256, rank], q40)],
      adapterFields,
      /corrects blk\.9\.attn_q\.weight\.lora_a, which these weights do not have/,
    ],
    [
      "has one half only",
      halves.slice(1),
      adapterFields,
      /corrects token_embd\.weight\.lora_b, which these weights do not have/,
    ],
    [
      "has another shape",
      halves.map((tensor) =>
        tensor.name === "blk.0.attn_q.weight.lora_b" ? randomTensor(tensor.name, [rank, 64], q40) : tensor,
      ),
      adapterFields,
      /corrects blk\.0\.attn_q\.weight in another shape/,
    ],
    [
      "has a type that cannot be read here",
      halves.map((tensor) =>
        tensor.name === "blk.0.attn_q.weight.lora_a" ? randomTensor(tensor.name, [512, rank], 8) : tensor,
      ),
      adapterFields,
      /corrects blk\.0\.attn_q\.weight in a type that cannot be merged/,
    ],
  ])("%s", async (_, tensors, fields, message) => {
    await expect(merge(tensors, { fields })).rejects.toThrow(message);
  });
});

function llamaFieldsOnly(): Record<string, string | number> {
  return { "general.architecture": "llama" };
}
