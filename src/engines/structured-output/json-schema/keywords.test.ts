import { describe, expect, it } from "vitest";
import { schemaGrammar } from "./compile.js";
import { keywords, type Keyword } from "./keywords.js";
import { SchemaError } from "./schema.js";

type Schema = Record<string, unknown>;

/** For each keyword a schema to which it makes a difference. */
const examples: Record<Keyword, Schema> = {
  type: { type: "integer" },
  nullable: { type: "string", nullable: true },
  enum: { enum: [1, 2] },
  const: { const: { a: [null] } },
  $ref: { $ref: "#/$defs/a", $defs: { a: { type: "null" } } },
  allOf: { allOf: [{ type: "string" }, { maxLength: 3 }] },
  anyOf: { anyOf: [{ type: "string" }, { type: "null" }] },
  oneOf: { oneOf: [{ type: "string" }, { type: "null" }] },
  not: { type: "object", properties: { a: { type: "null" }, b: { not: {} } } },
  if: { type: "string", if: { minLength: 3 }, then: { pattern: "a" } },
  $dynamicRef: { type: "string", $dynamicRef: "#a" },
  $recursiveRef: { type: "string", $recursiveRef: "#" },
  properties: { type: "object", properties: { a: { type: "null" } } },
  required: { type: "object", required: ["a"] },
  additionalProperties: { type: "object", additionalProperties: { type: "null" } },
  patternProperties: { type: "object", patternProperties: { "^a": { type: "null" } } },
  propertyNames: { type: "object", propertyNames: { pattern: "^a" } },
  minProperties: { type: "object", minProperties: 1 },
  maxProperties: { type: "object", maxProperties: 2 },
  unevaluatedProperties: { type: "object", unevaluatedProperties: false },
  dependentRequired: { type: "object", dependentRequired: { a: ["b"] } },
  dependentSchemas: { type: "object", dependentSchemas: { a: { required: ["b"] } } },
  dependencies: { type: "object", dependencies: { a: ["b"] } },
  items: { type: "array", items: { type: "null" } },
  prefixItems: { type: "array", prefixItems: [{ type: "null" }] },
  additionalItems: { type: "array", items: [{ type: "null" }], additionalItems: false },
  minItems: { type: "array", minItems: 1 },
  maxItems: { type: "array", maxItems: 2 },
  uniqueItems: { type: "array", items: { enum: [1, 2] }, uniqueItems: true },
  unevaluatedItems: { type: "array", prefixItems: [{ type: "null" }], unevaluatedItems: false },
  contains: { type: "array", contains: { type: "null" } },
  minContains: { type: "array", minContains: 2 },
  maxContains: { type: "array", maxContains: 2 },
  pattern: { type: "string", pattern: "^a" },
  format: { type: "string", format: "date" },
  minLength: { type: "string", minLength: 2 },
  maxLength: { type: "string", maxLength: 2 },
  minimum: { type: "integer", minimum: 3 },
  maximum: { type: "integer", maximum: 3 },
  exclusiveMinimum: { type: "number", exclusiveMinimum: 3 },
  exclusiveMaximum: { type: "number", exclusiveMaximum: 3 },
  multipleOf: { type: "integer", multipleOf: 5 },
};

/** The schema without the keyword, wherever it stands in it. */
function without(schema: unknown, keyword: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => without(item, keyword));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => name !== keyword)
      .map(([name, value]) => [name, without(value, keyword)]),
  );
}
const lean = (schema: Schema, keyword: string) => schemaGrammar(without(schema, keyword) as Schema);

const rows = Object.entries(keywords).map(([name, facts]) => ({ name: name as Keyword, ...facts }));

describe("the table of keywords", () => {
  it.each(rows.filter(({ enforced }) => enforced !== "no"))("is right that $name is enforced", ({ name }) => {
    const schema = examples[name];
    expect(schemaGrammar(schema, { strict: true })).not.toBe(lean(schema, name));
    expect(schemaGrammar(schema)).toBe(schemaGrammar(schema, { strict: true }));
  });

  it.each(rows.filter(({ enforced }) => enforced === "no"))(
    "is right that $name is not",
    ({ name, instead }) => {
      const schema = examples[name];
      expect(schemaGrammar(schema)).toBe(lean(schema, name));
      try {
        schemaGrammar(schema, { strict: true });
        expect.fail("it was accepted");
      } catch (error) {
        if (!(error instanceof SchemaError)) throw error;
        expect(error.path).toEqual([name]);
        expect(error.reason).toBe(`this cannot be enforced with 'strict'; ${instead ?? ""}`);
      }
    },
  );
});
