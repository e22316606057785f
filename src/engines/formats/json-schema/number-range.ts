/**
 * Numbers between two bounds, as a grammar of their digits.
 *
 * Whole numbers are exact: every one in the range and no other, up to fifteen digits. Numbers with a fraction
 * are a part of those in the range, written with a fixed number of decimals, as many as the bounds have or as
 * it takes to have any between them.
 */
import { chars, choice, impossible, repeat, sequence, text, type Expression } from "./gbnf.js";

export interface Bounds {
  /** Inclusive; undefined: none. */
  min: number | undefined;
  max: number | undefined;
}

/** The largest number of fifteen digits: all of those are exact. */
const largest = 999_999_999_999_999;

export function integersBetween({ min, max }: Bounds): Expression {
  const low = Math.max(-largest, Math.ceil(min ?? -largest));
  const high = Math.min(largest, Math.floor(max ?? largest));
  return signed(low, high, (from, to) => naturals(from, to));
}

const mostDecimals = 9;

export function numbersBetween({ min = -largest, max = largest }: Bounds): Expression {
  const options = [integersBetween({ min, max })];
  const decimals = decimalsFor(min, max);
  if (decimals !== null) {
    const scale = 10 ** decimals;
    const [low, high] = [scaledUp(min, decimals, 1), scaledUp(max, decimals, -1)];
    options.push(signed(low, high, (from, to) => withDecimals(from, to, scale, decimals)));
  }
  return choice(...options);
}

/** Null when the scaled bounds have more digits than are exact. */
function decimalsFor(min: number, max: number): number | null {
  const wanted = Math.max(1, Math.min(3, decimalsOf(min)), Math.min(3, decimalsOf(max)));
  for (let decimals = wanted; decimals <= mostDecimals; decimals++) {
    if (Math.max(Math.abs(min), Math.abs(max)) * 10 ** decimals > largest) return decimals > 1 ? null : 1;
    if (scaledUp(min, decimals, 1) <= scaledUp(max, decimals, -1)) return decimals;
  }
  return null;
}

function decimalsOf(value: number): number {
  const [, fraction = ""] = String(value).split(".");
  return /e/.test(fraction) ? mostDecimals : fraction.length;
}

/**
 * The bound in units of its last decimal, on the inner side of it: never a number that is out of bounds.
 * Infinite where no number with that many decimals lies inside: counting towards a bound that far never ends.
 */
function scaledUp(bound: number, decimals: number, inwards: 1 | -1): number {
  const furthest = Number(`${largest}e-${decimals}`);
  if (bound * inwards > furthest) return inwards * Infinity;
  const clamped = Math.max(-largest / 10 ** decimals, Math.min(largest / 10 ** decimals, bound));
  let units = Math.round(clamped * 10 ** decimals);
  const isOutside = () => {
    const value = Number(`${units}e-${decimals}`);
    return inwards === 1 ? value < bound : value > bound;
  };
  while (isOutside()) units += inwards;
  return Math.max(-largest, Math.min(largest, units));
}

function signed(low: number, high: number, between: (from: number, to: number) => Expression): Expression {
  if (low > high) return impossible;
  const options: Expression[] = [];
  if (low < 0) options.push(sequence(text("-"), between(Math.max(1, -high), -low)));
  if (high >= 0) options.push(between(Math.max(0, low), high));
  return choice(...options);
}

/** Whole numbers without leading zeros. */
function naturals(from: number, to: number): Expression {
  const options: Expression[] = [];
  for (let length = String(from).length; length <= String(to).length; length++) {
    const low = Math.max(from, length === 1 ? 0 : 10 ** (length - 1));
    const high = Math.min(to, 10 ** length - 1);
    if (low <= high) options.push(digitsBetween(padded(low, length), padded(high, length)));
  }
  return choice(...options);
}

function withDecimals(from: number, to: number, scale: number, decimals: number): Expression {
  const [first, last] = [Math.floor(from / scale), Math.floor(to / scale)];
  const number = (whole: Expression, low: number, high: number) =>
    sequence(whole, text("."), digitsBetween(padded(low, decimals), padded(high, decimals)));
  if (first === last) return number(text(String(first)), from % scale, to % scale);
  const options = [
    number(text(String(first)), from % scale, scale - 1),
    number(text(String(last)), 0, to % scale),
  ];
  if (first + 1 <= last - 1) options.push(number(naturals(first + 1, last - 1), 0, scale - 1));
  return choice(...options);
}

const padded = (value: number, length: number): string => String(value).padStart(length, "0");

/** Strings of digits between two of the same length. */
function digitsBetween(low: string, high: string): Expression {
  if (low.length === 0) return text("");
  if (/^0*$/.test(low) && /^9*$/.test(high)) return repeat(digits("0", "9"), low.length, low.length);
  const [l = "0", h = "9"] = [low[0], high[0]];
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  if (l === h) return sequence(text(l), digitsBetween(lowRest, highRest));
  const nines = "9".repeat(lowRest.length);
  const zeros = "0".repeat(lowRest.length);
  const options = [
    sequence(text(l), digitsBetween(lowRest, nines)),
    sequence(text(h), digitsBetween(zeros, highRest)),
  ];
  const [next, previous] = [String(Number(l) + 1), String(Number(h) - 1)];
  if (next <= previous) options.push(sequence(digits(next, previous), digitsBetween(zeros, nines)));
  return choice(...options);
}

const digits = (first: string, last: string): Expression => chars([first.charCodeAt(0), last.charCodeAt(0)]);
