/**
 * Strings. Of a pattern and a format beside it the pattern is enforced, since it is the one that was written for the
 * purpose; the format stands in where the pattern is one that no grammar follows. Lengths are enforced together with
 * either where that stays small, and dropped where it does not.
 */
import { repeat, type Expression } from "../gbnf.js";
import { formatPattern } from "./formats.js";
import * as json from "../json-text.js";
import { Allowance, asExpression, asRules, type Language } from "./language.js";
import { countsAt, type Parts } from "../parts.js";
import { isCostly } from "./pattern-cost.js";
import { anyWritten, readPattern } from "./pattern.js";
import { All, SchemaError, type Path, type Schema } from "../schema.js";

/** In all patterns of a schema together. */
const mostPatternChars = 10_000;
const stepsPerPatternChar = 20;
/** Longer ones are enforced as they are, or not at all. */
const mostCombinedChars = 1_000;

export class Strings {
  /** Strings that were asked for before, by all that is asked of them. */
  readonly #known = new Map<string, Expression>();
  readonly #allowance: Allowance;
  #patternChars = 0;

  constructor(private readonly parts: Parts) {
    this.#allowance = new Allowance(parts.work);
  }

  of(schema: Schema, path: Path): Expression {
    const { grammar, strictness } = this.parts;
    const [min, max] = countsAt(schema, "minLength", "maxLength", path, strictness);
    const patterns = textsAt(schema, "pattern", path);
    const formats = textsAt(schema, "format", path).flatMap((name) => formatPattern(name) ?? []);
    const key = JSON.stringify([patterns, formats, min, max]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = `string-${this.#known.size}`;
    const content = this.#content(patterns, formats, [min, max], name, path);
    const made =
      content === null
        ? min === 0 && max === undefined
          ? json.anyString(grammar)
          : grammar.define(name, () => json.stringOf(repeat(json.anyChar(grammar), min, max)))
        : grammar.define(name, () => json.stringOf(content));
    this.#known.set(key, made);
    return made;
  }

  /** What stands between the quotes; null: anything. */
  #content(
    patterns: readonly string[],
    formats: readonly string[],
    lengths: Lengths,
    name: string,
    path: Path,
  ): Expression | null {
    const followed = patterns.flatMap((pattern) => this.#read(pattern, path) ?? []);
    // A format says what the patterns beside it say, as libraries write them.
    const isDescribed = formats.length > 0;
    if (followed.length < patterns.length && !isDescribed) this.parts.strictness.leaveOut(path, "pattern");
    if (followed.length > 0) {
      const content = this.#together(followed, lengths, name, path, !isDescribed);
      if (content !== null) return content;
    }
    const described = formats.flatMap((format) => this.#read(format, path) ?? []);
    return described.length === 0 ? null : this.#together(described, lengths, name, path, true);
  }

  /** Null for a pattern that no grammar follows. Throws for one that nobody would write. */
  #read(pattern: string, path: Path): Followed | null {
    this.#patternChars += pattern.length;
    this.parts.work.spend(Math.min(pattern.length, mostPatternChars) * stepsPerPatternChar);
    if (this.#patternChars > mostPatternChars) {
      const most = `the patterns of a schema may have ${mostPatternChars} characters together`;
      throw new SchemaError([...path, "pattern"], most);
    }
    const read = readPattern(pattern);
    if (read.type === "excessive") throw tooAmbiguous(path);
    return read.type === "language" ? { language: read.language, pattern } : null;
  }

  /**
   * All of them at once, with the lengths if that stays small. Null where they cannot be enforced; `mustBe`: throws
   * for one that is too ambiguous, rather than to let through what was written to hold others up.
   */
  #together(
    followed: readonly Followed[],
    [min, max]: Lengths,
    name: string,
    path: Path,
    mustBe: boolean,
  ): Expression | null {
    const languages = followed.map(({ language }) => language);
    const [shortest, longest] = lengthsOf({ type: "both", parts: languages });
    const isLongEnough = shortest >= min && longest <= (max ?? Infinity);
    const isSmall = followed.reduce((sum, { pattern }) => sum + pattern.length, 0) <= mostCombinedChars;
    if (!isLongEnough && isSmall) {
      const length = repeat(anyWritten, min, max);
      const rules = this.#rules([...languages, length], `${name}-of-length`);
      if (rules !== null) return rules;
    }
    const [first] = followed;
    if (first !== undefined && languages.length === 1 && asExpression(first.language) !== null) {
      return this.#unambiguous(first, path, mustBe);
    }
    const rules = isSmall ? this.#rules(languages, `${name}-all`) : null;
    if (rules !== null) return rules;
    if (mustBe) this.parts.strictness.leaveOut(path, "pattern", "this is too large to be enforced");
    const simple = followed.find(({ language }) => asExpression(language) !== null);
    return simple === undefined ? null : this.#unambiguous(simple, path, mustBe);
  }

  #rules(languages: readonly Language[], name: string): Expression | null {
    return asRules({ type: "both", parts: languages }, name, this.parts.grammar, this.#allowance);
  }

  #unambiguous({ language, pattern }: Followed, path: Path, mustBe: boolean): Expression | null {
    const bare = readPattern(pattern, true);
    const contents = [language, ...(bare.type === "language" ? [bare.language] : [])].flatMap(
      (one) => asExpression(one) ?? [],
    );
    if (contents[0] !== undefined) this.parts.grammar.announce(contents[0]);
    const content = contents.find((one) => !isCostly(one, this.parts.work));
    if (content !== undefined) return content;
    if (mustBe) throw tooAmbiguous(path);
    return null;
  }
}

type Lengths = readonly [min: number, max: number | undefined];

interface Followed {
  language: Language;
  pattern: string;
}

const tooAmbiguous = (path: Path): SchemaError =>
  new SchemaError([...path, "pattern"], "this regular expression is too ambiguous to enforce");

/** One text, several that all hold, or none. */
function textsAt(schema: Schema, keyword: "pattern" | "format", path: Path): string[] {
  const value = schema[keyword];
  if (value === undefined) return [];
  const values = value instanceof All ? value.values : [value];
  return values.map((text) => {
    if (typeof text === "string") return text;
    throw new SchemaError([...path, keyword], "expected a string");
  });
}

/** In characters. The only texts in a pattern are the backslashes before what is escaped: both are one character. */
function lengthsOf(language: Language): [shortest: number, longest: number] {
  switch (language.type) {
    case "text":
      return [0, 0];
    case "chars":
      return [1, 1];
    case "sequence":
      return language.parts
        .map(lengthsOf)
        .reduce((sum, [shortest, longest]) => [sum[0] + shortest, sum[1] + longest], [0, 0]);
    case "choice": {
      const all = language.options.map(lengthsOf);
      return [least(all.map(([shortest]) => shortest)), most(all.map(([, longest]) => longest))];
    }
    case "repeat": {
      const [shortest, longest] = lengthsOf(language.part);
      if (longest === 0 || language.max === 0) return [0, 0];
      return [shortest * language.min, language.max === undefined ? Infinity : longest * language.max];
    }
    case "both": {
      const all = language.parts.map(lengthsOf);
      return [most(all.map(([shortest]) => shortest)), least(all.map(([, longest]) => longest))];
    }
    case "except":
    case "rule":
      return [0, Infinity];
  }
}

const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b), Infinity);
const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);
