/**
 * Numbers between two bounds, as a grammar of their digits.
 *
 * Whole numbers are exact: every one in the range and no other, up to fifteen digits. Numbers with a fraction
 * are a part of those in the range, with up to fifteen decimals.
 */
import { chars, choice, impossible, repeat, sequence, text, type Expression } from "../../gbnf.js";

export interface Bounds {
  /** Inclusive; undefined: none. */
  min: number | undefined;
  max: number | undefined;
}

/** The largest number of fifteen digits: all of those are exact. */
export const largest = 999_999_999_999_999;

export function integersBetween({ min, max }: Bounds): Expression {
  const low = Math.max(-largest, Math.ceil(min ?? -largest));
  const high = Math.min(largest, Math.floor(max ?? largest));
  return signed(low, high, naturals);
}

/** Of a number with a fraction, besides those that decide whether it is within the bounds. */
const moreDecimals = 6;
const maxDecimals = 9;

export function numbersBetween({ min = -largest, max = largest }: Bounds): Expression {
  const options = [integersBetween({ min, max })];
  const decimals = decimalsFor(min, max);
  if (decimals !== null) {
    const [low, high] = [scaledUp(min, decimals, 1), scaledUp(max, decimals, -1)];
    options.push(signed(low, high, (from, to) => withFraction(from, to, decimals)));
  }
  return choice(...options);
}

/** As many as the bounds have, two at least. Null when the scaled bounds have more digits than are exact. */
function decimalsFor(min: number, max: number): number | null {
  const wanted = Math.max(2, Math.min(3, decimalsOf(min)), Math.min(3, decimalsOf(max)));
  const isExact = (decimals: number) => Math.max(Math.abs(min), Math.abs(max)) * 10 ** decimals <= largest;
  if (!isExact(wanted)) return 1;
  for (let decimals = wanted; decimals <= maxDecimals && isExact(decimals); decimals++) {
    if (scaledUp(min, decimals, 1) <= scaledUp(max, decimals, -1)) return decimals;
  }
  return null;
}

function decimalsOf(value: number): number {
  const [, fraction = ""] = String(value).split(".");
  return /e/.test(fraction) ? maxDecimals : fraction.length;
}

/**
 * The bound in units of its last decimal, on the inner side of it: never a number that is out of bounds.
 * Infinite where no number with that many decimals lies inside: counting towards a bound that far never ends.
 */
export function scaledUp(bound: number, decimals: number, inwards: 1 | -1): number {
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

export function signed(
  low: number,
  high: number,
  between: (from: number, to: number) => Expression,
): Expression {
  if (low > high) return impossible;
  const options: Expression[] = [];
  if (low < 0) options.push(sequence(text("-"), between(Math.max(1, -high), -low)));
  if (high >= 0) options.push(between(Math.max(0, low), high));
  return choice(...options);
}

/** Whole numbers without leading zeros. */
const naturals = (from: number, to: number): Expression => byLength(from, to, 1, digitsBetween);

/** Numbers between two, one alternative for each number of digits: `shortest` at least, with zeros before them. */
export function byLength(
  from: number,
  to: number,
  shortest: number,
  between: (low: string, high: string) => Expression,
): Expression {
  const options: Expression[] = [];
  for (let length = shortest; length <= Math.max(shortest, String(to).length); length++) {
    const low = Math.max(from, length === shortest ? 0 : 10 ** (length - 1));
    const high = Math.min(to, 10 ** length - 1);
    if (low <= high) options.push(between(padded(low, length), padded(high, length)));
  }
  return choice(...options);
}

/** In units of the last decimal. Between the whole numbers at both ends, any fraction will do. */
function withFraction(from: number, to: number, decimals: number): Expression {
  const scale = 10 ** decimals;
  const [first, last] = [Math.floor(from / scale), Math.floor(to / scale)];
  const number = (whole: Expression, fraction: Expression) => sequence(whole, text("."), fraction);
  const [low, high] = [from % scale, to % scale];
  if (first === last) return number(text(String(first)), fractions(low, high, decimals));
  const anyFraction = repeat(digits("0", "9"), 1, decimals + moreDecimals);
  const options = [number(text(String(last)), fractions(0, high, decimals))];
  if (low > 0) options.push(number(text(String(first)), fractions(low, scale - 1, decimals, true)));
  const inside = low > 0 ? first + 1 : first;
  if (inside <= last - 1) options.push(number(naturals(inside, last - 1), anyFraction));
  return choice(...options);
}

/**
 * Digits after the point, between two numbers of so many: those with as many, those with fewer, and those with more
 * whose beginning leaves no doubt. `isLast`: more digits may follow the upper end too.
 */
function fractions(low: number, high: number, decimals: number, isLast = false): Expression {
  const options: Expression[] = [];
  for (let length = 1; length <= decimals; length++) {
    const unit = 10 ** (decimals - length);
    const [from, to] = [Math.ceil(low / unit), Math.floor(high / unit)];
    if (from <= to) options.push(digitsBetween(padded(from, length), padded(to, length)));
  }
  const sure = isLast ? high : high - 1;
  if (low <= sure) {
    const beginning = digitsBetween(padded(low, decimals), padded(sure, decimals));
    options.push(sequence(beginning, repeat(digits("0", "9"), 1, moreDecimals)));
  }
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
