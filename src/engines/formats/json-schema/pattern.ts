/**
 * Regular expressions as grammars of strings that match from their first character to their last. A pattern
 * without anchors allows more around its match; writing the match alone satisfies it too.
 *
 * Understood are characters, classes, groups, alternatives and repetitions. What looks around, back or at word
 * boundaries is not: `null` is returned, and the schema refused.
 */
import { chars, choice, repeat, sequence, text, type CodeRange, type Expression } from "./gbnf.js";
import { plainRanges } from "./json-text.js";

/** The content of a JSON string that matches, or null for a pattern that cannot be followed. */
export function patternContent(pattern: string): Expression | null {
  try {
    // What is not a regular expression at all is not followed either.
    new RegExp(pattern, "u");
    return new PatternReader(pattern).read();
  } catch {
    return null;
  }
}

class NotUnderstood extends Error {}

const quantifiers: Record<string, [min: number, max: number | undefined]> = {
  "*": [0, undefined],
  "+": [1, undefined],
  "?": [0, 1],
};
const mostRepeats = 1000;
/** Groups in groups: everything that goes through a pattern afterwards does so by recursion. */
const deepestGroups = 50;

class PatternReader {
  readonly #chars: string[];
  #at = 0;
  #depth = 0;
  /** Characters that stand for themselves, most of which come again. */
  readonly #written = new Map<string, Expression>();

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  read(): Expression {
    const expression = this.#alternatives(true);
    if (this.#at < this.#chars.length) throw new NotUnderstood();
    return expression;
  }

  #alternatives(outermost: boolean): Expression {
    const options = [this.#concatenation(outermost)];
    while (this.#take("|")) options.push(this.#concatenation(outermost));
    return choice(...options);
  }

  #concatenation(outermost: boolean): Expression {
    if (outermost) this.#take("^");
    const parts: Expression[] = [];
    while (this.#at < this.#chars.length && !this.#sees("|") && !this.#sees(")")) {
      if (outermost && this.#sees("$") && this.#endsAfter(1)) {
        this.#at += 1;
        break;
      }
      parts.push(this.#quantified(this.#atom()));
    }
    return sequence(...parts);
  }

  #endsAfter(chars: number): boolean {
    const next = this.#chars[this.#at + chars];
    return next === undefined || next === "|";
  }

  #atom(): Expression {
    const char = this.#next();
    switch (char) {
      case "(": {
        if (this.#take("?") && !this.#take(":")) throw new NotUnderstood();
        this.#depth += 1;
        if (this.#depth > deepestGroups) throw new NotUnderstood();
        const group = this.#alternatives(false);
        this.#expect(")");
        this.#depth -= 1;
        return group;
      }
      case "[":
        return written(this.#charClass());
      case ".":
        return written(complement(lineBreaks));
      case "\\":
        return written(this.#escape());
      case "^":
      case "$":
      case "*":
      case "+":
      case "?":
        throw new NotUnderstood();
      default:
        return this.#plain(char);
    }
  }

  #plain(char: string): Expression {
    const known = this.#written.get(char) ?? written([one(char)]);
    this.#written.set(char, known);
    return known;
  }

  #quantified(part: Expression): Expression {
    const bounds = this.#bounds();
    if (bounds === null) return part;
    // A lazy repetition matches the same texts.
    this.#take("?");
    const [min, max] = bounds;
    if (min > mostRepeats) throw new NotUnderstood();
    return repeat(part, min, max === undefined ? undefined : Math.max(min, Math.min(max, mostRepeats)));
  }

  #bounds(): [min: number, max: number | undefined] | null {
    const quantifier = quantifiers[this.#chars[this.#at] ?? ""];
    if (quantifier !== undefined) {
      this.#at += 1;
      return quantifier;
    }
    if (!this.#sees("{")) return null;
    const braces = /^\{(\d+)(,?)(\d*)\}/.exec(this.#chars.slice(this.#at, this.#at + 20).join(""));
    if (braces === null) return null;
    const [whole, min = "0", more, max = ""] = braces;
    this.#at += whole.length;
    if (more === "") return [Number(min), Number(min)];
    return [Number(min), max === "" ? undefined : Number(max)];
  }

  #charClass(): CodeRange[] {
    const negated = this.#take("^");
    const ranges: CodeRange[] = [];
    while (!this.#take("]")) {
      const first = this.#classItem();
      const from = first.length === 1 && first[0]?.[0] === first[0]?.[1] ? first[0]?.[0] : undefined;
      const isRange = from !== undefined && this.#sees("-") && this.#chars[this.#at + 1] !== "]";
      if (!isRange) {
        ranges.push(...first);
        continue;
      }
      this.#at += 1;
      const to = this.#classItem()[0]?.[1] ?? from;
      ranges.push([from, to]);
    }
    return negated ? complement(ranges) : ranges;
  }

  #classItem(): readonly CodeRange[] {
    const char = this.#next();
    return char === "\\" ? this.#escape() : [one(char)];
  }

  #escape(): readonly CodeRange[] {
    const char = this.#next();
    const known = escapedClasses[char];
    if (known !== undefined) return known;
    const control = controls[char];
    if (control !== undefined) return [[control, control]];
    if (char === "x") return this.#hex(2);
    if (char === "u" && !this.#sees("{")) return this.#hex(4);
    if (/[0-9A-Za-z]/.test(char)) throw new NotUnderstood();
    return [one(char)];
  }

  #hex(length: number): CodeRange[] {
    const hex = Array.from({ length }, () => this.#next()).join("");
    const code = Number.parseInt(hex, 16);
    return [[code, code]];
  }

  #sees(char: string): boolean {
    return this.#chars[this.#at] === char;
  }

  #take(char: string): boolean {
    if (!this.#sees(char)) return false;
    this.#at += 1;
    return true;
  }

  #expect(char: string): void {
    if (!this.#take(char)) throw new NotUnderstood();
  }

  #next(): string {
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new NotUnderstood();
    return char;
  }
}

const one = (char: string): CodeRange => [char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0];
const lastCode = 0x10ffff;
const lineBreaks: CodeRange[] = [
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
const controls: Record<string, number> = { n: 0xa, r: 0xd, t: 0x9, f: 0xc, v: 0xb };
const escapedClasses: Record<string, CodeRange[]> = {
  d: digit,
  D: complement(digit),
  w: word,
  W: complement(word),
  s: blank,
  S: complement(blank),
};

function complement(ranges: readonly CodeRange[]): CodeRange[] {
  const result: CodeRange[] = [];
  let next = 0;
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    if (first > next) result.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= lastCode) result.push([next, lastCode]);
  return result;
}

/** A character of the set, as it is written in a JSON string. */
function written(ranges: readonly CodeRange[]): Expression {
  const plain = plainRanges.flatMap(([low, high]) =>
    ranges.flatMap(([first, last]): CodeRange[] => {
      const [from, to] = [Math.max(low, first), Math.min(high, last)];
      return from <= to ? [[from, to]] : [];
    }),
  );
  const has = (code: number) => ranges.some(([first, last]) => first <= code && code <= last);
  const escapes = escapeLetters.filter(([, code]) => has(code)).map(([letter]) => one(letter));
  return choice(
    ...(plain.length > 0 ? [chars(...plain)] : []),
    // One way for all of them: where they are likely to come, each way costs.
    ...(escapes.length > 0 ? [sequence(text("\\"), chars(...escapes))] : []),
  );
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
