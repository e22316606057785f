/**
 * Reads the header of a GGUF file (versions 2 and 3): fields, then a directory of tensors. The file may have
 * come from anywhere, so no length in it is trusted: everything is checked against the bytes that are
 * there, lists of numbers are kept only when short, lists of strings (the vocabulary) are skipped.
 *
 * It works on the first bytes of the file. When they do not reach to the end of the header, `needMore` says
 * so and the caller calls again with more of them.
 */
import { tensorTypes } from "./gguf-types.js";

export interface GgufTensor {
  name: string;
  /** The length of a row first. */
  dimensions: number[];
  type: number;
  /** From the beginning of the tensors' data. */
  offset: number;
  bytes: number;
  values: number;
  /** The file position of the type; the offset follows four bytes later. */
  typeAt: number;
}

type GgufValue = string | number | boolean | readonly number[];

export interface GgufHeader {
  fields: ReadonlyMap<string, GgufValue>;
  /** The file position of each field's value. */
  valueAt: ReadonlyMap<string, number>;
  tensors: readonly GgufTensor[];
  alignment: number;
  /** Where the tensors' data begins. */
  dataAt: number;
}

/** Something is wrong with a file; the message ends a sentence that begins with its name. */
export class GgufError extends Error {
  override name = "GgufError";
}

export const needMore = Symbol("more bytes of the file are needed");

const longestText = 16 * 1024 * 1024;
const longestName = 1024;
const longestKeptList = 4096;
const mostFields = 100_000;
const mostTensors = 1_000_000;

/** Throws `GgufError`. */
export function parseGgufHeader(bytes: Buffer): GgufHeader | typeof needMore {
  try {
    return parse(new Cursor(bytes));
  } catch (error) {
    if (error instanceof OutOfBytes) return needMore;
    throw error;
  }
}

function parse(cursor: Cursor): GgufHeader {
  if (cursor.take(4).toString("latin1") !== "GGUF")
    throw new GgufError("is not a GGUF file: it does not begin with 'GGUF'");
  const version = cursor.uint32();
  if (version !== 2 && version !== 3) throw new GgufError(`has GGUF version ${version}, not 2 or 3`);
  const tensorCount = cursor.count("tensors", mostTensors);
  const fieldCount = cursor.count("fields", mostFields);

  const fields = new Map<string, GgufValue>();
  const valueAt = new Map<string, number>();
  for (let index = 0; index < fieldCount; index++) {
    const name = cursor.text(longestName);
    const type = cursor.uint32();
    valueAt.set(name, cursor.at);
    const value = readValue(cursor, type);
    if (value !== undefined) fields.set(name, value);
  }
  const tensors = Array.from({ length: tensorCount }, () => readTensor(cursor));
  const alignment = fields.get("general.alignment") ?? 32;
  if (typeof alignment !== "number" || ![8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096].includes(alignment))
    throw new GgufError("has an alignment that is not a power of two from 8 to 4096");
  return { fields, valueAt, tensors, alignment, dataAt: roundUp(cursor.at, alignment) };
}

function readTensor(cursor: Cursor): GgufTensor {
  const name = cursor.text(longestName);
  const rank = cursor.uint32();
  if (rank > 8) throw new GgufError(`has a tensor of ${rank} dimensions`);
  const dimensions = Array.from({ length: rank }, () => cursor.uint64());
  const typeAt = cursor.at;
  const type = cursor.uint32();
  const offset = cursor.uint64();
  const spec = tensorTypes.get(type);
  if (spec === undefined) throw new GgufError(`has a tensor of type ${type}, which is not known`);
  const values = dimensions.reduce((product, length) => product * length, 1);
  const bytes = (values / spec.blockValues) * spec.blockBytes;
  if (
    !Number.isSafeInteger(values) ||
    !Number.isSafeInteger(bytes) ||
    (dimensions[0] ?? 1) % spec.blockValues
  )
    throw new GgufError("has a tensor whose size is not possible");
  return { name, dimensions, type, offset, bytes, values, typeAt };
}

/** Bytes of a value by the number of its type; texts and lists have no fixed size. */
const sizes = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];
const textType = 8;
const listType = 9;

/** Undefined for a list that is not kept. */
function readValue(cursor: Cursor, type: number): GgufValue | undefined {
  if (type === textType) return cursor.text(longestText);
  if (type === listType) return readList(cursor);
  return readScalar(cursor, type);
}

function readList(cursor: Cursor): readonly number[] | undefined {
  const type = cursor.uint32();
  const length = cursor.uint64();
  if (type === textType) {
    // Each text costs eight bytes at least, so a length that lies runs out of file, not out of memory.
    for (let index = 0; index < length; index++) cursor.skip(cursor.uint64());
    return undefined;
  }
  const size = sizes[type];
  if (size === undefined) throw new GgufError(`has a list of type ${type}, which is not known`);
  if (length > longestKeptList) {
    cursor.skip(length * size);
    return undefined;
  }
  return Array.from({ length }, () => Number(readScalar(cursor, type)));
}

function readScalar(cursor: Cursor, type: number): number | boolean {
  const size = sizes[type];
  if (size === undefined) throw new GgufError(`has a field of type ${type}, which is not known`);
  const bytes = cursor.take(size);
  if (type === 7) return bytes.readUInt8() !== 0;
  if (type === 6) return bytes.readFloatLE();
  if (type === 12) return bytes.readDoubleLE();
  if (type === 10) return Number(bytes.readBigUInt64LE());
  if (type === 11) return Number(bytes.readBigInt64LE());
  // The rest are integers of 1, 2 and 4 bytes, the even numbers without a sign.
  return type % 2 === 0 ? bytes.readUIntLE(0, size) : bytes.readIntLE(0, size);
}

class OutOfBytes extends Error {}

class Cursor {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  skip(length: number): void {
    if (!(length <= this.bytes.length - this.at)) throw new OutOfBytes();
    this.at += length;
  }

  take(length: number): Buffer {
    const from = this.at;
    this.skip(length);
    return this.bytes.subarray(from, this.at);
  }

  uint32(): number {
    return this.take(4).readUInt32LE();
  }

  uint64(): number {
    const value = Number(this.take(8).readBigUInt64LE());
    if (!Number.isSafeInteger(value)) throw new GgufError("has a length that is not possible");
    return value;
  }

  count(what: string, most: number): number {
    const value = this.uint64();
    if (value > most) throw new GgufError(`says that it has ${value} ${what}, which is not possible`);
    return value;
  }

  text(longest: number): string {
    const length = this.uint64();
    if (length > longest) throw new GgufError(`has a text of ${length} bytes in its header`);
    return this.take(length).toString("utf8");
  }
}

export const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;
