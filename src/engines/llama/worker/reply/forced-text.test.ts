/** With the grammars of the native code. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tinyLoad, writeTinyGguf } from "../../../../../test/support/engines/tiny-gguf.js";
import { objectGrammar, schemaGrammar } from "../../../structured-output/json-schema/compile.js";
import { type LoadedModel, loadModel } from "../addon.js";
import { characterTokens, ForcedText } from "./forced-text.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-forced-text-"));
let model: LoadedModel;

beforeAll(async () => {
  const weights = join(folder, "tiny.gguf");
  writeTinyGguf(weights);
  model = await loadModel(tinyLoad(weights, { sequences: 1 }));
});
afterAll(async () => {
  await model.dispose();
  rmSync(folder, { recursive: true });
});

const gbnf = schemaGrammar(
  {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { enum: ["celsius", "fahrenheit"] },
      days: { type: "integer" },
      note: { const: 'a "b"' },
    },
    required: ["city", "unit", "days", "note"],
    additionalProperties: false,
  },
  { strict: true },
);

/** What must follow such a text. */
function forcedAfter(written: string, grammar = gbnf): string {
  const { vocabulary, grammars, facts } = model;
  const characters = characterTokens(vocabulary, facts.vocabularySize);
  const state = grammars.newState(grammar);
  const write = (char: string) => {
    const token = characters.get(char) ?? -1;
    expect(grammars.allows(state, token)).toBe(true);
    grammars.accept(state, token);
  };
  for (const char of written) write(char);
  const text = new ForcedText(grammars, grammar, characters).after(state, written);
  // Nothing has come yet: the same is found again, and may be written.
  expect(new ForcedText(grammars, grammar, characters).after(state, written)).toBe(text);
  for (const char of text) write(char);
  return text;
}

describe("forced text", () => {
  it("is what leads to the next value", () => {
    expect(forcedAfter("")).toBe('{"city": "');
    expect(forcedAfter('{"city": "Oslo"')).toBe(', "unit": "');
    expect(forcedAfter('{"ci')).toBe('ty": "');
    expect(forcedAfter('{"city": "Oslo", "unit": "c')).toBe('elsius", "days":');
    expect(forcedAfter('{"city": "Oslo", "unit": "celsius", "days": 3,')).toBe(' "note": "a \\"b\\""}');
  });

  it("has spaces where those before had them", () => {
    expect(forcedAfter('{"city":"Oslo"')).toBe(',"unit":"');
    expect(forcedAfter('{"city": "Oslo", "unit":"')).toBe("");
    expect(forcedAfter('{"city":"Oslo","unit":"f')).toBe('ahrenheit","days":');
  });

  it("ends where there is a choice, and where nothing may follow", () => {
    for (const written of ['{"city": "', '{"city": "Os', '{"city": "Oslo", "unit": "celsius", "days": 3'])
      expect(forcedAfter(written)).toBe("");
    expect(forcedAfter('{"city":"","unit":"celsius","days":3,"note":"a \\"b\\""}')).toBe("");
    expect(forcedAfter("", objectGrammar())).toBe("{");
  });

  it("is not looked for in a grammar that is too long to be copied", () => {
    expect(forcedAfter("", `${gbnf}\n${"# more\n".repeat(3000)}`)).toBe("");
  });
});
