import { describe, expect, it } from "vitest";
import { GrammarWalker } from "../../../../../test/support/inputs/grammar-walker.js";
import { Grammar } from "../../gbnf.js";
import { Work } from "../parts.js";
import { Automata, type Language } from "./automaton.js";
import { readPattern } from "./pattern.js";

/** The grammar of texts that all patterns match; null where there is none, or it would be too large. */
function grammarOf(patterns: readonly string[]): string | null {
  const parts = patterns.map((pattern): Language => {
    const language = readPattern(pattern);
    if (language === null) throw new Error(`${pattern} is not supported`);
    return language;
  });
  const grammar = new Grammar();
  const rules = new Automata(grammar, new Work()).rulesOf({ type: "intersection", parts }, "test");
  return rules === null ? null : grammar.toText(rules);
}

function textsOf(patterns: readonly string[]): string[] {
  const walker = new GrammarWalker(grammarOf(patterns) ?? "");
  return Array.from({ length: 60 }, (_, seed) => JSON.parse(`"${walker.text(seed)}"`) as string);
}

describe("texts that match several patterns", () => {
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
    const texts = textsOf(patterns);
    expect(new Set(texts).size).toBeGreaterThanOrEqual(different);
    for (const text of texts) {
      for (const pattern of patterns) expect(text).toMatch(new RegExp(pattern, "u"));
    }
  });

  it("do not exist where the patterns exclude each other", () => {
    expect(grammarOf(["^a+$", "^b+$"])).toBeNull();
  });

  it.each([
    // One state for each subset of the last thirty characters.
    "^[ab]*a[ab]{30}$",
    "^([a-z]{0,9} ){0,300}$",
    ".*.".repeat(300),
    `${"a?".repeat(4_000)}b`,
    `(${"ab".repeat(2_000)}){3}`,
  ])("have no rules where they would be too large: %s", (pattern) => {
    expect(grammarOf([pattern])).toBeNull();
  });

  it.each(["(?<=a)b", "a\\b", "(a)\\1", "\\p{L}", "(?=a)?b", "(a(?=b))*c", "["])(
    "are not known for what is not supported: %s",
    (pattern) => {
      expect(readPattern(pattern)).toBeNull();
    },
  );
});

describe("the rules of a pattern", () => {
  it.each([
    "(.?){64}x",
    "(a|ab|b|ba|aa|bb|.)*".repeat(40),
    `^${"a?".repeat(60)}a{60}$`,
    `^x{900}${"a?".repeat(20)}a{20}$`,
    "^(a|a|a|a|a)*$",
    "^\\w*\\d{0,100}$",
  ])("are deterministic, however ambiguous it is: %s", (pattern) => {
    const lines = (grammarOf([pattern]) ?? "").trimEnd().split("\n");
    const rules = new Map(lines.map((line) => line.split(" ::= ") as [string, string]));
    const states = [...rules].filter(([name]) => name.startsWith("test-"));
    expect(states.length).toBeGreaterThan(0);
    for (const [name, content] of states) {
      const options = content.slice(1, -1).split(" | ");
      const firsts = options
        .filter((option) => option !== '""')
        .map((option) => /^\(+(\[[^\]]*\]|[\w-]+)/.exec(option)?.[1] ?? "")
        .map((first) => rules.get(first) ?? first);
      const ranges = firsts.flatMap(plainRanges).sort(([a], [b]) => a - b);
      expect(ranges.length).toBeGreaterThanOrEqual(firsts.length);
      for (const [index, [first]] of ranges.entries()) {
        expect(first, `${name} of ${pattern}`).toBeGreaterThan(ranges[index - 1]?.[1] ?? -1);
      }
    }
  });
});

/** The ranges of the first class in what is printed, which holds the characters that are not escaped. */
function plainRanges(printed: string): [first: number, last: number][] {
  const [characters = ""] = /\[[^\]]*\]/.exec(printed) ?? [];
  const ranges = characters.matchAll(/\\[xuU]([0-9A-F]+)(?:-\\[xuU]([0-9A-F]+))?/g);
  return Array.from(ranges, ([, first = "", last = first]) => [
    Number.parseInt(first, 16),
    Number.parseInt(last, 16),
  ]);
}
