/**
 * Writes a model file of real size with random weights: speed depends on the shape and the quantisation of a model,
 * not on its output. For machines without real weights.
 *
 *   npx tsx bench/engine/random-weights.ts <50m | 250m | 1b | 8b> <q4_0 | q8_0> <file>
 *
 * The shapes are those of Llama 3.2 1B and Llama 3.1 8B, and two small ones with the bytes of their names at Q4_0. The
 * end of the reply never comes.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  bool,
  float32,
  ggufHead,
  string,
  tensorType,
  uint32,
  type GgufShape,
  type GgufValue,
  strings,
  int32s,
  float32s,
} from "../../src/adapters/gguf-writer.js";
import { chatMlTemplate } from "../../test/support/engines/tiny-gguf.js";

interface Shape {
  width: number;
  layers: number;
  heads: number;
  keyValueHeads: number;
  hidden: number;
  vocabulary: number;
}

const shapes = {
  "50m": { width: 768, layers: 12, heads: 12, keyValueHeads: 4, hidden: 2048, vocabulary: 8192 },
  "250m": { width: 1536, layers: 12, heads: 24, keyValueHeads: 8, hidden: 6144, vocabulary: 16_384 },
  "1b": { width: 2048, layers: 16, heads: 32, keyValueHeads: 8, hidden: 8192, vocabulary: 128_256 },
  "8b": { width: 4096, layers: 32, heads: 32, keyValueHeads: 8, hidden: 14336, vocabulary: 128_256 },
} satisfies Record<string, Shape>;
export type ShapeName = keyof typeof shapes;
const contextTokens = 8192;
const endToken = 2;

/** Blocks of 32 values: a 16-bit float to multiply them by, then the values. Keeps activations near one. */
const quantisations = {
  q4_0: { type: tensorType.q4_0, blockBytes: 18, scaleBits: 0x1c00 },
  q8_0: { type: tensorType.q8_0, blockBytes: 34, scaleBits: 0x0c00 },
} as const;
type Quantisation = (typeof quantisations)[keyof typeof quantisations];
const blockValues = 32;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [, , shapeName = "", quantisationName = "", path = ""] = process.argv;
  if (!(shapeName in shapes) || !(quantisationName in quantisations) || path === "") {
    console.error(
      "usage: npx tsx bench/engine/random-weights.ts <50m | 250m | 1b | 8b> <q4_0 | q8_0> <file>",
    );
    process.exit(2);
  }
  writeRandomWeights(path, shapeName as ShapeName, quantisationName as keyof typeof quantisations);
}

export function writeRandomWeights(
  path: string,
  shape: ShapeName,
  quantisation: keyof typeof quantisations,
): void {
  write(path, shapes[shape], quantisations[quantisation]);
}

function write(file: string, model: Shape, kind: Quantisation): void {
  const tensors = tensorsOf(model, kind);
  const head = ggufHead(fieldsOf(model, kind), tensors);
  const noise = randomBlocks(kind);
  const descriptor = openSync(file, "w", 0o600);
  try {
    writeSync(descriptor, head);
    for (const tensor of tensors) writeTensor(descriptor, tensor, kind, noise);
  } finally {
    closeSync(descriptor);
  }
}

function writeTensor(
  descriptor: number,
  { name, type, dimensions, bytes }: GgufShape,
  kind: Quantisation,
  noise: Buffer,
): void {
  const padded = Math.ceil(bytes / 32) * 32;
  if (type === tensorType.float32) {
    const ones = Buffer.alloc(padded);
    Buffer.from(new Float32Array(bytes / 4).fill(1).buffer).copy(ones);
    writeSync(descriptor, ones);
    return;
  }
  let left = padded;
  if (name === "output.weight") {
    const rowBytes = ((dimensions[0] ?? 0) / blockValues) * kind.blockBytes;
    const first = Buffer.from(noise.subarray(0, rowBytes * (endToken + 1)));
    // The end of the reply: an empty row, which never wins.
    first.fill(0, rowBytes * endToken);
    writeSync(descriptor, first);
    left -= first.length;
  }
  for (; left > 0; left -= noise.length) writeSync(descriptor, noise, 0, Math.min(left, noise.length));
}

/** Whole blocks, some megabytes of them, written again and again. */
function randomBlocks({ blockBytes, scaleBits }: Quantisation): Buffer {
  const noise = Buffer.alloc(blockBytes * 1_000_000);
  let state = 1;
  for (let at = 0; at < noise.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noise.writeUInt32LE((state ^ (state >>> 15)) >>> 0, Math.min(at, noise.length - 4));
  }
  for (let at = 0; at < noise.length; at += blockBytes) noise.writeUInt16LE(scaleBits, at);
  return noise;
}

function tensorsOf(shape: Shape, kind: Quantisation): GgufShape[] {
  const { width, layers, heads, keyValueHeads, hidden, vocabulary: vocabularySize } = shape;
  const keyValueWidth = (width / heads) * keyValueHeads;
  const matrix = (name: string, columns: number, rows: number): GgufShape => ({
    name: `${name}.weight`,
    dimensions: [columns, rows],
    type: kind.type,
    bytes: ((columns * rows) / blockValues) * kind.blockBytes,
  });
  const norm = (name: string): GgufShape => ({
    name: `${name}.weight`,
    dimensions: [width],
    type: tensorType.float32,
    bytes: width * 4,
  });
  const blocks = Array.from({ length: layers }, (_, layer) => `blk.${layer}`).flatMap((block) => [
    norm(`${block}.attn_norm`),
    matrix(`${block}.attn_q`, width, width),
    matrix(`${block}.attn_k`, width, keyValueWidth),
    matrix(`${block}.attn_v`, width, keyValueWidth),
    matrix(`${block}.attn_output`, width, width),
    norm(`${block}.ffn_norm`),
    matrix(`${block}.ffn_gate`, width, hidden),
    matrix(`${block}.ffn_up`, width, hidden),
    matrix(`${block}.ffn_down`, hidden, width),
  ]);
  return [
    matrix("token_embd", width, vocabularySize),
    ...blocks,
    norm("output_norm"),
    matrix("output", width, vocabularySize),
  ];
}

function fieldsOf(model: Shape, kind: Quantisation): [key: string, value: GgufValue][] {
  const pieces = vocabulary(model.vocabulary);
  return [
    ["general.architecture", string("llama")],
    ["general.name", string("random")],
    ["general.file_type", uint32(kind.type === tensorType.q4_0 ? 2 : 7)],
    ["llama.context_length", uint32(contextTokens)],
    ["llama.embedding_length", uint32(model.width)],
    ["llama.block_count", uint32(model.layers)],
    ["llama.feed_forward_length", uint32(model.hidden)],
    ["llama.attention.head_count", uint32(model.heads)],
    ["llama.attention.head_count_kv", uint32(model.keyValueHeads)],
    ["llama.attention.layer_norm_rms_epsilon", float32(1e-5)],
    ["llama.rope.dimension_count", uint32(model.width / model.heads)],
    ["tokenizer.ggml.model", string("llama")],
    ["tokenizer.ggml.tokens", strings(pieces.map(({ text }) => text))],
    ["tokenizer.ggml.scores", float32s(pieces.map((_, index) => -index))],
    ["tokenizer.ggml.token_type", int32s(pieces.map(({ type }) => type))],
    ["tokenizer.ggml.unknown_token_id", uint32(0)],
    ["tokenizer.ggml.bos_token_id", uint32(1)],
    ["tokenizer.ggml.eos_token_id", uint32(endToken)],
    ["tokenizer.ggml.add_bos_token", bool(true)],
    ["tokenizer.chat_template", string(chatMlTemplate)],
  ];
}

function vocabulary(vocabularySize: number): { text: string; type: number }[] {
  const [normal, unknown, control, byte] = [1, 2, 3, 6];
  const start = [
    { text: "<unk>", type: unknown },
    { text: "<s>", type: control },
    { text: "</s>", type: control },
    ...Array.from({ length: 256 }, (_, value) => ({
      text: `<0x${value.toString(16).toUpperCase().padStart(2, "0")}>`,
      type: byte,
    })),
    ...["<|im_start|>", "<|im_end|>"].map((text) => ({ text, type: control })),
    ...Array.from({ length: 94 }, (_, index) => ({ text: String.fromCharCode(33 + index), type: normal })),
    { text: "▁", type: normal },
  ];
  const words = Array.from({ length: vocabularySize - start.length }, (_, index) => ({
    text: `▁${index.toString(26).padStart(4, "q")}`,
    type: normal,
  }));
  return [...start, ...words];
}
