/**
 * Writes a model file of a few hundred kilobytes with random weights: a real engine, real tokens and real batches in
 * milliseconds. The model is a small Llama with a SentencePiece vocabulary that can encode any text byte by byte.
 *
 * Weights come from a seeded generator, so that the same options give the same file and, at temperature 0, the same
 * reply. What the model likes to say is decided by how long the rows of its output matrix are: words or characters of
 * several bytes have long rows, the end of the reply has an empty one and never comes, unless asked for.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  bool,
  float32,
  ggufFile,
  string,
  tensorType,
  uint32,
  type GgufValue,
  strings,
  int32s,
  float32s,
} from "../../../src/adapters/gguf-writer.js";
import type { LoadRequest } from "../../../src/engines/llama/messages.js";

export interface TinyModel {
  seed?: number;
  /** How many times as wide and as deep; 1 by default. */
  scale?: number;
  contextTokens?: number;
  /** `multibyte` says emoji and Chinese, as whole pieces and as single bytes; `anything` has no favourites. */
  says?: "words" | "multibyte" | "anything";
  /** How sure the model is of its words; 0.6 by default. */
  loudness?: number;
  /** A printable character that it always says where it may. Elsewhere it ends the reply where it may. */
  insistsOn?: string;
  /** It has the same words with other numbers. */
  otherWords?: boolean;
  /** Replies end by themselves after some words. */
  ends?: boolean;
  /** Jinja; null leaves it out of the file. */
  chatTemplate?: string | null;
  /**
   * It has tokens for filling in: for prefix, suffix and middle, after which it says `=` and nothing more, or for prefix
   * and suffix alone.
   */
  infill?: "with-middle" | "without-middle";
}

export function writeTinyGguf(path: string, options: TinyModel = {}): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, fileOf(options));
}

export const tinyGgufBytes = (options: TinyModel = {}): Buffer => fileOf(options);

/** How to load such a file in the test's own process. */
export const tinyLoad = (weights: string, changes: Partial<LoadRequest> = {}): LoadRequest => ({
  weights,
  threads: 1,
  gpu: "off",
  sequences: 4,
  contextTokens: 1024,
  prefillChunkTokens: 128,
  prefixReuse: "on",
  speculation: "on",
  savedStateBytes: undefined,
  cacheType: "f16",
  ...changes,
});

export const chatMlTemplate =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

type Shape = ReturnType<typeof shapeOf>;

const shapeOf = ({ scale = 1 }: TinyModel) => ({
  width: 64 * scale,
  // Of 64 numbers each: attention has a fast path for this size, and takes three times as long with heads of 32.
  heads: scale,
  layers: 2 * scale,
  hidden: 96 * scale,
});

function fileOf(options: TinyModel): Buffer {
  const { contextTokens = 1024, chatTemplate = chatMlTemplate } = options;
  const shape = shapeOf(options);
  const pieces = [...vocabulary(options), ...infillPieces(options)];
  const fields: [key: string, value: GgufValue][] = [
    ["general.architecture", string("llama")],
    ["general.name", string("tiny")],
    ["general.file_type", uint32(0)],
    ["llama.context_length", uint32(contextTokens)],
    ["llama.embedding_length", uint32(shape.width)],
    ["llama.block_count", uint32(shape.layers)],
    ["llama.feed_forward_length", uint32(shape.hidden)],
    ["llama.attention.head_count", uint32(shape.heads)],
    ["llama.attention.head_count_kv", uint32(shape.heads)],
    ["llama.attention.layer_norm_rms_epsilon", float32(1e-5)],
    ["llama.rope.dimension_count", uint32(shape.width / shape.heads)],
    ["tokenizer.ggml.model", string("llama")],
    ["tokenizer.ggml.tokens", strings(pieces.map(({ text }) => text))],
    ["tokenizer.ggml.scores", float32s(pieces.map((_, index) => -index))],
    ["tokenizer.ggml.token_type", int32s(pieces.map(({ type }) => type))],
    ["tokenizer.ggml.unknown_token_id", uint32(0)],
    ["tokenizer.ggml.bos_token_id", uint32(1)],
    ["tokenizer.ggml.eos_token_id", uint32(2)],
    ["tokenizer.ggml.add_bos_token", bool(true)],
  ];
  if (chatTemplate !== null) fields.push(["tokenizer.chat_template", string(chatTemplate)]);
  return ggufFile(
    fields,
    weights(pieces, options).map(({ name, dimensions, values }) => ({
      name,
      dimensions,
      type: tensorType.float32,
      data: Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    })),
  );
}

// ------------------------------------------------------------------------------------------- vocabulary

/** After `<unk>`, `<s>` and `</s>`. */
const firstByteToken = 3;
const pieceType = { normal: 1, unknown: 2, control: 3, byte: 6 };

interface Piece {
  text: string;
  type: number;
  kind: "special" | "end" | "byte" | "letter" | "word" | "multibyte";
}

const words = (
  "the of and to in is it you that he was for on are with as his they at be this from have or by one had not " +
  "but what all were when we there can an your which their said if do will each about how up out them then she " +
  "many some so these would other into has more her two like him see time could no make than first been its who " +
  "now people my made over did down only way find use may water long little very after words called just where " +
  "most know get through back much before go good new write our used me man too any day same right look think " +
  "also around another came come work three word must because does part even place well such here take why " +
  "things help put years different away again off went old number great tell men say small every found still"
).split(" ");
const characters = ["你好", "世界", "谢谢", "漢字", "日本", "🎉", "🚀", "👍🏽", "ß", "ñ", "Ω"];
/** Said one byte at a time. No byte occurs in two of them, so that each leads to the next. */
const spelled = ["😀", "語", "é"];

function vocabulary({ otherWords = false }: TinyModel): Piece[] {
  const special = (text: string, type: number): Piece => ({ text, type, kind: "special" });
  const normal = (kind: Piece["kind"]) => (text: string) => ({ text, type: pieceType.normal, kind });
  const ascii = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
  return [
    special("<unk>", pieceType.unknown),
    special("<s>", pieceType.control),
    { text: "</s>", type: pieceType.control, kind: "end" },
    ...Array.from({ length: 256 }, (_, byte): Piece => ({
      text: byteText(byte),
      type: pieceType.byte,
      kind: "byte",
    })),
    ...["<|im_start|>", "<|im_end|>", "[INST]", "[/INST]"].map((text) => special(text, pieceType.control)),
    ...["▁", ...ascii].map(normal("letter")),
    ...(otherWords ? words.toReversed() : words).map((word) => `▁${word}`).map(normal("word")),
    ...characters.map(normal("multibyte")),
  ];
}

export const infillMarkers = ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"] as const;
const said = "=";

function infillPieces({ infill }: TinyModel): Piece[] {
  if (infill === undefined) return [];
  const markers = infill === "with-middle" ? infillMarkers : infillMarkers.slice(0, 2);
  return markers.map((text) => ({ text, type: pieceType.control, kind: "special" }));
}

function byteText(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
}

// ---------------------------------------------------------------------------------------------- weights

interface Tensor {
  name: string;
  /** The length of a row first. */
  dimensions: number[];
  values: Float32Array;
}

function weights(pieces: readonly Piece[], options: TinyModel): Tensor[] {
  const { seed = 1, says = "words", insistsOn, infill } = options;
  const random = normalNumbers(seed);
  const { width, hidden, layers } = shapeOf(options);
  const matrix = (name: string, columns: number, rows: number, scale: number): Tensor => ({
    name,
    dimensions: [columns, rows],
    values: Float32Array.from({ length: columns * rows }, () => random() * scale),
  });
  const ones = (name: string): Tensor => ({
    name,
    dimensions: [width],
    values: new Float32Array(width).fill(1),
  });
  const embedding = matrix("token_embd.weight", width, pieces.length, 1);
  const blocks = Array.from({ length: layers }, (_, index) => {
    const block = (name: string) => `blk.${index}.${name}.weight`;
    const scale = 1 / Math.sqrt(width);
    return [
      ones(block("attn_norm")),
      matrix(block("attn_q"), width, width, scale),
      matrix(block("attn_k"), width, width, scale),
      matrix(block("attn_v"), width, width, scale),
      matrix(block("attn_output"), width, width, scale),
      ones(block("ffn_norm")),
      matrix(block("ffn_gate"), width, hidden, scale),
      matrix(block("ffn_up"), width, hidden, scale),
      matrix(block("ffn_down"), hidden, width, scale / 2),
    ];
  });
  const output = matrix("output.weight", width, pieces.length, 1);
  pieces.forEach((piece, token) => {
    const row = output.values.subarray(token * width, (token + 1) * width);
    const length = rowLength(piece, options);
    row.forEach((value, index) => (row[index] = value * length));
  });
  const tensors = [embedding, ...blocks.flat(), ones("output_norm.weight"), output];
  if (says === "multibyte") spellOut(tensors, shapeOf(options));
  if (infill === "with-middle") {
    const numberOf = (text: string) => pieces.findIndex((piece) => piece.text === text);
    followUp(tensors, shapeOf(options), 0, [numberOf(infillMarkers[2])], numberOf(said), 16);
    followUp(tensors, shapeOf(options), 1, [numberOf(said)], numberOf("</s>"), 16);
  }
  if (insistsOn !== undefined) {
    const next = pieces.findIndex(({ text }) => text === insistsOn);
    const end = pieces.findIndex(({ kind }) => kind === "end");
    followUp(tensors, shapeOf(options), 0, pieces.keys(), next);
    followUp(tensors, shapeOf(options), 1, pieces.keys(), end, 4);
  }
  return tensors;
}

function rowLength({ kind, text }: Piece, options: TinyModel): number {
  const { says = "words", ends = false, loudness = 0.6 } = options;
  if (kind === "end") return ends ? 0.9 : 0;
  if (says === "anything") return loudness;
  if (says === "words") return kind === "word" ? loudness : 0;
  const startsSpelled = spelled.some((character) => text === byteText(Buffer.from(character)[0] ?? 0));
  if (kind === "multibyte" || startsSpelled) return 0.6;
  return kind === "word" ? 0.3 : 0;
}

/** After each byte of a spelled character, its next byte. */
function spellOut(tensors: readonly Tensor[], shape: Shape): void {
  const pairs = spelled.flatMap((character) => {
    const bytes = [...Buffer.from(character)];
    return bytes.slice(1).map((next, index) => ({ byte: bytes[index] ?? 0, next }));
  });
  pairs.forEach(({ byte, next }, index) => {
    followUp(tensors, shape, shape.width - 1 - index, [firstByteToken + byte], firstByteToken + next);
  });
}

/**
 * After each of some tokens, another one. This has a column of its own: their embeddings write to it, the other one's
 * output row reads it, and nothing else touches it.
 */
function followUp(
  tensors: readonly Tensor[],
  { width, hidden }: Shape,
  column: number,
  tokens: Iterable<number>,
  next: number,
  strength = 8,
): void {
  for (const { name, values } of tensors) {
    if (/^(token_embd|output)\.weight/.test(name)) {
      for (let at = column; at < values.length; at += width) values[at] = 0;
    }
    // What attention and the hidden layer add to this column is the row of that number.
    if (name.includes("attn_output")) values.fill(0, column * width, (column + 1) * width);
    if (name.includes("ffn_down")) values.fill(0, column * hidden, (column + 1) * hidden);
    if (name === "token_embd.weight") for (const token of tokens) values[token * width + column] = 8;
    if (name === "output.weight") values[next * width + column] = strength;
  }
}

/** Normally distributed numbers from a seed (mulberry32, Box-Muller). */
export function normalNumbers(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
