/**
 * Every keyword of JSON Schema that affects validity, and what the compiler does about it. The compiler reads
 * this table to know which keywords it leaves unenforced; `docs/schemas.md` is generated from it.
 */
export interface KeywordFacts {
  /** The kind of value that it constrains: for any other it means nothing. */
  of: "any" | "object" | "array" | "string" | "number";
  /** `partly`: `how` says where it is not, and that is decided where it is compiled. */
  enforced: "yes" | "partly" | "no";
  /** For readers of the documentation. */
  how: string;
  /** What to write where it is not enforced: the end of a refusal with `strict`. */
  instead?: string;
}

const table = {
  type: { of: "any", enforced: "yes", how: "one type or several" },
  nullable: { of: "any", enforced: "yes", how: "of OpenAPI 3.0: `null` joins the types" },
  enum: { of: "any", enforced: "yes", how: "values of any kind" },
  const: { of: "any", enforced: "yes", how: "a value of any kind" },
  $ref: {
    of: "any",
    enforced: "yes",
    how: "places in the same schema, such as `#/$defs/item` or `#`, also within themselves",
  },
  allOf: { of: "any", enforced: "yes", how: "its parts are merged" },
  anyOf: { of: "any", enforced: "yes", how: "any of the alternatives" },
  oneOf: {
    of: "any",
    enforced: "partly",
    how: "exclusive where the alternatives differ by type or by the value of a property, which is then always written; else as `anyOf`",
    instead: "write 'anyOf', or give each alternative a property with a 'const' of its own",
  },
  not: {
    of: "any",
    enforced: "partly",
    how: "only `{}`, which allows nothing",
    instead: "say what is allowed, with 'enum' or 'anyOf'",
  },
  if: { of: "any", enforced: "no", how: "nor are `then` and `else`", instead: "write the cases as 'anyOf'" },
  $dynamicRef: { of: "any", enforced: "no", how: "", instead: "use '$ref'" },
  $recursiveRef: { of: "any", enforced: "no", how: "", instead: "use '$ref'" },

  properties: { of: "object", enforced: "yes", how: "written in the order in which they are declared" },
  required: { of: "object", enforced: "yes", how: "also names that `properties` does not declare" },
  additionalProperties: {
    of: "object",
    enforced: "yes",
    how: "where no property is declared, any names with values of this schema; beside `properties`, no other names are written",
  },
  patternProperties: {
    of: "object",
    enforced: "partly",
    how: "one pattern, where no property is declared",
    instead: "declare the names in 'properties', or use one pattern and no 'properties'",
  },
  propertyNames: {
    of: "object",
    enforced: "partly",
    how: "a list of names (`enum`, `const`), or a schema for strings where no property is declared",
    instead: "declare the names in 'properties'",
  },
  minProperties: {
    of: "object",
    enforced: "partly",
    how: "with free names up to 1: beyond that, a name that is written twice counts twice",
    instead: "declare the names in 'properties'",
  },
  maxProperties: {
    of: "object",
    enforced: "partly",
    how: "unless there are too many optional properties to count",
    instead: "make properties required, or split the object",
  },
  unevaluatedProperties: { of: "object", enforced: "yes", how: "as `additionalProperties`" },
  dependentRequired: { of: "object", enforced: "no", how: "", instead: "write the cases as 'anyOf'" },
  dependentSchemas: { of: "object", enforced: "no", how: "", instead: "write the cases as 'anyOf'" },
  dependencies: { of: "object", enforced: "no", how: "", instead: "write the cases as 'anyOf'" },

  items: { of: "array", enforced: "yes", how: "a schema; an array of schemas is read as `prefixItems`" },
  prefixItems: { of: "array", enforced: "yes", how: "" },
  additionalItems: {
    of: "array",
    enforced: "yes",
    how: "what follows where `items` is an array; without meaning elsewhere",
  },
  minItems: { of: "array", enforced: "partly", how: "up to 1,000", instead: "use at most 1000" },
  maxItems: { of: "array", enforced: "yes", how: "arrays end at 1,000 items where it is larger" },
  uniqueItems: {
    of: "array",
    enforced: "partly",
    how: "where `items` is a list of up to 32 values, written in the order of that list",
    instead: "list the items in an 'enum', or describe the requirement in a message",
  },
  unevaluatedItems: { of: "array", enforced: "yes", how: "as `items` after `prefixItems`" },
  contains: { of: "array", enforced: "no", how: "", instead: "describe all items with 'items'" },
  minContains: { of: "array", enforced: "no", how: "", instead: "describe all items with 'items'" },
  maxContains: { of: "array", enforced: "no", how: "", instead: "describe all items with 'items'" },

  pattern: {
    of: "string",
    enforced: "partly",
    how: "several of them too; no look-behind, back references, word boundaries and `\\p{…}`, and look-ahead only before the rest of the pattern; compiled to an automaton, of up to 1,500 states",
    instead: "write a shorter pattern, without look-around, back references, word boundaries and \\p{…}",
  },
  format: {
    of: "string",
    enforced: "partly",
    how: "those listed below, where no `pattern` that is enforced says it already; others are annotations",
  },
  minLength: {
    of: "string",
    enforced: "partly",
    how: "up to 1,000; with a `pattern` or `format` where both together stay small",
    instead: "use at most 1000",
  },
  maxLength: {
    of: "string",
    enforced: "partly",
    how: "strings end at 1,000 characters where it is larger; with a `pattern` or `format` where both together stay small",
  },

  minimum: { of: "number", enforced: "yes", how: "" },
  maximum: { of: "number", enforced: "yes", how: "" },
  exclusiveMinimum: { of: "number", enforced: "yes", how: "a number, or `true` beside `minimum`" },
  exclusiveMaximum: { of: "number", enforced: "yes", how: "a number, or `true` beside `maximum`" },
  multipleOf: {
    of: "number",
    enforced: "partly",
    how: "steps whose multiples can be recognized by a few rules for their digits (`7`, `0.05`, `2500`); other whole numbers with at most 500 multiples within the bounds",
    instead: "add a 'minimum' and a 'maximum' with at most 500 multiples between them",
  },
} as const satisfies Record<string, KeywordFacts>;

/** A path consists of these words and of positions: a client's own words cannot occur in one. */
export type Keyword = keyof typeof table;

export const keywords: Readonly<Record<Keyword, KeywordFacts>> = table;

export const isKeyword = (word: string): word is Keyword => Object.hasOwn(table, word);

/** The advice to a client whose keyword is not enforced. */
export const insteadOf = (keyword: Keyword): string => keywords[keyword].instead ?? "leave it out";
