/** Schemas as zod 4, the AI SDK, the OpenAI SDK and Pydantic write them: all accepted, and what is written is valid. */
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { zodSchema } from "ai";
import { zodResponseFormat } from "openai/helpers/zod";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isDeep } from "../../../../test/support/depth.js";
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

const texts = isDeep ? 25 : 2;

/** Random texts of its grammar that are not valid. */
function invalidTexts(schema: Schema, strict: boolean): string[] {
  const walker = new GrammarWalker(schemaGrammar(schema, { strict }));
  const isValid = validatorOf(schema);
  const written = Array.from({ length: texts }, (_, seed) => walker.text(seed));
  return written.filter((text) => !isValid(JSON.parse(text)));
}

/** What of it is refused, or written so that it is not valid. */
function offenders(schemas: Iterable<readonly [name: string, schema: Schema]>, strict: boolean): string[] {
  return [...schemas].flatMap(([name, schema]) => {
    try {
      return invalidTexts(schema, strict).map((text) => `${name}: ${JSON.stringify(schema)} → ${text}`);
    } catch (error) {
      return [`${name}: ${String(error)}`];
    }
  });
}

/** As a client sends it. */
const sent = (schema: unknown): Schema => JSON.parse(JSON.stringify(schema)) as Schema;
const unrepresentable = { unrepresentable: "any" } as const;

const zodEntries = sampleOf(Object.entries(zodZoo));
const pydanticEntries = sampleOf(Object.entries(pydanticZoo));

/** All of them in the deep suite. */
function sampleOf<T>(all: T[]): T[] {
  return isDeep ? all : all.filter((_, index) => index % 8 === 0);
}

const encodings: Record<string, (type: z.ZodType) => unknown> = {
  "zod's": (type) => z.toJSONSchema(type, unrepresentable),
  "zod's, inside others": (type) =>
    z.toJSONSchema(z.object({ value: type, more: z.array(type) }), unrepresentable),
  "zod's of what is put in": (type) =>
    z.toJSONSchema(z.object({ value: type }), { ...unrepresentable, io: "input" }),
  "zod's in draft 7, with shared parts": (type) =>
    z.toJSONSchema(z.object({ first: type, second: type.optional() }), {
      ...unrepresentable,
      target: "draft-7",
      reused: "ref",
    }),
};

describe.each([false, true])("with strict %s", (strict) => {
  it.each(Object.entries(encodings))("%s encoding is followed", (_, encode) => {
    const schemas = zodEntries.map(([name, type]) => [name, sent(encode(type))] as const);
    expect(offenders(schemas, strict)).toEqual([]);
  });

  it("Pydantic's encoding is followed", () => {
    expect(offenders(pydanticEntries, strict)).toEqual([]);
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

  it("the AI SDK's is followed", async () => {
    const schemas = await Promise.all(
      representable.map(async ([name, type]) => {
        return [name, sent(await zodSchema(z.object({ value: type })).jsonSchema)] as const;
      }),
    );
    expect(offenders(schemas, true)).toEqual([]);
  });

  it("the OpenAI SDK's is followed, where it has one", () => {
    const encoded = representable.flatMap(([name, type]) => {
      try {
        return [{ ...zodResponseFormat(z.object({ value: type }), "reply").json_schema, name }];
      } catch {
        return [];
      }
    });
    expect(encoded.length).toBeGreaterThan(zodEntries.length / 2);
    const wrong = encoded.flatMap(({ name, schema, strict }) =>
      offenders([[name, sent(schema)]], strict ?? false),
    );
    expect(wrong).toEqual([]);
  });
});

it("has as many of each as it was promised to have", () => {
  expect(Object.keys(zodZoo).length).toBeGreaterThanOrEqual(116);
  expect(Object.keys(pydanticZoo).length).toBeGreaterThanOrEqual(70);
});
