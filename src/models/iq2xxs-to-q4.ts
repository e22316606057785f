/**
 * Re-encodes weights from IQ2_XXS to Q4_0, block by block, almost without loss.
 *
 * IQ2_XXS keeps 256 values in 66 bytes: a 16-bit scale, then eight groups of 32 values. A group is four
 * numbers of patterns (a byte each), four times seven bits of signs (the eighth makes their number even), and
 * four bits of a scale of its own. Every value is ±8, ±25 or ±43 times the group's scale.
 *
 * Q4_0 keeps 32 values in 18 bytes: a 16-bit scale and four bits for each value, meaning -8 to 7 times the
 * scale. A group is therefore exactly a block, and since 8 : 25 : 43 is nearly 1 : 3 : 5, its values become
 * ±1, ±3 and ±5. The scale is the one with the smallest squared error for the group's own mix of the three;
 * no value moves by more than a thirteenth of itself. A general quantiser, which knows nothing of the three
 * sizes, moves them several times as far.
 */
import { fromHalf, toHalf } from "./half-float.js";
import { iq2xxsGrid, iq2xxsMagnitudes } from "./iq2xxs-grid.js";

/** In 16-bit words, which is how both formats are laid out. */
const sourceWords = 33;
const targetWords = 9;
const groupsPerBlock = 8;
export const sourceBlockBytes = sourceWords * 2;
export const targetBytesPerSourceBlock = groupsPerBlock * targetWords * 2;

const levels = [1, 3, 5] as const;

/** Of each pattern: sums for the scale with the least squared error. */
const products = iq2xxsGrid.map((sizes) =>
  sum(sizes.map((s) => (levels[s] ?? 0) * (iq2xxsMagnitudes[s] ?? 0))),
);
const squares = iq2xxsGrid.map((sizes) => sum(sizes.map((s) => (levels[s] ?? 0) ** 2)));

/**
 * For each pattern with each of its 128 signs, its eight values as Q4_0 has them: one in the lower half of
 * each byte, two bytes a word. Shifted by four bits they are the upper halves.
 */
const encoded = encodePatterns();

/** Turns whole blocks; `target` has room for 144 bytes for each 66 of `source`. */
export function iq2xxsToQ4(source: Uint16Array, target: Uint16Array): void {
  let out = 0;
  for (let block = 0; block + sourceWords <= source.length; block += sourceWords) {
    const blockScale = fromHalf(source[block] ?? 0) / 4;
    for (let at = block + 1; at < block + sourceWords; at += 4) {
      const first = source[at] ?? 0;
      const second = source[at + 1] ?? 0;
      const [a, b, c, d] = [first & 255, first >> 8, second & 255, second >> 8];
      const signs = (source[at + 2] ?? 0) + (source[at + 3] ?? 0) * 65536;
      const product = (products[a] ?? 0) + (products[b] ?? 0) + (products[c] ?? 0) + (products[d] ?? 0);
      const square = (squares[a] ?? 0) + (squares[b] ?? 0) + (squares[c] ?? 0) + (squares[d] ?? 0);
      target[out] = toHalf(blockScale * (0.5 + (signs >>> 28)) * (product / square));
      // Values 0 to 15 are the lower halves of the sixteen bytes, 16 to 31 the upper ones.
      const lower = entry(a, signs & 127);
      const nextLower = entry(b, (signs >>> 7) & 127);
      const upper = entry(c, (signs >>> 14) & 127);
      const nextUpper = entry(d, (signs >>> 21) & 127);
      for (let word = 0; word < 4; word++) {
        target[out + 1 + word] = (encoded[lower + word] ?? 0) | ((encoded[upper + word] ?? 0) << 4);
        target[out + 5 + word] = (encoded[nextLower + word] ?? 0) | ((encoded[nextUpper + word] ?? 0) << 4);
      }
      out += targetWords;
    }
  }
}

function entry(pattern: number, signs: number): number {
  return (pattern * 128 + signs) * 4;
}

function encodePatterns(): Uint16Array {
  const table = new Uint16Array(256 * 128 * 4);
  iq2xxsGrid.forEach((sizes, pattern) => {
    for (let signs = 0; signs < 128; signs++) {
      const values = sizes.map((size, position) => 8 + (levels[size] ?? 0) * signAt(signs, position));
      for (let word = 0; word < 4; word++) {
        table[entry(pattern, signs) + word] = (values[word * 2] ?? 0) | ((values[word * 2 + 1] ?? 0) << 8);
      }
    }
  });
  return table;
}

/** The sign of the last value makes the number of minus signs even. */
function signAt(signs: number, position: number): 1 | -1 {
  let bits = position < 7 ? (signs >> position) & 1 : 0;
  if (position === 7) for (let rest = signs; rest > 0; rest >>= 1) bits ^= rest & 1;
  return bits === 1 ? -1 : 1;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
