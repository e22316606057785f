/**
 * Strings. Of a pattern and a format beside it the pattern is enforced, since it is the more specific; the format is
 * enforced where the pattern cannot be. Lengths are enforced together with either where that stays small, and dropped
 * where it does not.
 */
import { repeat, type Expression } from "../../gbnf.js";
import * as json from "../json-text.js";
import { countsAt, type Parts } from "../parts.js";
import { All, SchemaError, type Path, type Schema } from "../schema.js";
import { Automata, type Language } from "./automaton.js";
import { formatPattern } from "./formats.js";
import { anyCharacter, NestedTooDeeply, readPattern } from "./pattern.js";

/** In all patterns of a schema together. */
const maxPatternChars = 10_000;
const stepsPerPatternChar = 20;
/** Of a pattern together with a length. */
const maxStatesWithLength = 1000;

const tooLarge = "this is too large to be enforced";

export class Strings {
  /** By all that is required of a string. */
  readonly #known = new Map<string, Expression>();
  readonly #automata: Automata;
  #patternChars = 0;

  constructor(private readonly parts: Parts) {
    this.#automata = new Automata(parts.grammar, parts.work);
  }

  of(schema: Schema, path: Path): Expression {
    const { grammar } = this.parts;
    const lengths = countsAt(schema, "minLength", "maxLength", path, this.parts);
    const patterns = textsAt(schema, "pattern", path);
    const formats = textsAt(schema, "format", path).flatMap((name) => formatPattern(name) ?? []);
    const key = JSON.stringify([patterns, formats, lengths]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = `string-${this.#known.size}`;
    const [min, max] = lengths;
    const isAny = patterns.length === 0 && formats.length === 0 && min === 0 && max === undefined;
    const content = this.#content(patterns, formats, lengths, name, path);
    const string = isAny
      ? json.anyString(grammar)
      : grammar.define(name, () => json.stringOf(content ?? repeat(json.anyChar(grammar), min, max)));
    this.#known.set(key, string);
    return string;
  }

  /** What is between the quotes; null: anything. */
  #content(
    patterns: readonly string[],
    formats: readonly string[],
    lengths: Lengths,
    name: string,
    path: Path,
  ): Expression | null {
    const languages = this.#read(patterns, path);
    const content = this.#matching(languages, lengths, name);
    // A format beside patterns means the same as they do, as libraries write them.
    if (patterns.length > 0 && formats.length === 0) {
      if (languages.length < patterns.length) this.parts.leaveOut(path, "pattern");
      else if (content?.isComplete !== true) this.parts.leaveOut(path, "pattern", tooLarge);
    }
    if (content !== null || formats.length === 0) return content?.expression ?? null;
    const described = this.#matching(this.#read(formats, path), lengths, name);
    if (described === null) this.parts.leaveOut(path, "format", tooLarge);
    return described?.expression ?? null;
  }

  #read(patterns: readonly string[], path: Path): Language[] {
    return patterns.flatMap((pattern) => {
      this.#patternChars += pattern.length;
      this.parts.work.spend(Math.min(pattern.length, maxPatternChars) * stepsPerPatternChar);
      if (this.#patternChars > maxPatternChars) {
        const most = `the patterns of a schema may have ${maxPatternChars} characters together`;
        throw new SchemaError([...path, "pattern"], most);
      }
      try {
        return readPattern(pattern) ?? [];
      } catch (error) {
        if (!(error instanceof NestedTooDeeply)) throw error;
        throw new SchemaError([...path, "pattern"], "its groups are nested too deeply");
      }
    });
  }

  /** As much of it as stays small: all of them with the lengths, all of them, or one of them. */
  #matching(
    languages: readonly Language[],
    [min, max]: Lengths,
    name: string,
  ): { expression: Expression; isComplete: boolean } | null {
    if (languages.length === 0) return null;
    const all = (parts: readonly Language[]): Language => ({ type: "intersection", parts });
    if (min > 0 || max !== undefined) {
      const length: Language = { type: "repeat", part: anyCharacter, min, max };
      const both = all([...languages, length]);
      const expression = this.#automata.rulesOf(both, name, maxStatesWithLength);
      if (expression !== null) return { expression, isComplete: true };
    }
    const expression = this.#automata.rulesOf(all(languages), name);
    if (expression !== null) return { expression, isComplete: true };
    if (languages.length === 1) return null;
    for (const language of languages) {
      const alone = this.#automata.rulesOf(language, name);
      if (alone !== null) return { expression: alone, isComplete: false };
    }
    return null;
  }
}

type Lengths = readonly [min: number, max: number | undefined];

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
