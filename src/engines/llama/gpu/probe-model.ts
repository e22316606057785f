/**
 * A model of some 300 kilobytes that says nothing sensible: enough to run the kernels that a real one needs.
 * Its weights are quantised, as nearly all real ones are, and its heads are of the size that every
 * implementation of attention supports, so that no part of it is left to the CPU.
 */
import { writeFileSync } from "node:fs";
import {
  float32,
  float32s,
  ggufFile,
  int32s,
  string,
  strings,
  tensorType,
  uint32,
  type GgufTensor,
  type GgufValue,
} from "../../../adapters/gguf-writer.js";

const shape = { width: 128, headSize: 64, hidden: 256, contextTokens: 256 };
const pieceType = { normal: 1, unknown: 2, control: 3, byte: 6 };

export function writeProbeModel(path: string): void {
  const pieces = vocabulary();
  const heads = shape.width / shape.headSize;
  const fields: [key: string, value: GgufValue][] = [
    ["general.architecture", string("llama")],
    ["general.name", string("probe")],
    ["llama.context_length", uint32(shape.contextTokens)],
    ["llama.embedding_length", uint32(shape.width)],
    ["llama.block_count", uint32(1)],
    ["llama.feed_forward_length", uint32(shape.hidden)],
    ["llama.attention.head_count", uint32(heads)],
    ["llama.attention.head_count_kv", uint32(heads)],
    ["llama.attention.layer_norm_rms_epsilon", float32(1e-5)],
    ["llama.rope.dimension_count", uint32(shape.headSize)],
    ["tokenizer.ggml.model", string("llama")],
    ["tokenizer.ggml.tokens", strings(pieces.map(({ text }) => text))],
    ["tokenizer.ggml.scores", float32s(pieces.map((_, index) => -index))],
    ["tokenizer.ggml.token_type", int32s(pieces.map(({ type }) => type))],
    ["tokenizer.ggml.unknown_token_id", uint32(0)],
    ["tokenizer.ggml.bos_token_id", uint32(1)],
    ["tokenizer.ggml.eos_token_id", uint32(2)],
  ];
  writeFileSync(path, ggufFile(fields, tensors(pieces.length)), { mode: 0o600 });
}

function vocabulary(): { text: string; type: number }[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
    type: pieceType.byte,
  }));
  return [
    { text: "<unk>", type: pieceType.unknown },
    { text: "<s>", type: pieceType.control },
    { text: "</s>", type: pieceType.control },
    ...bytes,
    // A SentencePiece vocabulary needs one piece that is a text.
    { text: "▁", type: pieceType.normal },
  ];
}

function tensors(pieces: number): GgufTensor[] {
  const { width, hidden } = shape;
  const block = (name: string) => `blk.0.${name}.weight`;
  return [
    matrix("token_embd.weight", width, pieces),
    ones(block("attn_norm"), width),
    matrix(block("attn_q"), width, width),
    matrix(block("attn_k"), width, width),
    matrix(block("attn_v"), width, width),
    matrix(block("attn_output"), width, width),
    ones(block("ffn_norm"), width),
    matrix(block("ffn_gate"), width, hidden),
    matrix(block("ffn_up"), width, hidden),
    matrix(block("ffn_down"), hidden, width),
    ones("output_norm.weight", width),
    matrix("output.weight", width, pieces),
  ];
}

const ones = (name: string, length: number): GgufTensor => ({
  name,
  dimensions: [length],
  type: tensorType.float32,
  data: Buffer.from(new Float32Array(length).fill(1).buffer),
});

const blockValues = 32;
/** 1/1024 as a 16-bit float, so that no value is larger than an eighth. */
const scaleBits = 0x1400;

/** Q8_0: blocks of a 16-bit scale and 32 signed bytes. */
function matrix(name: string, columns: number, rows: number): GgufTensor {
  const data = Buffer.alloc(((columns * rows) / blockValues) * (2 + blockValues));
  let state = 1;
  for (let at = 0; at < data.length; at += 2 + blockValues) {
    data.writeUInt16LE(scaleBits, at);
    for (let value = 0; value < blockValues; value++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      data.writeInt8(((state >>> 16) & 0xff) - 128, at + 2 + value);
    }
  }
  return { name, dimensions: [columns, rows], type: tensorType.q8_0, data };
}
