/**
 * The merge of a correction, computed a second time and as plainly as it can be: value by value, from the formats'
 * definitions, single precision by rounding after every operation. Slow; for sampled rows.
 */
import { iq2xxsGrid, iq2xxsMagnitudes } from "../../../src/models/starter/merge-kernel.js";

const { fround } = Math;

/** The value at `index` of a tensor of this type. */
export function valueAt(type: number, data: Buffer, index: number): number {
  const decode = decoders[type];
  if (decode === undefined) throw new Error(`no reference for type ${type}`);
  return decode(data, index);
}

const decoders: Record<number, (data: Buffer, index: number) => number> = {
  0: (data, index) => data.readFloatLE(index * 4),
  1: (data, index) => half(data.readUInt16LE(index * 2)),
  2: (data, index) => {
    const at = Math.floor(index / 32) * 18;
    const place = index % 32;
    const byte = data.readUInt8(at + 2 + (place % 16));
    return ((place < 16 ? byte & 15 : byte >> 4) - 8) * half(data.readUInt16LE(at));
  },
  10: (data, index) => {
    const at = Math.floor(index / 256) * 84;
    const place = index % 256;
    const scales = data.readUInt8(at + Math.floor(place / 16));
    const byte = data.readUInt8(at + 16 + Math.floor(place / 128) * 32 + (place % 32));
    const bits = (byte >> (2 * Math.floor((place % 128) / 32))) & 3;
    return fround(
      half(data.readUInt16LE(at + 80)) * (scales & 15) * bits -
        half(data.readUInt16LE(at + 82)) * (scales >> 4),
    );
  },
  12: (data, index) => {
    const at = Math.floor(index / 256) * 144;
    const place = index % 256;
    const group = Math.floor(place / 32);
    const byte = data.readUInt8(at + 16 + Math.floor(group / 2) * 32 + (place % 32));
    const six = (position: number) => data.readUInt8(at + 4 + position);
    const [scale, least] =
      group < 4
        ? [six(group) & 63, six(group + 4) & 63]
        : [
            (six(group + 4) & 15) + 16 * (six(group - 4) >> 6),
            (six(group + 4) >> 4) + 16 * (six(group) >> 6),
          ];
    const bits = group % 2 === 0 ? byte & 15 : byte >> 4;
    return fround(half(data.readUInt16LE(at)) * scale * bits - half(data.readUInt16LE(at + 2)) * least);
  },
  16: (data, index) => {
    const at = Math.floor(index / 256) * 66;
    const place = index % 256;
    const group = at + 2 + Math.floor(place / 32) * 8;
    const quarter = Math.floor((place % 32) / 8);
    const pattern = iq2xxsGrid[data.readUInt8(group + quarter)] ?? [];
    const words = data.readUInt32LE(group + 4);
    const signs = Math.floor(words / 2 ** (7 * quarter)) % 128;
    const ones = signs.toString(2).replaceAll("0", "").length;
    const isNegative = place % 8 === 7 ? ones % 2 === 1 : Math.floor(signs / 2 ** (place % 8)) % 2 === 1;
    const scale = half(data.readUInt16LE(at)) * (0.5 + Math.floor(words / 2 ** 28)) * 0.25;
    return (isNegative ? -1 : 1) * scale * (iq2xxsMagnitudes[pattern[place % 8] ?? 0] ?? 0);
  },
};

export interface ReferenceRow {
  base: readonly number[];
  /** One for each rank. */
  coefficients: readonly number[];
  /** The number of this rank in this column. */
  shared: (rank: number, column: number) => number;
}

/** A corrected row as Q4_0. */
export function mergedRow({ base, coefficients, shared }: ReferenceRow): Buffer {
  const values = base.map((value, column) => {
    let sum = 0;
    coefficients.forEach((coefficient, rank) => {
      sum = fround(sum + fround(coefficient * shared(rank, column)));
    });
    return fround(value + sum);
  });
  const blocks: Buffer[] = [];
  for (let at = 0; at < values.length; at += 32) blocks.push(encodeBlock(values.slice(at, at + 32)));
  return Buffer.concat(blocks);
}

function encodeBlock(values: number[]): Buffer {
  const largest = values.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  const scale = nearestHalf(fround(largest / -8));
  const codes = values.map((value) =>
    scale.value === 0 ? 8 : Math.min(15, Math.max(0, Math.trunc(fround(fround(value / scale.value) + 8.5)))),
  );
  const block = Buffer.alloc(18);
  block.writeUInt16LE(scale.bits);
  for (let index = 0; index < 16; index++)
    block.writeUInt8((codes[index] ?? 0) | ((codes[index + 16] ?? 0) << 4), 2 + index);
  return block;
}

/** Every finite half, in order, to be searched. */
const halves = Array.from({ length: 0x7c00 }, (_, bits) => half(bits));

function nearestHalf(value: number): { bits: number; value: number } {
  const size = Math.abs(value);
  let [low, high] = [0, halves.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((halves[middle] ?? 0) <= size) low = middle;
    else high = middle;
  }
  const [below, above] = [size - (halves[low] ?? 0), (halves[high] ?? 0) - size];
  const bits = below < above || (below === above && low % 2 === 0) ? low : high;
  return { bits: bits | (value < 0 ? 0x8000 : 0), value: (value < 0 ? -1 : 1) * (halves[bits] ?? 0) };
}

function half(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits >= 0x8000 ? -size : size;
}
