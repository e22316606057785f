/** The sets of characters that patterns name, and how a character of one is written in a JSON string. */
import { chars, choice, one, sequence, text, type CodeRange, type Expression } from "../../gbnf.js";
import { plainRanges } from "../json-text.js";

export const lastCode = 0x10ffff;
export const lineBreaks: CodeRange[] = [
  [0xa, 0xa],
  [0xd, 0xd],
  [0x2028, 0x2029],
];
const digit: CodeRange[] = [[0x30, 0x39]];
const word: CodeRange[] = [...digit, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const blank: CodeRange[] = [
  [0x9, 0xd],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
export const controls: Record<string, number> = { n: 0xa, r: 0xd, t: 0x9, f: 0xc, v: 0xb };
export const escapedClasses: Record<string, CodeRange[]> = {
  d: digit,
  D: complement(digit),
  w: word,
  W: complement(word),
  s: blank,
  S: complement(blank),
};

export function complement(ranges: readonly CodeRange[]): CodeRange[] {
  const result: CodeRange[] = [];
  let next = 0;
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    if (first > next) result.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= lastCode) result.push([next, lastCode]);
  return result;
}

/** A character of the set, as it is written in a JSON string; `impossible` where none can be. */
export function written(ranges: readonly CodeRange[]): Expression {
  const plain = plainRanges.flatMap(([low, high]) =>
    ranges.flatMap(([first, last]): CodeRange[] => {
      const [from, to] = [Math.max(low, first), Math.min(high, last)];
      return from <= to ? [[from, to]] : [];
    }),
  );
  const has = (code: number) => ranges.some(([first, last]) => first <= code && code <= last);
  const escapes = escapeLetters.filter(([, code]) => has(code)).map(([letter]) => one(letter));
  const options = [
    ...(plain.length > 0 ? [chars(...plain)] : []),
    ...(escapes.length > 0 ? [sequence(text("\\"), chars(...escapes))] : []),
  ];
  const [only] = options;
  return only !== undefined && options.length === 1 ? only : choice(...options);
}

/** Characters that are written with a backslash, by the letter that follows it. */
const escapeLetters: readonly (readonly [letter: string, code: number])[] = [
  ['"', 0x22],
  ["\\", 0x5c],
  ["f", 0xc],
  ["n", 0xa],
  ["r", 0xd],
  ["t", 0x9],
];
