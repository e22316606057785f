/**
 * Regular expressions as the languages of strings that they match. Where a pattern is not anchored, anything may
 * precede or follow its match.
 *
 * Supported are characters, classes, groups, alternatives and repetitions; look-ahead where everything after it is the
 * rest of the pattern, so that it is an intersection. Look-behind, back references and word boundaries are not.
 */
import { one, type CodeRange } from "../../gbnf.js";
import type { Language } from "./automaton.js";
import { complement, controls, escapedClasses, lastCode, lineBreaks } from "./characters.js";

/** Null for a pattern that is not supported. Throws `NestedTooDeeply`. */
export function readPattern(pattern: string): Language | null {
  if (!isRegularExpression(pattern)) return null;
  try {
    return new PatternReader(pattern).read();
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** All further work on a pattern recurses into its groups, so their depth is limited. */
export class NestedTooDeeply extends Error {}
const deepestGroups = 50;

function isRegularExpression(pattern: string): boolean {
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(pattern, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

class Unsupported extends Error {}

const quantifiers: Record<string, [min: number, max: number | undefined]> = {
  "*": [0, undefined],
  "+": [1, undefined],
  "?": [0, 1],
};
const maxRepeats = 1000;

export const anyCharacter: Language = { type: "chars", ranges: [[0, lastCode]] };
const anything: Language = { type: "repeat", part: anyCharacter, min: 0, max: undefined };

interface Place {
  /** `^` is allowed here. */
  isStart: boolean;
  /** Whether anything may follow the match; null: more of the pattern does. */
  end: "anchored" | "open" | null;
}

class PatternReader {
  readonly #chars: string[];
  #at = 0;
  #depth = 0;

  constructor(private readonly pattern: string) {
    this.#chars = Array.from(pattern);
  }

  read(): Language {
    // What surrounds all alternatives is written once.
    const isOpenBefore = !this.pattern.includes("^");
    const isOpenAfter = !/\$|\(\?[=!]/.test(this.pattern);
    const place = { isStart: true, end: isOpenAfter ? "anchored" : "open" } as const;
    const language = this.#alternatives(place, !isOpenBefore);
    if (this.#at < this.#chars.length) throw new Unsupported();
    const before = isOpenBefore ? [anything] : [];
    return { type: "sequence", parts: [...before, language, ...(isOpenAfter ? [anything] : [])] };
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
    const parts: Language[] = isOpen ? [anything] : [];
    let isStart = isAnchored;
    while (!this.#isEnd(this.#at)) {
      if (place.end !== null && this.#sees("$") && this.#isEnd(this.#at + 1)) {
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
    if (place.end === "open") parts.push(anything);
    return { type: "sequence", parts };
  }

  /** A look-ahead and the rest of the pattern, which must both match. Null where there is none. */
  #lookAhead(place: Place, isStart: boolean): Language | null {
    const isNegative = this.#starts("(?!");
    if (!isNegative && !this.#starts("(?=")) return null;
    if (place.end === null) throw new Unsupported();
    this.#at += 3;
    // Never decremented: each look-ahead contains all that follows it.
    this.#depth += 1;
    const seen = this.#group({ isStart, end: "open" });
    if (this.#bounds() !== null) throw new Unsupported();
    const rest = this.#concatenation({ ...place, isStart: false }, false);
    return { type: "intersection", parts: [isNegative ? { type: "complement", part: seen } : seen, rest] };
  }

  /**
   * A group that ends the pattern and contains an anchor or a look-ahead, so that it decides what may follow;
   * `isWhole`: and what may precede. Null where there is none.
   */
  #lastGroup(place: Place, isWhole: boolean): Language | null {
    if (place.end === null || !this.#sees("(")) return null;
    const closing = this.#closing();
    const content = this.#chars.slice(this.#at, closing).join("");
    if (!(isWhole ? /[(|:]\^/ : /\$|\(\?[=!]/).test(content)) return null;
    const isAnchored = this.#chars[closing + 1] === "$";
    if (!this.#isEnd(closing + (isAnchored ? 2 : 1))) return null;
    this.#at += 1;
    this.#skipGroupName();
    const group = this.#group({ isStart: isWhole, end: isAnchored ? "anchored" : place.end }, isWhole);
    if (isAnchored) this.#at += 1;
    return group;
  }

  /** The index of the parenthesis that closes the group that begins here. */
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
    throw new Unsupported();
  }

  /** Whether an alternative ends there. */
  #isEnd(at: number): boolean {
    const next = this.#chars[at];
    return next === undefined || next === "|" || next === ")";
  }

  #atom(): Language {
    const char = this.#next();
    switch (char) {
      case "(":
        this.#skipGroupName();
        return this.#group({ isStart: false, end: null });
      case "[":
        return { type: "chars", ranges: this.#charClass() };
      case ".":
        return { type: "chars", ranges: complement(lineBreaks) };
      case "\\":
        return { type: "chars", ranges: this.#escape() };
      default:
        if ("^$*+?".includes(char)) throw new Unsupported();
        return { type: "chars", ranges: [one(char)] };
    }
  }

  #skipGroupName(): void {
    if (!this.#take("?") || this.#take(":")) return;
    this.#expect("<");
    if (this.#sees("=") || this.#sees("!")) throw new Unsupported();
    while (!this.#take(">")) this.#next();
  }

  /** After its opening parenthesis. */
  #group(place: Place, isWhole = false): Language {
    this.#depth += 1;
    if (this.#depth > deepestGroups) throw new NestedTooDeeply();
    const group = this.#alternatives(place, isWhole);
    this.#expect(")");
    this.#depth -= 1;
    return group;
  }

  #starts(word: string): boolean {
    return Array.from(word).every((char, index) => this.#chars[this.#at + index] === char);
  }

  #quantified(part: Language): Language {
    const bounds = this.#bounds();
    if (bounds === null) return part;
    // A lazy repetition matches the same texts.
    this.#take("?");
    const [min, max] = bounds;
    if (min > maxRepeats) throw new Unsupported();
    return {
      type: "repeat",
      part,
      min,
      max: max === undefined ? undefined : Math.max(min, Math.min(max, maxRepeats)),
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
    if (/[0-9A-Za-z]/.test(char)) throw new Unsupported();
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

  /** Half of a surrogate pair is not a character. */
  #code(hex: string): CodeRange[] {
    const code = /^[0-9a-fA-F]{1,6}$/.test(hex) ? Number.parseInt(hex, 16) : NaN;
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) throw new Unsupported();
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
    if (!this.#take(char)) throw new Unsupported();
  }

  #next(): string {
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new Unsupported();
    return char;
  }
}
