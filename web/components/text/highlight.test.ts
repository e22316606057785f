import { describe, expect, it } from "vitest";
import { highlight, languageOf, type Language } from "./highlight.ts";

const samples: Record<Language, string> = {
  bash: `curl http://localhost/v1 \\\n  -H "Authorization: Bearer $KEY" # say it\n  -d '{"a": 1}'`,
  python: `from openai import OpenAI\nprint("it's", 1.5) # done`,
  javascript: 'const text = `a ${1}`; // note\nawait client.chat("\\"quoted\\"");',
  go: 'package main\n\nfunc main() {\n\tfmt.Println("hello", 1.5) // done\n}',
  sql: "SELECT name, 'it''s' FROM users -- all\nWHERE id = 4 /* one */ and left_at is null;",
  json: `{"name": "value", "count": -1.5, "ok": true}`,
  yaml: `# mine\nmodels:\n  - name: Sotto omega\n    apiBase: "http://x/v1" # here\n    maxTokens: 4096`,
  toml: `model = "omega" # best\n[model_providers.sotto]\nsize = 4096`,
  http: `HTTP/1.1 429 Too Many Requests\nretry-after: 12`,
  text: `anything "at all" # here`,
};

describe("highlight", () => {
  it.each(Object.entries(samples))("changes no character of %s", (language, code) => {
    const tokens = highlight(code, language as Language);
    expect(tokens.map((token) => token.text).join("")).toBe(code);
  });

  it("tells a key of an object from a string", () => {
    const words = highlight(samples.json, "json").filter((token) => token.kind === "word");
    expect(words.map((token) => token.text)).toEqual(['"name"', '"count"', '"ok"', "true"]);
  });

  it.each([
    ["yaml", ["models", "  - name", "    apiBase", "    maxTokens"]],
    ["toml", ["model", "[model_providers.sotto]", "size"]],
  ] as const)("finds the keys of %s, and a comment", (language, keys) => {
    const tokens = highlight(samples[language], language);
    expect(tokens.filter(({ kind }) => kind === "word").map(({ text }) => text)).toEqual(keys);
    expect(tokens.filter(({ kind }) => kind === "comment").at(-1)?.text).toMatch(/^# (?:here|best)$/);
  });

  it("knows the words of Go and SQL, in either case, and comments of both kinds", () => {
    const of = (language: Language, kind: string) =>
      highlight(samples[language], language)
        .filter((token) => token.kind === kind)
        .map(({ text }) => text);
    expect(of("go", "word")).toEqual(["package", "func"]);
    expect(of("sql", "word")).toEqual(["SELECT", "FROM", "WHERE", "and", "is", "null"]);
    expect(of("sql", "comment")).toEqual(["-- all", "/* one */"]);
    expect(of("sql", "string").join("")).toBe("'it''s'");
  });

  it.each([
    ["golang", "go", "Go"],
    ["SQL", "sql", "SQL"],
    ["tsx", "javascript", "TypeScript"],
    ["c++", "text", "c++"],
    ["constructor", "text", "constructor"],
  ])("calls a fence of %s by its language", (fence, language, title) => {
    expect(languageOf(fence)).toEqual({ language, title });
  });

  it("leaves a # inside a word alone", () => {
    expect(highlight("curl http://host/setup#token", "bash").some((token) => token.kind === "comment")).toBe(
      false,
    );
  });
});
