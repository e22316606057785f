/**
 * A JSON schema to a grammar whose every text is a JSON value that is valid for the schema.
 *
 * The grammar may allow less than the schema: properties come in the order in which they are declared, names
 * that are not declared do not come up (where none is, any may), and long strings end sooner. It allows more only
 * where a keyword cannot be enforced, which `strict` refuses. A schema that nothing can satisfy is refused always.
 */
import { excessOf } from "../../../protocol/schema-budget.js";
import { arrays } from "./arrays.js";
import { constraints } from "./constraints.js";
import { areDisjoint, discriminatorOf } from "./disjoint.js";
import { choice, Grammar, GrammarTooLarge, impossible, type Expression } from "../gbnf.js";
import * as json from "./json-text.js";
import { insteadOf, type Keyword } from "./keywords.js";
import { closed, mergeSchemas } from "./merge.js";
import { numbers } from "./numbers/numbers.js";
import { objects } from "./objects.js";
import { isOnlyReference, References, tooLarge, Work, type Parts } from "./parts.js";
import {
  isSchemaObject,
  listAt,
  SchemaError,
  typesOf,
  type JsonType,
  type Path,
  type Schema,
} from "./schema.js";
import { Strings } from "./strings/strings.js";
import { listedValues } from "./values.js";

const maxSchemas = 2000;
const deepest = 64;

/** The grammar of any JSON object, for `json_object`. */
export function objectGrammar(): string {
  const grammar = new Grammar();
  return grammar.toText(json.anyObject(grammar)) ?? "";
}

/** `strict`: refuses what cannot be enforced, rather than to ignore it. Throws `SchemaError`. */
export function schemaGrammar(
  schema: Schema,
  { strict = false, work = new Work() }: { strict?: boolean; work?: Work } = {},
): string {
  const excess = excessOf(schema);
  if (excess !== null) throw new SchemaError([], `it is too large: ${excess}`);
  const grammar = new Grammar({ spend: work.spend });
  try {
    const root = new Compiler(grammar, schema, strict, work).value(schema, []);
    if (grammar.isLeftRecursive()) throw new SchemaError([], "it refers to itself with nothing in between");
    const result = grammar.toText(root);
    if (result === null) throw new SchemaError([], "no JSON value can satisfy it");
    return result;
  } catch (error) {
    throw error instanceof GrammarTooLarge ? new SchemaError([], tooLarge) : error;
  }
}

class Compiler implements Parts {
  readonly references: References;
  readonly #ruleNames = new Map<unknown, string>();
  /** The identity of each merged schema, by the schema whose parts it has. */
  readonly #merged = new Map<Schema, object>();
  readonly #strings: Strings;
  #schemas = 0;
  #depth = 0;
  /** References followed since the last character: following one of them again would never end. */
  #open: ReadonlySet<unknown>;

  constructor(
    readonly grammar: Grammar,
    root: Schema,
    private readonly isStrict: boolean,
    readonly work: Work,
  ) {
    this.references = new References(root, work);
    this.#open = new Set([root]);
    this.#strings = new Strings(this);
  }

  value(schema: unknown, path: Path): Expression {
    this.#schemas += 1;
    if (this.#schemas > maxSchemas || this.#depth > deepest) throw new SchemaError([], tooLarge);
    this.#depth += 1;
    const made = this.#valueOf(schema, path);
    this.#depth -= 1;
    return made;
  }

  leaveOut(path: Path, keyword: Keyword, reason = "this cannot be enforced"): void {
    if (!this.isStrict) return;
    throw new SchemaError([...path, keyword], `${reason} with 'strict'; ${insteadOf(keyword)}`);
  }

  #valueOf(schema: unknown, path: Path): Expression {
    if (schema === true) return json.anyValue(this.grammar);
    if (schema === false) return impossible;
    if (!isSchemaObject(schema)) throw new SchemaError(path, "expected a schema: an object, true or false");
    if (isOnlyReference(schema)) {
      const target = this.references.target(schema["$ref"], path);
      return this.#shared(target, () => this.value(target, path));
    }
    const make = () => this.#constrained(constraints(schema, path, this), path);
    // Schemas merged of the same parts share a rule, also recursively.
    if ("$ref" in schema || "allOf" in schema) {
      const place = this.#merged.get(schema) ?? {};
      this.#merged.set(schema, place);
      return this.#shared(place, make);
    }
    // A rule of its own: written out in each place that needs it, nested schemas would double at every level.
    return this.grammar.define(`value-${this.#schemas}`, make);
  }

  /** Each place that is referred to becomes one rule, so that schemas may refer to themselves. */
  #shared(place: unknown, make: () => Expression): Expression {
    if (this.#open.has(place)) return impossible;
    const name = this.#ruleNames.get(place) ?? `ref-${this.#ruleNames.size}`;
    this.#ruleNames.set(place, name);
    return this.grammar.define(name, () => this.#within(new Set([...this.#open, place]), make));
  }

  #within(open: ReadonlySet<unknown>, make: () => Expression): Expression {
    const before = this.#open;
    this.#open = open;
    const made = make();
    this.#open = before;
    return made;
  }

  #constrained(schema: Schema, path: Path): Expression {
    const { not, $ref, allOf, anyOf, oneOf } = schema;
    if (not !== undefined) return impossible;
    if ($ref !== undefined) {
      const target = closed(this.references.resolve(this.references.target($ref, path), path));
      return this.value(mergeSchemas(target, without("$ref", schema), this, path), path);
    }
    if (allOf !== undefined) {
      const [parts, beside] = [listAt(schema, "allOf", path), without("allOf", schema)];
      const isAlone = parts.length === 1 && Object.keys(beside).length === 0;
      if (isAlone) return this.value(parts[0], [...path, "allOf", 0]);
      const merge = (a: unknown, b: unknown) => mergeSchemas(a, closed(b), this, path);
      return this.value(parts.reduce(merge, beside), path);
    }
    if (anyOf !== undefined) return this.#alternatives("anyOf", schema, path);
    if (oneOf !== undefined) return this.#alternatives("oneOf", schema, path);
    if ("enum" in schema || "const" in schema) return listedValues(schema, path, this);
    return choice(...typesOf(schema, path).map((type) => this.#typed(type, schema, path)));
  }

  #alternatives(keyword: "anyOf" | "oneOf", schema: Schema, path: Path): Expression {
    const [given, beside] = [listAt(schema, keyword, path), without(keyword, schema)];
    const options = keyword === "oneOf" ? this.#exclusive(given, beside, path) : given;
    const isAlone = Object.keys(beside).length === 0;
    return choice(
      ...options.map((option, index) => {
        const merged = isAlone ? option : mergeSchemas(beside, closed(option), this, path);
        return this.value(merged, [...path, keyword, index]);
      }),
    );
  }

  /** The alternatives of `oneOf`, with their discriminators required. */
  #exclusive(options: readonly unknown[], beside: Schema, path: Path): readonly unknown[] {
    const place: Path = [...path, "oneOf"];
    // Every pair is compared: too many pairs are refused before the first.
    this.work.compare((options.length * (options.length - 1)) / 2);
    const merged = options.map((option) => mergeSchemas(beside, closed(option), this, place));
    const discriminators = merged.map(() => new Set<string>());
    for (const [index, option] of merged.entries()) {
      for (let other = index + 1; other < merged.length; other++) {
        if (areDisjoint(option, merged[other], place, this)) continue;
        const name = discriminatorOf(option, merged[other], place, this);
        if (name === null) {
          this.leaveOut(path, "oneOf", "its alternatives must exclude each other");
          return options;
        }
        discriminators[index]?.add(name);
        discriminators[other]?.add(name);
      }
    }
    return options.map((option, index) => {
      const required = [...(discriminators[index] ?? [])];
      return required.length === 0 ? option : { allOf: [option, { required }] };
    });
  }

  #typed(type: JsonType, schema: Schema, path: Path): Expression {
    switch (type) {
      case "object":
        return this.#within(new Set(), () => objects(schema, path, this));
      case "array":
        return this.#within(new Set(), () => arrays(schema, path, this));
      case "string":
        return this.#strings.of(schema, path);
      case "number":
      case "integer":
        return numbers(type, schema, path, this);
      case "boolean":
        return json.boolean;
      case "null":
        return json.nothing;
    }
  }
}

const without = (keyword: Keyword, schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
