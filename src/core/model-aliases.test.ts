import { describe, expect, it } from "vitest";
import { matches, ModelNames, readAliases } from "./model-aliases.js";

describe("a pattern", () => {
  it.each([
    ["gpt-*", "gpt-4o", true],
    ["gpt-*", "gpt-", true],
    ["gpt-*", "gpt", false],
    ["gpt-*", "my-gpt-4o", false],
    ["*", "", true],
    ["*-mini", "gpt-5-mini", true],
    ["*-mini", "gpt-5-mini-2", false],
    ["ab*ba", "aba", false],
    ["ab*ba", "abba", true],
    ["a*b*c", "a--b--c", true],
    ["a*b*c", "a--c", false],
    ["a*bc*c", "abc", false],
    ["a*b*b", "ab", false],
    ["a.c", "abc", false],
    ["gpt-*", "GPT-4", false],
    ["*", "x".repeat(201), false],
  ])("%s and %s: %s", (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });
});

describe("a name", () => {
  const names = new ModelNames([
    { name: "*", model: "lambda" },
    { name: "gpt-4o", model: "prism" },
  ]);

  it("of a model always means itself", () => {
    expect(["omega", "prism", "lambda"].map((name) => names.find(name))).toEqual([
      "omega",
      "prism",
      "lambda",
    ]);
  });

  it("that is exact comes before any pattern", () => {
    expect(names.find("gpt-4o")).toBe("prism");
    expect(names.find("gpt-4")).toBe("lambda");
  });

  it("goes to the first pattern that matches", () => {
    const ordered = new ModelNames([
      { name: "gpt-5*", model: "omega" },
      { name: "gpt-*", model: "prism" },
    ]);
    expect(ordered.find("gpt-5-mini")).toBe("omega");
    expect(ordered.find("gpt-4")).toBe("prism");
    expect(ordered.find("other")).toBeUndefined();
    expect(() => ordered.require("other")).toThrow(expect.objectContaining({ code: "model_not_found" }));
  });

  it("that is exact can be listed, a pattern cannot", () => {
    expect(names.exact).toEqual([{ name: "gpt-4o", model: "prism" }]);
  });
});

it("takes at most 100 aliases", () => {
  const pairs = Array.from({ length: 101 }, (_, index) => [`name-${index}`, "omega"] as const);
  expect(readAliases(pairs.slice(1))).toHaveProperty("aliases.length", 100);
  expect(readAliases(pairs)).toEqual({ problem: "may hold at most 100 aliases" });
});
