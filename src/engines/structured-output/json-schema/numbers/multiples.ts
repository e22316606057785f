/**
 * Multiples of a number, as a grammar of their digits. The step is a whole number of units of a decimal place: 0.05 is
 * 5 hundredths, 2500 is 25 hundreds. The digits of a number of units are written one after the other, and what they
 * leave when divided by the step decides how they may go on: a rule for each number of digits that are left and each
 * remainder that makes a difference to them. For 25 only the last two digits do.
 */
import { choice, impossible, sequence, text, type Expression, type Grammar } from "../../gbnf.js";
import { byLength, integersBetween, largest, scaledUp, signed, type Bounds } from "./number-range.js";

const maxDecimals = 6;
/** Of the rules of one step; each has ten alternatives of four elements. */
const maxRules = 150;
/** Fewer digits would leave too little of what the schema allows. */
const leastDigits = 6;
const exactDigits = 15;

/** Null where it takes too many rules. */
export function multiplesOf(step: number, bounds: Bounds, grammar: Grammar): Expression | null {
  const units = unitsOf(step);
  if (units === null) return null;
  const { count, decimals } = units;
  const most = 10 ** digitsWithin(count) - 1;
  if (most < 10 ** leastDigits - 1) return null;
  const [low, high] = [
    Math.max(-most, scaled(bounds.min ?? -Infinity, decimals, 1)),
    Math.min(most, scaled(bounds.max ?? Infinity, decimals, -1)),
  ];
  const digits = new Digits(count, decimals, grammar);
  if (decimals >= 0) {
    // Nobody writes 12.00 for 12 if they need not.
    const areIntegers = decimals > 0 && 10 ** decimals % count === 0;
    return choice(
      signed(low, high, (from, to) => digits.between(from, to)),
      ...(areIntegers ? [integersBetween(bounds)] : []),
    );
  }
  // Zeros are written after the digits; nothing is written after the digit zero.
  const zeros = text("0".repeat(-decimals));
  const others = [
    signed(low, Math.min(high, -1), (from, to) => digits.between(from, to)),
    signed(Math.max(low, 1), high, (from, to) => digits.between(from, to)),
  ];
  return choice(
    ...(low <= 0 && high >= 0 ? [text("0")] : []),
    ...others.map((numbers) => sequence(numbers, zeros)),
  );
}

/** Of negative `decimals`, so many zeros follow. */
function unitsOf(step: number): { count: number; decimals: number } | null {
  if (!(step > 0) || step > largest) return null;
  for (let decimals = 0; decimals <= maxDecimals; decimals++) {
    let count = Math.round(step * 10 ** decimals);
    if (count > largest || Number(`${count}e-${decimals}`) !== step) continue;
    let places = decimals;
    for (; count % 10 === 0; places--) count /= 10;
    return { count, decimals: places };
  }
  return null;
}

function scaled(bound: number, decimals: number, inwards: 1 | -1): number {
  if (decimals >= 0) return scaledUp(bound, decimals, inwards);
  const units = bound / 10 ** -decimals;
  return inwards === 1 ? Math.ceil(units) : Math.floor(units);
}

/** How many digits a number may have before its rules are too many. */
function digitsWithin(step: number): number {
  let rules = 0;
  for (let left = 1; left <= exactDigits; left++) {
    rules += step / greatestCommonDivisor(step, 10 ** left);
    if (rules > maxRules) return left - 1;
  }
  return exactDigits;
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

class Digits {
  constructor(
    private readonly step: number,
    private readonly decimals: number,
    private readonly grammar: Grammar,
  ) {}

  between(from: number, to: number): Expression {
    const shortest = Math.max(0, this.decimals) + 1;
    return byLength(from, to, shortest, (low, high) => this.#limited(low, high, 0));
  }

  /** Digits between two of the same length, after others that leave this remainder. */
  #limited(low: string, high: string, remainder: number): Expression {
    if (/^0*$/.test(low) && /^9*$/.test(high)) return this.#any(low.length, remainder);
    const [first, last] = [Number(low[0]), Number(high[0])];
    const [zeros, nines] = ["0".repeat(low.length - 1), "9".repeat(low.length - 1)];
    const options: Expression[] = [];
    for (let digit = first; digit <= last; digit++) {
      const rest = this.#limited(
        digit === first ? low.slice(1) : zeros,
        digit === last ? high.slice(1) : nines,
        remainder * 10 + digit,
      );
      options.push(sequence(text(this.#written(digit, low.length)), rest));
    }
    return choice(...options);
  }

  /** Any digits, so many that are left. */
  #any(left: number, before: number): Expression {
    const remainder = before % (this.step / greatestCommonDivisor(this.step, 10 ** left));
    if (left === 0) return remainder === 0 ? text("") : impossible;
    const name = `multiple-${this.step}-${this.decimals}-${left}-${remainder}`;
    return this.grammar.define(name, () =>
      choice(
        ...Array.from({ length: 10 }, (_, digit) =>
          sequence(text(this.#written(digit, left)), this.#any(left - 1, remainder * 10 + digit)),
        ),
      ),
    );
  }

  #written(digit: number, left: number): string {
    return left === this.decimals ? `.${digit}` : String(digit);
  }
}
