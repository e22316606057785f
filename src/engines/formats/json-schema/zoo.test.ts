/** Schemas as zod 4, the AI SDK, the OpenAI SDK and Pydantic write them: all accepted, and what is written is valid. */
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { zodSchema } from "ai";
import { zodResponseFormat } from "openai/helpers/zod";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { GrammarWalker } from "../../../../test/support/inputs/grammar-walker.js";
import { pydanticZoo } from "../../../../test/support/inputs/pydantic-zoo.js";
import { zodZoo } from "../../../../test/support/inputs/zod-zoo.js";
import { schemaGrammar } from "./compile.js";
import { formatNames } from "./strings/formats.js";

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Without what docs/schemas.md says is not enforced: formats that it does not list, and a format beside a pattern,
 * which says the same in other words.
 */
function asEnforced(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asEnforced);
  if (!isSchema(schema)) return schema;
  const { format, ...rest } = schema;
  const isEnforced = typeof format === "string" && formatNames.includes(format) && !("pattern" in rest);
  const kept = isEnforced ? schema : rest;
  return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, asEnforced(value)]));
}

function validatorOf(schema: Schema): ValidateFunction {
  const isDraft7 = /draft-07/.test(String(schema["$schema"])) || "definitions" in schema;
  const options = {
    strict: false,
    logger: false,
    validateSchema: false,
    unicodeRegExp: !isOnlyPlain(schema),
  } as const;
  const ajv = isDraft7 ? new Ajv(options) : new Ajv2020(options);
  // A CommonJS module whose types say otherwise.
  const addFormats = "default" in addFormatsModule ? addFormatsModule.default : addFormatsModule;
  addFormats(ajv);
  // As decimal numbers: with floats, 0.07 is no multiple of 0.01.
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({ keyword: "multipleOf", type: "number", validate: isMultiple });
  return ajv.compile(asEnforced(schema) as Schema);
}

/** Whether a pattern has escapes that the Unicode mode of regular expressions refuses. */
const isOnlyPlain = (schema: Schema): boolean =>
  [...JSON.stringify(schema).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].some(([, pattern = ""]) => {
    try {
      return !(new RegExp(JSON.parse(pattern) as string, "u") instanceof RegExp);
    } catch {
      return true;
    }
  });

function isMultiple(step: number, value: number): boolean {
  const units = (number: number) => BigInt(Math.round(number * 1000));
  const isExact = Number.isSafeInteger(Math.round(value * 1000));
  return isExact
    ? units(value) % units(step) === 0n
    : BigInt(Math.trunc(value)) % BigInt(Math.ceil(step)) === 0n;
}

const texts = 25;

/** Random texts of its grammar, each of which must be valid. */
function expectValid(schema: Schema, strict: boolean): void {
  const walker = new GrammarWalker(schemaGrammar(schema, { strict }));
  const isValid = validatorOf(schema);
  for (let seed = 0; seed < texts; seed++) {
    const text = walker.text(seed);
    const value: unknown = JSON.parse(text);
    expect(isValid(value), `${JSON.stringify(schema)} → ${text}: ${JSON.stringify(isValid.errors)}`).toBe(
      true,
    );
  }
}

/** As a client sends it. */
const sent = (schema: unknown): Schema => JSON.parse(JSON.stringify(schema)) as Schema;
const unrepresentable = { unrepresentable: "any" } as const;

const zodEntries = Object.entries(zodZoo);
const pydanticEntries = Object.entries(pydanticZoo);

describe.each([false, true])("with strict %s", (strict) => {
  it.each(zodEntries)("zod's encoding is followed: %s", (_, type) => {
    expectValid(sent(z.toJSONSchema(type, unrepresentable)), strict);
    expectValid(
      sent(z.toJSONSchema(z.object({ value: type, more: z.array(type) }), unrepresentable)),
      strict,
    );
  });

  it.each(zodEntries)("zod's encoding of what is put in is followed: %s", (_, type) => {
    expectValid(sent(z.toJSONSchema(z.object({ value: type }), { ...unrepresentable, io: "input" })), strict);
  });

  it.each(zodEntries)("zod's encoding in draft 7, with shared parts, is followed: %s", (_, type) => {
    const options = { ...unrepresentable, target: "draft-7", reused: "ref" } as const;
    expectValid(sent(z.toJSONSchema(z.object({ first: type, second: type.optional() }), options)), strict);
  });

  it.each(pydanticEntries)("Pydantic's encoding is followed: %s", (_, schema) => {
    expectValid(schema, strict);
  });
});

describe("the encoders of clients", () => {
  const representable = zodEntries.filter(([, type]) => {
    try {
      z.toJSONSchema(type);
      return true;
    } catch {
      return false;
    }
  });

  it.each(representable)("the AI SDK's is followed: %s", async (_, type) => {
    const schema = await zodSchema(z.object({ value: type })).jsonSchema;
    expectValid(sent(schema), true);
  });

  it("the OpenAI SDK's is followed, where it has one", () => {
    const encoded = representable.flatMap(([, type]) => {
      try {
        return [zodResponseFormat(z.object({ value: type }), "reply").json_schema];
      } catch {
        return [];
      }
    });
    expect(encoded.length).toBeGreaterThan(80);
    for (const { schema, strict } of encoded) expectValid(sent(schema), strict ?? false);
  });
});

it("has as many of each as it was promised to have", () => {
  expect(zodEntries.length).toBeGreaterThanOrEqual(116);
  expect(pydanticEntries.length).toBeGreaterThanOrEqual(70);
});
