/** Calls of tools by the embedded engine: the real one, on random weights, in the formats of several families. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config.js";
import type { Tooling } from "../../../src/core/chat/request.js";
import { generationOf, greedy } from "./engine-contract.js";
import { describeToolContract, eventsOf, saidIn, usageIn } from "./engine-tools-contract.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { templates } from "../../support/inputs/chat-templates.js";

const { engine: config } = loadConfig({ env: {} });
const sequences = 8;

function start(chatTemplate?: string): TinyEngine {
  return startTinyEngine(
    {
      says: "anything",
      loudness: 0.3,
      contextTokens: 4096,
      ...(chatTemplate === undefined ? {} : { chatTemplate }),
    },
    { config: { ...config, sequences, contextTokens: 4096 } },
  );
}

const families = Object.entries(templates);

describeToolContract("the embedded engine, with a template that knows no tools,", async () => {
  const tiny = start();
  await tiny.engine.ready();
  return { engine: tiny.engine, dispose: () => tiny.dispose() };
});

const strictSchema = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 1, maxLength: 20 },
    days: { type: "integer", minimum: 1, maximum: 14 },
    at: { anyOf: [{ enum: ["noon", "night"] }, { type: "null" }] },
  },
  required: ["city", "days", "at"],
  additionalProperties: false,
};
const looseSchema = { type: "object", properties: { note: { type: "string", maxLength: 30 } } };
const tools = [
  { name: "get_weather", description: "Weather.", parameters: strictSchema, strict: true },
  { name: "note", description: "A note.", parameters: looseSchema, strict: false },
];
const tooling: Tooling = { tools, choice: "required", parallel: true };
const valid = new Ajv2020({ strict: false }).compile(strictSchema);

const textOfAnyKind: unknown = expect.any(String);

/** One that a template knows, and ours. */
const manyOf = new Set<string>(["no tools", "qwen25"]);
const startsInReasoning = new Set<string>(["deepSeekR1", "deepSeekR1Distill", "miniMaxM2", "nemotronNano2"]);

describe.each([["no tools", undefined] as const, ...families])("a template with %s", (name, template) => {
  let tiny: TinyEngine;
  beforeAll(async () => {
    tiny = start(template);
    await tiny.engine.ready();
  });
  afterAll(() => tiny.dispose());

  const ask = (seed: number, changes: Partial<Tooling> = {}) =>
    eventsOf(
      tiny.engine,
      generationOf("Go.", {
        tooling: { ...tooling, ...changes },
        sampling: { ...greedy, temperature: 2, topPGiven: true, seed },
        maxTokens: 400,
      }),
    );

  it("is held to calls whose arguments parse and follow the schema, at temperature 2", async () => {
    const count = manyOf.has(name) ? 24 : sequences;
    const replies = [];
    // As many at a time as the engine has sequences: the service never gives it more.
    for (let seed = 0; seed < count; seed += sequences)
      replies.push(...(await Promise.all(Array.from({ length: sequences }, (_, next) => ask(seed + next)))));
    let finished = 0;
    for (const events of replies) {
      const { calls, text, finishReason } = saidIn(events);
      expect(text).toBe("");
      // A cut reply may end within a call.
      if (finishReason === "length") continue;
      finished += 1;
      expect(finishReason).toBe("tool_calls");
      expect(calls.length).toBeGreaterThan(0);
      for (const call of calls) {
        const given: unknown = JSON.parse(call.arguments);
        if (call.name === "get_weather") expect(valid(given) ? [] : valid.errors).toEqual([]);
        else expect(call.name).toBe("note");
      }
    }
    // Random weights that reason hardly ever stop.
    if (!startsInReasoning.has(name)) expect(finished).toBeGreaterThan(0);
  });

  it("replies with what the format describes, or calls", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string", maxLength: 8 } },
      required: ["city"],
      additionalProperties: false,
    };
    const asked = (seed: number) =>
      eventsOf(
        tiny.engine,
        generationOf("Go.", {
          tooling: { ...tooling, choice: "auto" },
          format: { type: "json_schema", name: "place", schema, strict: true },
          sampling: { ...greedy, temperature: 2, topPGiven: true, seed },
          maxTokens: 300,
        }),
      );
    for (const events of await Promise.all([1, 2, 3, 4].map(asked))) {
      const { calls, text, finishReason } = saidIn(events);
      if (finishReason === "length") continue;
      if (calls.length === 0) expect(JSON.parse(text)).toEqual({ city: textOfAnyKind });
      else for (const call of calls) expect(tools.map((tool) => tool.name)).toContain(call.name);
    }
  });

  it("says text or calls where both may come", async () => {
    const events = await ask(1, { choice: "auto" });
    expect(usageIn(events).completionTokens).toBeGreaterThan(0);
    const { calls } = saidIn(events);
    for (const call of calls) expect(tools.map(({ name }) => name)).toContain(call.name);
  });
});
