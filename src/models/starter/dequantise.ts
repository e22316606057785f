/**
 * Quantised tensors as numbers, by the definitions in llama.cpp: what the starter and its correction hold beside
 * IQ2_XXS, which is most of it and has a faster way (merge-kernel.wat). All products here are exact; the one
 * subtraction is rounded once, when it is stored as a single float.
 */
import { GgufError } from "../gguf/gguf-header.js";
import { tensorTypes } from "../gguf/gguf-types.js";

type Decoder = (bytes: Uint8Array, at: number, target: Float32Array, out: number) => void;

const halfAt = (bytes: Uint8Array, at: number): number =>
  fromHalf((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));

/** 32 values: a scale, then 16 bytes whose lower halves are the first 16 values. */
const decodeQ40: Decoder = (bytes, at, target, out) => {
  const scale = halfAt(bytes, at);
  for (let index = 0; index < 16; index++) {
    const byte = bytes[at + 2 + index] ?? 0;
    target[out + index] = ((byte & 15) - 8) * scale;
    target[out + index + 16] = ((byte >> 4) - 8) * scale;
  }
};

/** 256 values in 16 groups: a byte of scale and offset for each, 64 bytes of two-bit values, both common factors. */
const decodeQ2K: Decoder = (bytes, at, target, out) => {
  const scale = halfAt(bytes, at + 80);
  const offset = halfAt(bytes, at + 82);
  for (let group = 0; group < 16; group++) {
    const both = bytes[at + group] ?? 0;
    const factor = scale * (both & 15);
    const least = offset * (both >> 4);
    // 128 values share 32 bytes, two bits each; a group is 16 of them in neighbouring bytes.
    const from = at + 16 + (group >> 3) * 32 + (group & 1) * 16;
    const shift = ((group >> 1) & 3) * 2;
    for (let index = 0; index < 16; index++)
      target[out + group * 16 + index] = factor * (((bytes[from + index] ?? 0) >> shift) & 3) - least;
  }
};

/** 256 values in 8 groups: common factors, 12 bytes of six-bit scales and offsets, 128 bytes of four-bit values. */
const decodeQ4K: Decoder = (bytes, at, target, out) => {
  const scale = halfAt(bytes, at);
  const offset = halfAt(bytes, at + 2);
  const packed = (index: number): number => bytes[at + 4 + index] ?? 0;
  for (let group = 0; group < 8; group++) {
    const isFirst = group < 4;
    const sixBits = isFirst ? packed(group) & 63 : (packed(group + 4) & 15) | ((packed(group - 4) >> 6) << 4);
    const leastBits = isFirst
      ? packed(group + 4) & 63
      : (packed(group + 4) >> 4) | ((packed(group) >> 6) << 4);
    const factor = scale * sixBits;
    const least = offset * leastBits;
    const from = at + 16 + (group >> 1) * 32;
    const shift = (group & 1) * 4;
    for (let index = 0; index < 32; index++)
      target[out + group * 32 + index] = factor * (((bytes[from + index] ?? 0) >> shift) & 15) - least;
  }
};

const decodeF16: Decoder = (bytes, at, target, out) => {
  target[out] = halfAt(bytes, at);
};

/** By the number of the type; block sizes are in gguf-types.ts. */
const decoders: ReadonlyMap<number, Decoder> = new Map([
  [1, decodeF16],
  [2, decodeQ40],
  [10, decodeQ2K],
  [12, decodeQ4K],
]);

export const canDequantise = (type: number): boolean => decoders.has(type);

/** Fills `target`, which has as many places as `bytes` has values. */
export function dequantise(type: number, bytes: Uint8Array, target: Float32Array): void {
  const decode = decoders.get(type);
  const block = tensorTypes.get(type);
  if (decode === undefined || block === undefined)
    throw new GgufError(`has a tensor of type ${type}, which cannot be decoded here`);
  const { blockBytes, blockValues } = block;
  if (bytes.length * blockValues !== target.length * blockBytes)
    throw new RangeError(`${bytes.length} bytes for ${target.length} values`);
  for (let at = 0, out = 0; at < bytes.length; at += blockBytes, out += blockValues)
    decode(bytes, at, target, out);
}

/** The value of a 16-bit float. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
