import { describe, expect, it } from "vitest";
import { GrammarWalker } from "../../../../../test/support/inputs/grammar-walker.js";
import { Grammar } from "../gbnf.js";
import { Work } from "../work.js";
import { Allowance, asRules, type Language } from "./language.js";
import { readPattern } from "./pattern.js";

function languageOf(pattern: string): Language {
  const read = readPattern(pattern);
  if (read.type !== "language") throw new Error(`${pattern} is ${read.type}`);
  return read.language;
}

/** Texts that all patterns match, or null where they are too much together. */
function textsOf(patterns: readonly string[]): string[] | null {
  const grammar = new Grammar();
  const both: Language = { type: "both", parts: patterns.map(languageOf) };
  const rules = asRules(both, "test", grammar, new Allowance(new Work()));
  const gbnf = rules === null ? null : grammar.toText(rules);
  if (gbnf === null) return null;
  const walker = new GrammarWalker(gbnf);
  return Array.from({ length: 60 }, (_, seed) => JSON.parse(`"${walker.text(seed)}"`) as string);
}

describe("patterns that all hold", () => {
  it.each<[string, string[], number]>([
    ["a beginning and an end", ["^ab", "yz$"], 20],
    ["something somewhere, twice", ["[0-9]", "[a-z]"], 20],
    ["one that looks ahead", ["^(?=.*\\d)(?=.*[A-Z])[A-Za-z\\d]{3,5}$"], 20],
    ["one that must not come", ["^(?!admin$|root$)[a-z]{4,5}$"], 20],
    ["one that must not come anywhere", ["^(?!.*--)[a-z-]{2,6}$"], 20],
    ["what looks ahead in the last group", ["^[+-]?(?:\\d{0,3}|(?=[\\d.]{1,4}$)\\d*\\.\\d*$)$"], 20],
    ["anchors inside a group", ["(^a|b$)"], 20],
    ["a named group", ["^(?<year>\\d{4})-\\d$"], 20],
    ["what is written with a backslash", ['^["\\\\\\n]+$', "^.{2,3}$"], 4],
  ])("are %s", (_, patterns, different) => {
    const texts = textsOf(patterns) ?? [];
    expect(new Set(texts).size).toBeGreaterThanOrEqual(different);
    for (const text of texts) {
      for (const pattern of patterns) expect(text).toMatch(new RegExp(pattern, "u"));
    }
  });

  it("are nothing where they exclude each other", () => {
    expect(textsOf(["^a+$", "^b+$"])).toBeNull();
  });

  it("are given up where they take too many rules", () => {
    const grammar = new Grammar();
    const both: Language = {
      type: "both",
      parts: ["^(?=.{1,253}$)([a-z]{1,60}\\.)*[a-z]{2,60}$", "^.{3,900}$"].map(languageOf),
    };
    expect(asRules(both, "test", grammar, new Allowance(new Work()))).toBeNull();
  });

  it.each(["(?<=a)b", "a\\b", "(a)\\1", "\\p{L}", "(?=a)?b", "(a(?=b))*c", "["])(
    "are not read: %s",
    (pattern) => {
      expect(readPattern(pattern).type).toBe("unsupported");
    },
  );
});
