import { describe, expect, it } from "vitest";
import { highlight, type Language } from "./highlight.ts";

const samples: Record<Language, string> = {
  bash: `curl http://localhost/v1 \\\n  -H "Authorization: Bearer $KEY" # say it\n  -d '{"a": 1}'`,
  python: `from openai import OpenAI\nprint("it's", 1.5) # done`,
  javascript: 'const text = `a ${1}`; // note\nawait client.chat("\\"quoted\\"");',
  go: 'package main\n\nfunc main() {\n\tfmt.Println("hello", 1.5) // done\n}',
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

  it("leaves a # inside a word alone", () => {
    expect(highlight("curl http://host/setup#token", "bash").some((token) => token.kind === "comment")).toBe(
      false,
    );
  });
});
