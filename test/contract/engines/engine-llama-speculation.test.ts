/** Whatever is guessed, replies are those of an engine that guesses nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config.js";
import type { Generation } from "../../../src/core/serving/engine-port.js";
import { testDefaults } from "../../support/engines/model-defaults.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { type TinyModel, writeTinyGguf } from "../../support/engines/tiny-gguf.js";
import { generationOf, greedy, replyTo } from "./engine-contract.js";

const { engine: defaults } = loadConfig({ env: {} });
const omega = { ...testDefaults, repeatPenalty: 1 };
const start = (speculation: "on" | "off", draft?: string) =>
  startTinyEngine(
    {},
    {
      config: { ...defaults, threads: 1, sequences: 2, contextTokens: 512, speculation },
      models: { omega },
      draft,
    },
  );

const place = {
  type: "object",
  properties: {
    town: { type: "string", maxLength: 6 },
    inhabitants: { type: "integer" },
    open: { const: true },
  },
  required: ["town", "inhabitants", "open"],
  additionalProperties: false,
};
const places = {
  type: "json_schema",
  name: "places",
  schema: {
    type: "object",
    properties: { places: { type: "array", items: place, minItems: 3, maxItems: 4 } },
    required: ["places"],
    additionalProperties: false,
  },
  strict: true,
} as const;

const drafts: [name: string, draft: TinyModel | undefined][] = [
  ["speculation", undefined],
  ["a draft model that says the same", {}],
  ["a draft model that says something else", { seed: 2 }],
];

describe.each(drafts)("%s", (_, draft) => {
  const folder = mkdtempSync(join(tmpdir(), "sotto-draft-"));
  let guessing: TinyEngine;
  let plain: TinyEngine;
  beforeAll(async () => {
    const file = join(folder, "draft.gguf");
    if (draft !== undefined) writeTinyGguf(file, draft);
    [guessing, plain] = [start("on", draft && file), start("off")];
    await Promise.all([guessing.engine.ready(), plain.engine.ready()]);
  });
  afterAll(async () => {
    await Promise.all([guessing.dispose(), plain.dispose()]);
    rmSync(folder, { recursive: true });
  });

  const questions = ["Again and again and again.", "one two three one two three one two", "What is new?"];
  const cases: [name: string, changes: Partial<Generation>][] = [
    ["the likeliest tokens", {}],
    ["a random reply of one seed", { sampling: { ...greedy, temperature: 0.3, seed: 7 } }],
    ["a nucleus", { sampling: { ...greedy, temperature: 0.5, topP: 0.7, seed: 9 } }],
    ["a penalty on repetition", { sampling: { ...greedy, frequencyPenalty: 0.5 } }],
    ["log probabilities", { topLogprobs: 2 }],
    ["a stop sequence", { stop: ["e", "9"] }],
    ["any object", { format: { type: "json_object" } }],
    ["a schema", { format: places }],
    ["a schema with log probabilities", { format: places, topLogprobs: 2 }],
    ["a schema and a stop sequence", { format: places, stop: ['bitants": 1', "true}, {"] }],
  ];
  it.each(cases)("gives %s as without", async (_name, changes) => {
    for (const question of draft === undefined ? questions : questions.slice(0, 1)) {
      const generation = generationOf(question, { maxTokens: 120, ...changes });
      const expected = await replyTo(plain.engine, generation);
      // The second starts from what the first has computed.
      for (let turn = 0; turn < 2; turn++) {
        const { text, finishReason, logprobs, usage } = await replyTo(guessing.engine, generation);
        expect({ text, finishReason }).toEqual({ text: expected.text, finishReason: expected.finishReason });
        expect(usage.completionTokens).toBe(expected.usage.completionTokens);
        expect(logprobs.map(({ token }) => token)).toEqual(expected.logprobs.map(({ token }) => token));
      }
    }
  });
});
