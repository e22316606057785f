/**
 * Regular expressions as the languages of strings that they match. Where a pattern is not anchored, anything may
 * stand around its match.
 *
 * Understood are characters, classes, groups, alternatives and repetitions; look-ahead where everything after it is
 * the rest of the pattern, so that both can be asked of the same text. What looks back or at word boundaries is not.
 */
import { complement, controls, escapedClasses, everyCode, lineBreaks, one, written } from "./characters.js";
import type { CodeRange } from "../gbnf.js";
import type { Language } from "./language.js";

/** `excessive`: nothing that anyone would write, and too much to go through. */
export type Pattern = { type: "language"; language: Language } | { type: "unsupported" | "excessive" };

/**
 * Of the content of a JSON string that matches; `bare`: with nothing around the match, which is less than the pattern
 * allows and easier to follow.
 */
export function readPattern(pattern: string, bare = false): Pattern {
  if (!isRegularExpression(pattern)) return { type: "unsupported" };
  try {
    return { type: "language", language: new PatternReader(pattern, bare ? nothing : anything).read() };
  } catch (error) {
    if (error instanceof NotUnderstood) return { type: error.isExcessive ? "excessive" : "unsupported" };
    throw error;
  }
}

function isRegularExpression(pattern: string): boolean {
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(pattern, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

class NotUnderstood extends Error {
  constructor(readonly isExcessive = false) {
    super();
  }
}

const quantifiers: Record<string, [min: number, max: number | undefined]> = {
  "*": [0, undefined],
  "+": [1, undefined],
  "?": [0, 1],
};
const mostRepeats = 1000;
/** Groups in groups: everything that goes through a pattern afterwards does so by recursion. */
const deepestGroups = 50;

/** A character of any kind. */
export const anyWritten = written(everyCode);
const anything: Language = { type: "repeat", part: anyWritten, min: 0, max: undefined };
const nothing: Language = { type: "sequence", parts: [] };

/** Where a part of the pattern stands. */
interface Place {
  /** `^` may stand here. */
  isStart: boolean;
  /** Whether more may follow the match; null: something of the pattern does. */
  end: "anchored" | "open" | null;
}

class PatternReader {
  readonly #chars: string[];
  #at = 0;
  #depth = 0;
  /** Characters that stand for themselves, most of which come again. */
  readonly #written = new Map<string, Language>();

  constructor(
    private readonly pattern: string,
    private readonly around: Language,
  ) {
    this.#chars = Array.from(pattern);
  }

  read(): Language {
    // What all alternatives have around them is said once.
    const isOpenBefore = !this.pattern.includes("^");
    const isOpenAfter = !/\$|\(\?[=!]/.test(this.pattern);
    const place = { isStart: true, end: isOpenAfter ? "anchored" : "open" } as const;
    const language = this.#alternatives(place, !isOpenBefore);
    if (this.#at < this.#chars.length) throw new NotUnderstood();
    const before = isOpenBefore ? [this.around] : [];
    return { type: "sequence", parts: [...before, language, ...(isOpenAfter ? [this.around] : [])] };
  }

  /** `isWhole`: nothing of the pattern precedes it, so that without `^` its match may be preceded by anything. */
  #alternatives(place: Place, isWhole: boolean): Language {
    const options = [this.#concatenation(place, isWhole)];
    while (this.#take("|")) options.push(this.#concatenation(place, isWhole));
    return { type: "choice", options };
  }

  #concatenation(place: Place, isWhole: boolean): Language {
    const isAnchored = place.isStart && this.#take("^");
    const isOpen = isWhole && !isAnchored;
    const whole = isOpen ? this.#lastGroup(place, true) : null;
    if (whole !== null) return whole;
    const parts: Language[] = isOpen ? [this.around] : [];
    let isStart = isAnchored;
    while (!this.#isAtEnd()) {
      if (place.end !== null && this.#sees("$") && this.#endsAfter(1)) {
        this.#at += 1;
        return { type: "sequence", parts };
      }
      const look = this.#lookAhead(place, isStart);
      if (look !== null) return { type: "sequence", parts: [...parts, look] };
      isStart = false;
      const group = this.#lastGroup(place, false);
      if (group !== null) return { type: "sequence", parts: [...parts, group] };
      parts.push(this.#quantified(this.#atom()));
    }
    if (place.end === "open") parts.push(this.around);
    return { type: "sequence", parts };
  }

  /** What follows is asked of the rest of the pattern as well. Null where nothing looks ahead. */
  #lookAhead(place: Place, isStart: boolean): Language | null {
    const isNegative = this.#starts("(?!");
    if (!isNegative && !this.#starts("(?=")) return null;
    if (place.end === null) throw new NotUnderstood();
    this.#at += 3;
    // Never taken back: each is inside what follows the one before.
    this.#depth += 1;
    const seen = this.#group({ isStart, end: "open" });
    if (this.#bounds() !== null) throw new NotUnderstood();
    const rest = this.#concatenation({ ...place, isStart: false }, false);
    return { type: "both", parts: [isNegative ? { type: "except", part: seen } : seen, rest] };
  }

  /**
   * A group that ends the pattern and has an anchor or looks ahead, so that the end is its own affair; `isWhole`: and
   * the beginning too. Null where there is none.
   */
  #lastGroup(place: Place, isWhole: boolean): Language | null {
    if (place.end === null || !this.#sees("(")) return null;
    const closing = this.#closing();
    const content = this.#chars.slice(this.#at, closing).join("");
    if (!(isWhole ? /[(|:]\^/ : /\$|\(\?[=!]/).test(content)) return null;
    const isAnchored = this.#chars[closing + 1] === "$";
    const after = this.#chars[closing + (isAnchored ? 2 : 1)];
    if (after !== undefined && after !== "|" && after !== ")") return null;
    this.#at += 1;
    this.#skipGroupName();
    const group = this.#group({ isStart: isWhole, end: isAnchored ? "anchored" : place.end }, isWhole);
    if (isAnchored) this.#at += 1;
    return group;
  }

  /** Where the group that begins here ends. */
  #closing(): number {
    let depth = 0;
    let isInClass = false;
    for (let at = this.#at; at < this.#chars.length; at++) {
      const char = this.#chars[at];
      if (char === "\\") at += 1;
      else if (isInClass) isInClass = char !== "]";
      else if (char === "[") isInClass = true;
      else if (char === "(") depth += 1;
      else if (char === ")" && --depth === 0) return at;
    }
    throw new NotUnderstood();
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#chars.length || this.#sees("|") || this.#sees(")");
  }

  #endsAfter(chars: number): boolean {
    const next = this.#chars[this.#at + chars];
    return next === undefined || next === "|" || next === ")";
  }

  #atom(): Language {
    const char = this.#next();
    switch (char) {
      case "(":
        this.#skipGroupName();
        return this.#group({ isStart: false, end: null });
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

  #skipGroupName(): void {
    if (!this.#take("?") || this.#take(":")) return;
    this.#expect("<");
    if (this.#sees("=") || this.#sees("!")) throw new NotUnderstood();
    while (!this.#take(">")) this.#next();
  }

  /** After its opening parenthesis. */
  #group(place: Place, isWhole = false): Language {
    this.#depth += 1;
    if (this.#depth > deepestGroups) throw new NotUnderstood(true);
    const group = this.#alternatives(place, isWhole);
    this.#expect(")");
    this.#depth -= 1;
    return group;
  }

  #starts(word: string): boolean {
    return Array.from(word).every((char, index) => this.#chars[this.#at + index] === char);
  }

  #plain(char: string): Language {
    const known = this.#written.get(char) ?? written([one(char)]);
    this.#written.set(char, known);
    return known;
  }

  #quantified(part: Language): Language {
    const bounds = this.#bounds();
    if (bounds === null) return part;
    // A lazy repetition matches the same texts.
    this.#take("?");
    const [min, max] = bounds;
    if (min > mostRepeats) throw new NotUnderstood();
    return {
      type: "repeat",
      part,
      min,
      max: max === undefined ? undefined : Math.max(min, Math.min(max, mostRepeats)),
    };
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
    if (char === "u") return this.#take("{") ? this.#bracedHex() : this.#hex(4);
    if (/[0-9A-Za-z]/.test(char)) throw new NotUnderstood();
    return [one(char)];
  }

  #hex(length: number): CodeRange[] {
    return this.#code(Array.from({ length }, () => this.#next()).join(""));
  }

  #bracedHex(): CodeRange[] {
    let hex = "";
    while (!this.#take("}")) hex += this.#next();
    return this.#code(hex);
  }

  /** Half of a surrogate pair is no character of its own. */
  #code(hex: string): CodeRange[] {
    const code = /^[0-9a-fA-F]{1,6}$/.test(hex) ? Number.parseInt(hex, 16) : NaN;
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) throw new NotUnderstood();
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
