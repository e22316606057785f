/**
 * A JSON schema to a grammar whose every text is a JSON value that is valid for the schema.
 *
 * The grammar may allow less than the schema: properties come in the order in which they are declared, names
 * that are not declared do not come up (where none is, any may), and long strings end sooner. It never allows
 * more. A keyword for which that cannot be kept is refused, and so is a schema that nothing can satisfy.
 */
import { excessOf } from "../../../protocol/schema-budget.js";
import {
  choice,
  Grammar,
  GrammarTooLarge,
  impossible,
  repeat,
  sequence,
  text,
  type Expression,
} from "./gbnf.js";
import { formatPatterns } from "./formats.js";
import * as json from "./json-text.js";
import { areDisjoint, mergeSchemas } from "./merge.js";
import { integersBetween, numbersBetween } from "./number-range.js";
import { isCostly } from "./pattern-cost.js";
import { patternContent } from "./pattern.js";
import { isOnlyReference, References } from "./references.js";
import { oneOfTexts } from "./text-choice.js";
import {
  constraints,
  countAt,
  isOfType,
  isSchemaObject,
  keywordOf,
  listAt,
  numberAt,
  SchemaError,
  schemasAt,
  typesOf,
  type JsonType,
  type Keyword,
  type Path,
  type Schema,
} from "./schema.js";
import { Work } from "./work.js";

/** Limits on what one request may ask us to think about. */
const mostSchemas = 2000;
const deepest = 64;
/** Longer repetitions make grammars that take too long to follow. */
const mostRepeats = 1000;
const mostMultiples = 500;
/** More make no grammar that is small enough. */
const mostValues = 10_000;
/** In all patterns of a schema together. */
const mostPatternChars = 10_000;
/** Elements of the grammar for a property, besides its name and its value: quotes, colon, comma. */
const leastOfMember = 10;
const stepsPerPatternChar = 20;
const tooLarge = "it is too large to be followed";

/** The grammar of any JSON object, for `json_object`. */
export function objectGrammar(): string {
  const grammar = new Grammar();
  return grammar.toText(json.anyObject(grammar)) ?? "";
}

/** Throws `SchemaError`. */
export function schemaGrammar(schema: Schema, work = new Work()): string {
  const excess = excessOf(schema);
  if (excess !== null) throw new SchemaError([], `it is too large: ${excess}`);
  const grammar = new Grammar(work);
  try {
    const root = new Compiler(grammar, schema, work).value(schema, []);
    if (grammar.isLeftRecursive()) throw new SchemaError([], "it refers to itself with nothing in between");
    const result = grammar.toText(root);
    if (result === null) throw new SchemaError([], "no JSON value can satisfy it");
    return result;
  } catch (error) {
    throw error instanceof GrammarTooLarge ? new SchemaError([], tooLarge) : error;
  }
}

class Compiler {
  readonly #references: References;
  readonly #ruleNames = new Map<unknown, string>();
  #schemas = 0;
  #memberRules = 0;
  #patternChars = 0;
  /** The references that nothing has been written since: one of them again would lead nowhere. */
  #open: ReadonlySet<unknown>;

  constructor(
    private readonly grammar: Grammar,
    root: Schema,
    private readonly work: Work,
  ) {
    this.#references = new References(root, work);
    this.#open = new Set([root]);
  }

  value(schema: unknown, path: Path, depth = 0): Expression {
    this.#schemas += 1;
    if (this.#schemas > mostSchemas || depth > deepest) throw new SchemaError([], tooLarge);
    if (schema === true) return json.anyValue(this.grammar);
    if (schema === false) return impossible;
    if (!isSchemaObject(schema)) throw new SchemaError(path, "expected a schema: an object, true or false");
    if (isOnlyReference(schema)) return this.#reference(schema, path, depth);
    // A rule of its own: written out in each place that needs it, nested schemas would double at every level.
    return this.grammar.define(`value-${this.#schemas}`, () =>
      this.#constrained(constraints(schema, path), path, depth),
    );
  }

  /** Each place that is referred to becomes one rule, so that schemas may refer to themselves. */
  #reference(schema: Schema, path: Path, depth: number): Expression {
    const target = this.#references.target(schema["$ref"], path);
    if (this.#open.has(target)) return impossible;
    const name = this.#ruleNames.get(target) ?? `ref-${this.#ruleNames.size}`;
    this.#ruleNames.set(target, name);
    return this.grammar.define(name, () =>
      this.#within(new Set([...this.#open, target]), () => this.value(target, path, depth + 1)),
    );
  }

  #within(open: ReadonlySet<unknown>, make: () => Expression): Expression {
    const before = this.#open;
    this.#open = open;
    const made = make();
    this.#open = before;
    return made;
  }

  #constrained(schema: Schema, path: Path, depth: number): Expression {
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    const merge = (a: unknown, b: unknown) => mergeSchemas(a, b, this.#references, path);
    if ($ref !== undefined) {
      const { $ref: _reference, ...beside } = schema;
      return this.value(merge(this.#references.target($ref, path), beside), path, depth + 1);
    }
    if (allOf !== undefined) {
      const { allOf: _parts, ...beside } = schema;
      return this.value(listAt(schema, "allOf", path).reduce(merge, beside), path, depth + 1);
    }
    if (anyOf !== undefined && oneOf !== undefined) {
      throw new SchemaError([...path, "oneOf"], "it cannot be combined with 'anyOf'");
    }
    if (anyOf !== undefined || oneOf !== undefined) {
      const keyword = anyOf === undefined ? "oneOf" : "anyOf";
      const options = listAt(schema, keyword, path);
      if (keyword === "oneOf") this.#requireDisjoint(options, own, [...path, keyword]);
      const isAlone = Object.keys(own).length === 0;
      return choice(
        ...options.map((option, index) =>
          this.value(isAlone ? option : merge(own, option), [...path, keyword, index], depth + 1),
        ),
      );
    }
    if ("enum" in own || "const" in own) return this.#values(own, path);
    return choice(...typesOf(own, path).map((type) => this.#typed(type, own, path, depth)));
  }

  #requireDisjoint(options: readonly unknown[], own: Schema, path: Path): void {
    // Each is compared with each, and most do differ: so many are known to be too much before the first.
    this.#references.spend((options.length * (options.length - 1)) / 2);
    const merged = options.map((option) => mergeSchemas(own, option, this.#references, path));
    merged.forEach((option, index) => {
      const others = merged.slice(index + 1);
      if (others.every((other) => areDisjoint(option, other, this.#references, path))) return;
      throw new SchemaError(
        path,
        "its alternatives must exclude each other, by type or by a required constant",
      );
    });
  }

  #values(schema: Schema, path: Path): Expression {
    const { enum: _values, const: constant, type: _type, ...rest } = schema;
    const values = "enum" in schema ? listAt(schema, "enum", path) : [constant];
    if (values.length > mostValues) throw new SchemaError([], tooLarge);
    const [beside] = Object.keys(rest).flatMap((name) => keywordOf(name) ?? []);
    if (beside !== undefined) {
      throw new SchemaError([...path, beside], "it cannot be combined with 'enum' or 'const'");
    }
    const types = typesOf(schema, path);
    const only = "const" in schema ? JSON.stringify(constant) : undefined;
    const allowed = values.filter(
      (value) => isOfType(value, types) && (only === undefined || JSON.stringify(value) === only),
    );
    if (allowed.length === 0)
      throw new SchemaError([...path, "enum" in schema ? "enum" : "const"], "it allows no value");
    return oneOfTexts(allowed.map((value) => JSON.stringify(value)));
  }

  #typed(type: JsonType, schema: Schema, path: Path, depth: number): Expression {
    switch (type) {
      case "object":
        return this.#within(new Set(), () => this.#object(schema, path, depth));
      case "array":
        return this.#within(new Set(), () => this.#array(schema, path, depth));
      case "string":
        return this.#string(schema, path);
      case "number":
      case "integer":
        return this.#number(type, schema, path);
      case "boolean":
        return json.boolean;
      case "null":
        return json.nothing;
    }
  }

  #string(schema: Schema, path: Path): Expression {
    const [min = 0, max] = this.#counts(schema, "minLength", "maxLength", path);
    const { pattern, format } = schema;
    if (pattern !== undefined || format !== undefined) {
      const keyword = pattern === undefined ? "format" : "pattern";
      const other = (["format", "minLength", "maxLength"] as const).find(
        (name) => name !== keyword && name in schema,
      );
      if (other !== undefined)
        throw new SchemaError([...path, other], `it cannot be combined with '${keyword}'`);
      return json.stringOf(this.#patternOf(schema, keyword, path));
    }
    if (min === 0 && max === undefined) return json.anyString(this.grammar);
    return json.stringOf(repeat(json.anyChar(this.grammar), min, max));
  }

  #patternOf(schema: Schema, keyword: "pattern" | "format", path: Path): Expression {
    const given = schema[keyword];
    if (typeof given !== "string") throw new SchemaError([...path, keyword], "expected a string");
    if (keyword === "pattern") return this.#followable(given, [...path, keyword]);
    const pattern = Object.hasOwn(formatPatterns, given) ? formatPatterns[given] : undefined;
    if (pattern === undefined) {
      throw new SchemaError([...path, keyword], `supported are ${Object.keys(formatPatterns).join(", ")}`);
    }
    // One rule for all strings of the format.
    return this.grammar.define(`format-${given}`, () => this.#followable(pattern, [...path, keyword]));
  }

  #followable(pattern: string, path: Path): Expression {
    this.#patternChars += pattern.length;
    this.work.spend(Math.min(pattern.length, mostPatternChars) * stepsPerPatternChar);
    if (this.#patternChars > mostPatternChars) {
      throw new SchemaError(
        path,
        `the patterns of a schema may have ${mostPatternChars} characters together`,
      );
    }
    const content = patternContent(pattern);
    if (content === null) throw new SchemaError(path, "this regular expression is not supported");
    this.grammar.announce(content);
    if (isCostly(content, this.work)) {
      throw new SchemaError(path, "this regular expression is too ambiguous to enforce");
    }
    return content;
  }

  #number(type: "number" | "integer", schema: Schema, path: Path): Expression {
    const min = highest(numberAt(schema, "minimum", path), numberAt(schema, "exclusiveMinimum", path));
    const max = lowest(numberAt(schema, "maximum", path), numberAt(schema, "exclusiveMaximum", path));
    if (min !== undefined && max !== undefined && min > max) {
      throw new SchemaError([...path, "minimum"], "it is above the maximum");
    }
    const step = numberAt(schema, "multipleOf", path);
    if (step !== undefined && !(type === "integer" && step === 1))
      return this.#multiples(step, min, max, type, path);
    if (min === undefined && max === undefined) {
      return type === "integer" ? json.anyInteger(this.grammar) : json.anyNumber(this.grammar);
    }
    return type === "integer" ? integersBetween({ min, max }) : numbersBetween({ min, max });
  }

  #multiples(
    step: number,
    min: number | undefined,
    max: number | undefined,
    type: "number" | "integer",
    path: Path,
  ): Expression {
    const fault = (reason: string) => new SchemaError([...path, "multipleOf"], reason);
    if (!Number.isInteger(step) || step <= 0) throw fault("only whole numbers above 0 are supported");
    if (step === 1) return integersBetween({ min, max });
    if (min === undefined || max === undefined || (max - min) / step > mostMultiples) {
      throw fault(`it needs a minimum and a maximum, with at most ${mostMultiples} multiples between them`);
    }
    // Beyond this, adding the step may change nothing: there would be no end of it.
    if (Math.max(Math.abs(min), Math.abs(max)) > Number.MAX_SAFE_INTEGER) {
      throw fault(`it needs bounds of at most ${Number.MAX_SAFE_INTEGER}`);
    }
    const values: Expression[] = [];
    for (let value = Math.ceil(min / step) * step; value <= max; value += step)
      values.push(text(String(value)));
    if (values.length === 0 && type === "integer") throw fault("it allows no value within the bounds");
    return choice(...values);
  }

  #array(schema: Schema, path: Path, depth: number): Expression {
    const [min = 0, max] = this.#counts(schema, "minItems", "maxItems", path);
    if (schema["uniqueItems"] === true && (max ?? Infinity) > 1) {
      throw new SchemaError([...path, "uniqueItems"], "this keyword is not supported");
    }
    if (Array.isArray(schema["items"]))
      throw new SchemaError([...path, "items"], "expected a schema; use 'prefixItems'");
    const first = listAt(schema, "prefixItems", path).slice(0, max ?? Infinity);
    const items = schema["items"] ?? true;
    if (first.length === 0) {
      if (items === false && min > 0) return impossible;
      if (items === false) return text("[]");
      return json.listOf(this.value(items, [...path, "items"], depth + 1), min, max);
    }
    const inOrder = first.map((item, index) => this.value(item, [...path, "prefixItems", index], depth + 1));
    const missing = Math.max(0, min - first.length);
    if (missing === 0) return sequence(text("["), ...withCommas(inOrder), text("]"));
    const more = repeat(
      sequence(json.comma, this.value(items, [...path, "items"], depth + 1)),
      missing,
      missing,
    );
    return sequence(text("["), ...withCommas(inOrder), more, text("]"));
  }

  #object(schema: Schema, path: Path, depth: number): Expression {
    const declared = schemasAt(schema, "properties", path);
    const required = new Set(listAt(schema, "required", path).map(String));
    const rest = schema["additionalProperties"] ?? true;
    const names = [...new Set([...Object.keys(declared), ...required])];
    this.#requirePropertyCounts(schema, names.length, required.size, path);
    this.grammar.requireRoom(names.reduce((sum, name) => sum + name.length + leastOfMember, 0));
    if (names.length === 0) {
      if (rest === false) return text("{}");
      const value = this.value(rest, [...path, "additionalProperties"], depth + 1);
      return json.mapOf(this.grammar, value, (countAt(schema, "minProperties", path) ?? 0) > 0);
    }
    const members = names.map((name, index) => {
      const isDeclared = Object.hasOwn(declared, name);
      // Declared names come first, so the position is the same in both lists.
      const place: Path = isDeclared ? [...path, "properties", index] : [...path, "additionalProperties"];
      const value = this.value(isDeclared ? declared[name] : rest, place, depth + 1);
      const member = sequence(text(JSON.stringify(name)), json.colon, value);
      return { member, isRequired: required.has(name) };
    });
    return sequence(text("{"), this.#members(members), text("}"));
  }

  /** Names in order, the optional ones left out or not. Two rules for each: one for when a name came before. */
  #members(members: readonly { member: Expression; isRequired: boolean }[]): Expression {
    let first: Expression = text("");
    let later: Expression = text("");
    for (const { member, isRequired } of members.toReversed()) {
      const [firstAfter, laterAfter] = [first, later];
      const name = `members-${this.#memberRules++}`;
      const follow = this.grammar.define(`${name}-rest`, () => laterAfter);
      const next = sequence(json.comma, member, follow);
      later = isRequired ? next : choice(next, follow);
      const start = sequence(member, follow);
      first = isRequired
        ? start
        : choice(
            start,
            this.grammar.define(`${name}-first`, () => firstAfter),
          );
    }
    return first;
  }

  /** Counts of properties hold by themselves or not at all. */
  #requirePropertyCounts(schema: Schema, names: number, required: number, path: Path): void {
    const [min = 0, max = Infinity] = this.#counts(schema, "minProperties", "maxProperties", path);
    const anyNames = names === 0 && schema["additionalProperties"] !== false;
    const unsupported = "this count cannot be kept with these properties";
    if (min > (anyNames ? 1 : required)) throw new SchemaError([...path, "minProperties"], unsupported);
    if (max < (anyNames ? Infinity : names)) throw new SchemaError([...path, "maxProperties"], unsupported);
  }

  #counts(
    schema: Schema,
    least: Keyword,
    most: Keyword,
    path: Path,
  ): [min: number | undefined, max: number | undefined] {
    const [min, max] = [countAt(schema, least, path), countAt(schema, most, path)];
    if (min !== undefined && max !== undefined && min > max) {
      throw new SchemaError([...path, least], `it is above '${most}'`);
    }
    if ((min ?? 0) > mostRepeats)
      throw new SchemaError([...path, least], `at most ${mostRepeats} is supported`);
    return [min, max === undefined ? undefined : Math.min(max, mostRepeats)];
  }
}

const withCommas = (items: readonly Expression[]): Expression[] =>
  items.flatMap((item, index) => (index === 0 ? [item] : [json.comma, item]));

/** The inclusive bound that both make. */
function highest(inclusive: number | undefined, exclusive: number | undefined): number | undefined {
  if (exclusive === undefined) return inclusive;
  return Math.max(inclusive ?? -Infinity, neighbour(exclusive, 1));
}

function lowest(inclusive: number | undefined, exclusive: number | undefined): number | undefined {
  if (exclusive === undefined) return inclusive;
  return Math.min(inclusive ?? Infinity, neighbour(exclusive, -1));
}

/** The next number that can be told from this one. */
function neighbour(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * Number.MIN_VALUE;
  let step = Math.abs(value) * Number.EPSILON;
  while (value + direction * (step / 2) !== value) step /= 2;
  return value + direction * step;
}
