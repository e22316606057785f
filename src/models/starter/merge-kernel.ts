/**
 * The merge of one matrix, on the WebAssembly kernel beside this file. A matrix is begun with the half of its
 * correction that all rows share (the panel), then taken a few rows at a time: base values in, Q4_0 out.
 *
 * The kernel trusts its sizes, so they are checked here. Its memory holds, one after the other: the tables of
 * IQ2_XXS, the panel, the rows' coefficients, their values, the encoded base and the encoded result.
 */
import { GgufError } from "../gguf/gguf-header.js";
import { iq2xxsType } from "../gguf/gguf-types.js";
import { dequantise } from "./dequantise.js";

/** The most rows that `mergeRows` takes: their values stay in the L2 cache. */
export const rowsAtOnce = 64;

export interface Matrix {
  columns: number;
  rank: number;
  /** The type of the base. */
  type: number;
  /** `rank` rows of `columns`. */
  shared: Float32Array;
}

export type MergeKernel = Awaited<ReturnType<typeof openMergeKernel>>;

interface Exports {
  memory: WebAssembly.Memory;
  decode_iq2xxs(source: number, blocks: number, target: number, patterns: number, signs: number): void;
  add_product(
    values: number,
    panel: number,
    coefficients: number,
    rows: number,
    columns: number,
    rank: number,
  ): void;
  /** 0 when a value is no number. */
  encode_q4_0(values: number, blocks: number, target: number): number;
}

const isKernel = (exports: object): exports is Exports =>
  ["memory", "decode_iq2xxs", "add_product", "encode_q4_0"].every((name) => name in exports);

const pageBytes = 65_536;
const tileColumns = 16;
const patternsAt = 0;
const signsAt = 256 * 8 * 4;
const panelAt = signsAt + 128 * 8 * 4;

export async function openMergeKernel(program: Uint8Array<ArrayBuffer>) {
  const { instance } = await WebAssembly.instantiate(program);
  const kernel: object = instance.exports;
  if (!isKernel(kernel)) throw new Error("the merge kernel was built from another version");
  writeTables(kernel.memory);
  let current: ReturnType<typeof layOut> | null = null;

  return {
    begin(matrix: Matrix): void {
      current = layOut(matrix);
      const missing = current.endAt - kernel.memory.buffer.byteLength;
      if (missing > 0) kernel.memory.grow(Math.ceil(missing / pageBytes));
      packPanel(matrix, new Float32Array(kernel.memory.buffer, panelAt, matrix.rank * matrix.columns));
    },

    /** The result is a view that the next call overwrites. */
    mergeRows(base: Uint8Array, coefficients: Float32Array): Uint8Array {
      if (current === null) throw new RangeError("no matrix was begun");
      const { columns, rank, type, coefficientsAt, valuesAt, baseAt, resultAt } = current;
      const rows = coefficients.length / rank;
      if (!(rows >= 2 && rows <= rowsAtOnce && rows % 2 === 0)) throw new RangeError(`${rows} rows at once`);
      const { buffer } = kernel.memory;
      new Float32Array(buffer, coefficientsAt, coefficients.length).set(coefficients);
      if (type === iq2xxsType) {
        if (base.length !== (rows * columns * 66) / 256) throw new RangeError(`${base.length} bytes of base`);
        new Uint8Array(buffer, baseAt, base.length).set(base);
        kernel.decode_iq2xxs(baseAt, (rows * columns) / 256, valuesAt, patternsAt, signsAt);
      } else dequantise(type, base, new Float32Array(buffer, valuesAt, rows * columns));
      kernel.add_product(valuesAt, panelAt, coefficientsAt, rows, columns, rank);
      if (kernel.encode_q4_0(valuesAt, (rows * columns) / 32, resultAt) === 0)
        throw new GgufError("has values that are not numbers");
      return new Uint8Array(buffer, resultAt, (rows * columns * 18) / 32);
    },
  };
}

function layOut({ columns, rank, type, shared }: Matrix) {
  // The longest block of any type has 256 values, and rows are whole blocks.
  if (columns % 256 !== 0 || columns < 256 || rank < 1)
    throw new RangeError(`${columns} columns of rank ${rank}`);
  if (shared.length !== rank * columns) throw new RangeError(`${shared.length} shared numbers`);
  const coefficientsAt = panelAt + rank * columns * 4;
  const valuesAt = coefficientsAt + rowsAtOnce * rank * 4;
  const baseAt = valuesAt + rowsAtOnce * columns * 4;
  const resultAt = baseAt + (rowsAtOnce * columns * 66) / 256;
  const endAt = resultAt + (rowsAtOnce * columns * 18) / 32;
  return { columns, rank, type, coefficientsAt, valuesAt, baseAt, resultAt, endAt };
}

/** From rows of the whole width to tiles of 16 columns, each with all its rows side by side. */
function packPanel({ columns, rank, shared }: Matrix, panel: Float32Array): void {
  let at = 0;
  for (let column = 0; column < columns; column += tileColumns)
    for (let row = 0; row < rank; row++) {
      const from = row * columns + column;
      panel.set(shared.subarray(from, from + tileColumns), at);
      at += tileColumns;
    }
}

function writeTables({ buffer }: WebAssembly.Memory): void {
  const patterns = new Float32Array(buffer, patternsAt, 256 * 8);
  patterns.set(iq2xxsGrid.flatMap((sizes) => sizes.map((size) => iq2xxsMagnitudes[size] ?? 0)));
  const signs = new Uint32Array(buffer, signsAt, 128 * 8);
  for (let bits = 0; bits < 128; bits++)
    for (let position = 0; position < 8; position++)
      signs[bits * 8 + position] = isNegative(bits, position) ? 0x8000_0000 : 0;
}

/** Seven signs are given; the eighth makes the number of minus signs even. */
function isNegative(bits: number, position: number): boolean {
  if (position < 7) return ((bits >> position) & 1) === 1;
  let odd = 0;
  for (let rest = bits; rest > 0; rest >>= 1) odd ^= rest & 1;
  return odd === 1;
}

/**
 * The codebook of llama.cpp's IQ2_XXS format: 256 patterns of eight magnitudes, each of which is small, middle
 * or large (8, 25 or 43 in the format's own unit). A pattern is written here as four hexadecimal digits, two
 * bits for each magnitude, the first one in the lowest bits. These numbers are the format: files that were
 * written with it cannot be read with others.
 */
const patterns =
  "0000000200050008000a00110014002000220028002a00410044005000580061006400800082008a00a2010101040110" +
  "0115014001840198020002020222028204010404041004210424044004420448046004810484049004a4050005020508" +
  "05200546056905800591060906100640068406a40800080508080814082808410844085008520888090409400a020a14" +
  "1001100410101021104010601084109010951100110811201150115a1180122412451400140814201425144914801518" +
  "156216001616180118041810184018811900190519a01a5120002002200a204420612080208221292148220022022401" +
  "240424102440245625002541256426902808282028942a44400140044010401840214024404040484056406040814084" +
  "409041004120416141804185420142104248425642684400440844204480449945124524460048014804481048404845" +
  "49004958496149824a454a9050005008501150195020508050885104514251a4529154905492550a5601565458005811" +
  "5819586459405a086004601060406068610061556218626064006405651065126584684280008002800a804180828104" +
  "811881408211840184048410841584408460850085468594860986408660880289048a11900490109024904090a19116" +
  "91809245940094229444955198819920a002a050a085a109a200a418a850a904";

/** For each pattern its eight magnitudes as 0 (small), 1 (middle) or 2 (large). */
export const iq2xxsGrid: readonly (readonly number[])[] = Array.from({ length: 256 }, (_, index) => {
  const bits = Number.parseInt(patterns.slice(index * 4, index * 4 + 4), 16);
  return Array.from({ length: 8 }, (_, position) => (bits >> (2 * position)) & 3);
});

/** The magnitudes themselves. */
export const iq2xxsMagnitudes = [8, 25, 43] as const;
