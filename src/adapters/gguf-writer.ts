/** Writes model files after the public GGUF specification (version 3), for models small enough for memory. */

export interface GgufValue {
  type: number;
  bytes: Buffer;
}

export interface GgufShape {
  name: string;
  /** The length of a row first. */
  dimensions: readonly number[];
  /** The number of its type in the specification. */
  type: number;
  bytes: number;
}

export interface GgufTensor extends Omit<GgufShape, "bytes"> {
  data: Buffer;
}

export const tensorType = { float32: 0, float16: 1, q4_0: 2, q8_0: 8 } as const;

export type GgufFields = readonly (readonly [key: string, value: GgufValue])[];

const alignment = 32;

export const ggufFile = (fields: GgufFields, tensors: readonly GgufTensor[]): Buffer =>
  Buffer.concat([...ggufPieces(fields, tensors)]);

/** The file in pieces, to be written one after the other. */
export function* ggufPieces(fields: GgufFields, tensors: readonly GgufTensor[]): Generator<Buffer> {
  yield ggufHead(
    fields,
    tensors.map(({ data, ...tensor }) => ({ ...tensor, bytes: data.length })),
  );
  for (const { data } of tensors) yield pad(data);
}

/** What comes before the tensors, each of which follows padded to the alignment. */
export function ggufHead(fields: GgufFields, tensors: readonly GgufShape[]): Buffer {
  let offset = 0;
  const directory = tensors.map(({ name, dimensions, type, bytes }) => {
    const entry = [
      string(name).bytes,
      uint32(dimensions.length).bytes,
      ...dimensions.map((length) => uint64(length).bytes),
      uint32(type).bytes,
      uint64(offset).bytes,
    ];
    offset += padded(bytes);
    return Buffer.concat(entry);
  });
  const head = [
    Buffer.from("GGUF"),
    uint32(3).bytes,
    uint64(tensors.length).bytes,
    uint64(fields.length).bytes,
    ...fields.flatMap(([key, { type, bytes }]) => [string(key).bytes, uint32(type).bytes, bytes]),
    ...directory,
  ];
  return pad(Buffer.concat(head));
}

const fixed = (type: number, size: number, write: (buffer: Buffer) => void): GgufValue => {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return { type, bytes };
};
export const uint32 = (value: number) => fixed(4, 4, (buffer) => buffer.writeUInt32LE(value));
export const float32 = (value: number) => fixed(6, 4, (buffer) => buffer.writeFloatLE(value));
export const bool = (value: boolean) => fixed(7, 1, (buffer) => buffer.writeUInt8(Number(value)));
const uint64 = (value: number) => fixed(10, 8, (buffer) => buffer.writeBigUInt64LE(BigInt(value)));
export const string = (value: string): GgufValue => ({ type: 8, bytes: sized(Buffer.from(value)) });

/** A vocabulary has tens of thousands of entries: arrays are written into one buffer. */
export const int32s = (values: readonly number[]): GgufValue =>
  array(5, values.length, Buffer.from(Int32Array.from(values).buffer));
export const float32s = (values: readonly number[]): GgufValue =>
  array(6, values.length, Buffer.from(Float32Array.from(values).buffer));
export function strings(texts: readonly string[]): GgufValue {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + 8 + Buffer.byteLength(text), 0));
  let at = 0;
  for (const text of texts) {
    const length = bytes.write(text, at + 8);
    bytes.writeUInt32LE(length, at);
    bytes.writeUInt32LE(0, at + 4);
    at += 8 + length;
  }
  return array(8, texts.length, bytes);
}

const array = (type: number, length: number, items: Buffer): GgufValue => ({
  type: 9,
  bytes: Buffer.concat([uint32(type).bytes, uint64(length).bytes, items]),
});

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([uint64(bytes.length).bytes, bytes]);
}

function padded(length: number): number {
  return Math.ceil(length / alignment) * alignment;
}

function pad(bytes: Buffer): Buffer {
  const missing = padded(bytes.length) - bytes.length;
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing)]);
}
