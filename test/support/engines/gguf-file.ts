/** GGUF files of any content, sound or not, for tests of what reads them. */
import { tensorTypes } from "../../../src/models/gguf/gguf-types.js";

export interface FileTensor {
  name: string;
  dimensions: number[];
  type: number;
  data: Buffer;
}

export type FileField = string | number | readonly number[] | readonly string[];

export function ggufBytes(fields: Record<string, FileField>, tensors: readonly FileTensor[]): Buffer {
  let offset = 0;
  const directory = tensors.map(({ name, dimensions, type, data }) => {
    const entry = [
      text(name),
      uint32(dimensions.length),
      ...dimensions.map(uint64),
      uint32(type),
      uint64(offset),
    ];
    offset += padded(data).length;
    return Buffer.concat(entry);
  });
  const head = Buffer.concat([
    Buffer.from("GGUF"),
    uint32(3),
    uint64(tensors.length),
    uint64(Object.keys(fields).length),
    ...Object.entries(fields).flatMap(([name, value]) => [text(name), field(value)]),
    ...directory,
  ]);
  return Buffer.concat([padded(head), ...tensors.map(({ data }) => padded(data))]);
}

/** A tensor of the type with bytes from a seed; scales stay in a range that floats can hold. */
export function randomTensor(name: string, dimensions: number[], type: number, seed = 1): FileTensor {
  const spec = tensorTypes.get(type);
  if (spec === undefined) throw new Error(`there is no type ${type}`);
  const values = dimensions.reduce((product, length) => product * length, 1);
  const data = Buffer.alloc((values / spec.blockValues) * spec.blockBytes);
  let state = seed;
  for (let at = 0; at < data.length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    data[at] = state >>> 16;
  }
  for (let at = 0; at < data.length; at += spec.blockBytes)
    if (spec.blockBytes > 4) data.writeUInt16LE(0x2c00 + (at % 512), at);
  return { name, dimensions, type, data };
}

/** The smallest file that counts as a model: a Llama of one tensor. */
export const llamaFields = {
  "general.architecture": "llama",
  "general.name": "small",
  "general.file_type": 19,
  "llama.context_length": 2048,
  "llama.embedding_length": 256,
  "llama.block_count": 2,
  "llama.attention.head_count": 4,
  "llama.attention.head_count_kv": 2,
  "tokenizer.ggml.tokens": ["a", "b", "c"],
  "tokenizer.chat_template": "{{ messages }}",
} as const;

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
export const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
export const text = (value: string): Buffer =>
  Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);

function field(value: FileField): Buffer {
  if (typeof value === "string") return Buffer.concat([uint32(8), text(value)]);
  if (typeof value === "number") return Buffer.concat([uint32(4), uint32(value)]);
  const items = value.map((item) => (typeof item === "string" ? text(item) : uint32(item)));
  const type = typeof value[0] === "string" ? 8 : 4;
  return Buffer.concat([uint32(9), uint32(type), uint64(value.length), ...items]);
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(Math.ceil(bytes.length / 32) * 32 - bytes.length)]);
