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

/** Facts about the keywords for one kind of value. */
const about = (of: KeywordFacts["of"]) => ({
  yes: (how = ""): KeywordFacts => ({ of, enforced: "yes", how }),
  partly: (how: string, instead?: string): KeywordFacts =>
    instead === undefined ? { of, enforced: "partly", how } : { of, enforced: "partly", how, instead },
  no: (instead: string, how = ""): KeywordFacts => ({ of, enforced: "no", how, instead }),
});
const anyValue = about("any");
const objects = about("object");
const arrays = about("array");
const strings = about("string");
const numbers = about("number");

const table = {
  type: anyValue.yes("one type or several"),
  nullable: anyValue.yes("of OpenAPI 3.0: `null` joins the types"),
  enum: anyValue.yes("values of any kind"),
  const: anyValue.yes("a value of any kind"),
  $ref: anyValue.yes("places in the same schema, such as `#/$defs/item` or `#`, also within themselves"),
  allOf: anyValue.yes("its parts are merged"),
  anyOf: anyValue.yes("any of the alternatives"),
  oneOf: anyValue.partly(
    "exclusive where the alternatives differ by type or by the value of a property, which is then always written; else as `anyOf`",
    "write 'anyOf', or give each alternative a property with a 'const' of its own",
  ),
  not: anyValue.partly("only `{}`, which allows nothing", "say what is allowed, with 'enum' or 'anyOf'"),
  if: anyValue.no("write the cases as 'anyOf'", "nor are `then` and `else`"),
  $dynamicRef: anyValue.no("use '$ref'"),
  $recursiveRef: anyValue.no("use '$ref'"),

  properties: objects.yes("written in the order in which they are declared"),
  required: objects.yes("also names that `properties` does not declare"),
  additionalProperties: objects.yes(
    "where no property is declared, any names with values of this schema; beside `properties`, no other names are written",
  ),
  patternProperties: objects.partly(
    "one pattern, where no property is declared",
    "declare the names in 'properties', or use one pattern and no 'properties'",
  ),
  propertyNames: objects.partly(
    "a list of names (`enum`, `const`), or a schema for strings where no property is declared",
    "declare the names in 'properties'",
  ),
  minProperties: objects.partly(
    "with free names up to 1: beyond that, a name that is written twice counts twice",
    "declare the names in 'properties'",
  ),
  maxProperties: objects.partly(
    "unless there are too many optional properties to count",
    "make properties required, or split the object",
  ),
  unevaluatedProperties: objects.yes("as `additionalProperties`"),
  dependentRequired: objects.no("write the cases as 'anyOf'"),
  dependentSchemas: objects.no("write the cases as 'anyOf'"),
  dependencies: objects.no("write the cases as 'anyOf'"),

  items: arrays.yes("a schema; an array of schemas is read as `prefixItems`"),
  prefixItems: arrays.yes(),
  additionalItems: arrays.yes("what follows where `items` is an array; without meaning elsewhere"),
  minItems: arrays.partly("up to 1,000", "use at most 1000"),
  maxItems: arrays.yes("arrays end at 1,000 items where it is larger"),
  uniqueItems: arrays.partly(
    "where `items` is a list of up to 32 values, written in the order of that list",
    "list the items in an 'enum', or describe the requirement in a message",
  ),
  unevaluatedItems: arrays.yes("as `items` after `prefixItems`"),
  contains: arrays.no("describe all items with 'items'"),
  minContains: arrays.no("describe all items with 'items'"),
  maxContains: arrays.no("describe all items with 'items'"),

  pattern: strings.partly(
    "several of them too; no look-behind, back references, word boundaries and `\\p{…}`, and look-ahead only before the rest of the pattern; compiled to an automaton, of up to 1,500 states",
    "write a shorter pattern, without look-around, back references, word boundaries and \\p{…}",
  ),
  format: strings.partly(
    "those listed below, where no `pattern` that is enforced says it already; others are annotations",
  ),
  minLength: strings.partly(
    "up to 1,000; with a `pattern` or `format` where both together stay small",
    "use at most 1000",
  ),
  maxLength: strings.partly(
    "strings end at 1,000 characters where it is larger; with a `pattern` or `format` where both together stay small",
  ),

  minimum: numbers.yes(),
  maximum: numbers.yes(),
  exclusiveMinimum: numbers.yes("a number, or `true` beside `minimum`"),
  exclusiveMaximum: numbers.yes("a number, or `true` beside `maximum`"),
  multipleOf: numbers.partly(
    "steps whose multiples can be recognized by a few rules for their digits (`7`, `0.05`, `2500`); other whole numbers with at most 500 multiples within the bounds",
    "add a 'minimum' and a 'maximum' with at most 500 multiples between them",
  ),
} satisfies Record<string, KeywordFacts>;

/** A path consists of these words and of positions: a client's own words cannot occur in one. */
export type Keyword = keyof typeof table;

export const keywords: Readonly<Record<Keyword, KeywordFacts>> = table;

export const isKeyword = (word: string): word is Keyword => Object.hasOwn(table, word);

export const setOf = (...names: Keyword[]): ReadonlySet<Keyword> => new Set(names);
export const lowerBounds = setOf("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties");
export const upperBounds = setOf("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties");

/** The advice to a client whose keyword is not enforced. */
export const insteadOf = (keyword: Keyword): string => keywords[keyword].instead ?? "leave it out";
