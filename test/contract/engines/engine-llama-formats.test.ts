import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadConfig } from "../../../src/config.js";
import { pydanticZoo } from "../../support/inputs/pydantic-zoo.js";
import { randomSchemas } from "../../support/inputs/random-schemas.js";
import { zodZoo } from "../../support/inputs/zod-zoo.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { generationOf, greedy, never, replyTo } from "./engine-contract.js";

const { engine: config } = loadConfig({ env: {} });

const manyProperties = Object.fromEntries(
  Array.from({ length: 3000 }, (_, index) => [`p${index}`, { type: "null" }]),
);

/** As strict about values as it can be, and not about how schemas are written. */
function newValidator() {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  // A CommonJS module whose types say otherwise.
  const addFormats = "default" in formats ? formats.default : formats;
  addFormats(ajv);
  return ajv;
}

describe("replies in a format, from a model that says anything", () => {
  let tiny: TinyEngine;
  beforeAll(async () => {
    tiny = startTinyEngine(
      { says: "anything", loudness: 0.3, contextTokens: 4096 },
      { config: { ...config, sequences: 8, contextTokens: 4096 } },
    );
    await tiny.engine.ready();
  });
  afterAll(() => tiny.dispose());

  const sampling = (seed: number) => ({ ...greedy, temperature: 1, topPGiven: true, seed });
  const inSchema = (schema: Record<string, unknown>, seed: number) =>
    replyTo(
      tiny.engine,
      generationOf("Go.", {
        sampling: sampling(seed),
        maxTokens: 3000,
        format: { type: "json_schema", name: "test", schema },
      }),
    );

  it("follow random schemas", async () => {
    const next = randomSchemas(5);
    const schemas = Array.from({ length: 160 }, next);
    const cut: string[] = [];
    for (let at = 0; at < schemas.length; at += 8) {
      const batch = schemas.slice(at, at + 8);
      const replies = await Promise.all(batch.map((schema, index) => inSchema(schema, at + index)));
      replies.forEach(({ text, finishReason }, index) => {
        if (finishReason === "length") {
          cut.push(text);
          return;
        }
        const validator = newValidator();
        const isValid = validator.validate(batch[index] ?? {}, JSON.parse(text));
        expect(isValid, `${JSON.stringify(batch[index])} → ${text}: ${validator.errorsText()}`).toBe(true);
      });
    }
    expect(cut.length).toBeLessThan(8);
  }, 300_000);

  it.each<[string, Record<string, unknown>]>([
    ["a long list", { type: "array", items: { type: "integer" }, maxItems: 1000 }],
    ["a list that must be long", { type: "array", items: { type: "null" }, minItems: 300, maxItems: 1000 }],
    ["a string that must be long", { type: "string", minLength: 500, maxLength: 1000 }],
    ["a pattern that repeats what repeats", { type: "string", pattern: "^([a-z]{0,9} ){0,100}$" }],
    ["optional parts in optional parts", { type: "string", pattern: "^((a*)*)*b$" }],
  ])("follow %s", async (_, schema) => {
    const { text, finishReason } = await inSchema(schema, 1);
    expect(finishReason).toBe("stop");
    expect(newValidator().validate(schema, JSON.parse(text))).toBe(true);
  });

  it("are objects for json_object", async () => {
    let ended = 0;
    for (let seed = 0; seed < 30; seed++) {
      const format = { type: "json_object" } as const;
      const generation = generationOf("Go.", { sampling: sampling(seed), maxTokens: 300, format });
      const { text, finishReason } = await replyTo(tiny.engine, generation);
      expect(text.startsWith("{")).toBe(true);
      if (finishReason === "length") continue;
      ended += 1;
      expect(JSON.parse(text)).toBeTypeOf("object");
    }
    expect(ended).toBeGreaterThan(3);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["an enum without values", { enum: [] }, ".enum"],
    ["bounds that exclude each other", { type: "integer", minimum: 5, maximum: 4 }, ".minimum"],
    ["lengths that exclude each other", { type: "string", minLength: 5, maxLength: 4 }, ".minLength"],
    [
      "a pattern of groups in groups",
      { type: "string", pattern: `${"(".repeat(60)}x${")".repeat(60)}` },
      ".pattern",
    ],
    ["a reference to nowhere", { $ref: "#/$defs/none" }, ".$ref"],
    [
      "a required property that is forbidden",
      { required: ["a"], additionalProperties: false, type: "object" },
      "",
    ],
    [
      "a value that must contain itself",
      { type: "object", properties: { a: { $ref: "#" } }, required: ["a"] },
      "",
    ],
    ["a type that does not exist", { type: "date" }, ".type"],
    ["too much", { type: "object", properties: manyProperties }, ""],
  ])("are refused for %s", async (_, schema, place) => {
    const generation = generationOf("Go.", { format: { type: "json_schema", name: "test", schema } });
    await expect(tiny.engine.prepare(generation, never())).rejects.toMatchObject({
      code: "invalid_value",
      param: `response_format.json_schema.schema${place}`,
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a keyword that is not enforced", { properties: { a: { contains: {} } } }, ".properties[0].contains"],
    ["a pattern that looks behind", { type: "string", pattern: "(?<=a)b" }, ".pattern"],
    [
      "alternatives that overlap",
      { oneOf: [{ type: "string" }, { type: "string", maxLength: 3 }] },
      ".oneOf",
    ],
  ])("are refused with strict, and follow the rest without, for %s", async (_, schema, place) => {
    const format = { type: "json_schema", name: "test", schema } as const;
    const strict = generationOf("Go.", { format: { ...format, strict: true } });
    await expect(tiny.engine.prepare(strict, never())).rejects.toMatchObject({
      code: "invalid_value",
      param: `response_format.json_schema.schema${place}`,
    });
    await tiny.engine.prepare(generationOf("Go.", { format }), never());
  });

  it("follow what zod and Pydantic write", async () => {
    const names = [
      "an order",
      "starts and ends with",
      "regex with look-ahead",
      "price in steps",
      "multiple of 7",
    ];
    const more = [
      "record by enum",
      "discriminated union",
      "tuple with rest",
      "ipv6",
      "email with both",
      "recursive",
    ];
    const ofZod = [...names, ...more].map(
      (name) => z.toJSONSchema(zodZoo[name] ?? z.never()) as Record<string, unknown>,
    );
    const models = ["Decimal", "set[Enum]", "recursive model", "timedelta", "dict[UUID, int]"];
    const schemas = [...ofZod, ...models.map((name) => pydanticZoo[name] ?? {})];
    let ended = 0;
    for (const [seed, schema] of schemas.entries()) {
      const { text, finishReason } = await inSchema({ ...schema }, seed);
      if (finishReason === "length") continue;
      ended += 1;
      const validator = new Ajv2020({ strict: false, allErrors: true, multipleOfPrecision: 6 });
      expect(validator.validate(schema, JSON.parse(text)), `${text}: ${validator.errorsText()}`).toBe(true);
    }
    expect(ended).toBeGreaterThan(8);
  });
});
