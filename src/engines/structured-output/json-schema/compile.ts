/**
 * A JSON schema to a grammar whose every text is a JSON value that is valid for the schema.
 *
 * The grammar may allow less than the schema: properties come in the order in which they are declared, names
 * that are not declared do not come up (where none is, any may), and long strings end sooner. It allows more only
 * where a keyword cannot be enforced, which `strict` refuses. A schema that nothing can satisfy is refused always.
 */
import { excessOf } from "../../../protocol/schema-budget.js";
import { Arrays } from "./arrays.js";
import { constraints } from "./constraints.js";
import { areDisjoint, discriminatorOf } from "./disjoint.js";
import { choice, Grammar, GrammarTooLarge, impossible, type Expression } from "../gbnf.js";
import * as json from "./json-text.js";
import { closed, mergeSchemas } from "./merge.js";
import { numbers } from "./numbers/numbers.js";
import { Objects } from "./objects.js";
import { tooLarge, type Parts } from "./parts.js";
import { isOnlyReference, References } from "./references.js";
import {
  isSchemaObject,
  listAt,
  SchemaError,
  typesOf,
  type JsonType,
  type Path,
  type Schema,
} from "./schema.js";
import { Strictness } from "./strictness.js";
import { Strings } from "./strings/strings.js";
import { listedValues } from "./values.js";
import { Work } from "./work.js";

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
    const root = new Compiler(grammar, schema, new Strictness(strict), work).value(schema, [], 0);
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
  readonly #arrays = new Arrays(this);
  readonly #objects = new Objects(this);
  #schemas = 0;
  /** References followed since the last character: following one of them again would never end. */
  #open: ReadonlySet<unknown>;

  constructor(
    readonly grammar: Grammar,
    root: Schema,
    readonly strictness: Strictness,
    readonly work: Work,
  ) {
    this.references = new References(root, work);
    this.#open = new Set([root]);
    this.#strings = new Strings(this);
  }

  value(schema: unknown, path: Path, depth: number): Expression {
    this.#schemas += 1;
    if (this.#schemas > maxSchemas || depth > deepest) throw new SchemaError([], tooLarge);
    if (schema === true) return json.anyValue(this.grammar);
    if (schema === false) return impossible;
    if (!isSchemaObject(schema)) throw new SchemaError(path, "expected a schema: an object, true or false");
    if (isOnlyReference(schema)) {
      const target = this.references.target(schema["$ref"], path);
      return this.#shared(target, () => this.value(target, path, depth + 1));
    }
    // Schemas merged of the same parts share a rule, also recursively.
    if ("$ref" in schema || "allOf" in schema) {
      const place = this.#merged.get(schema) ?? {};
      this.#merged.set(schema, place);
      return this.#shared(place, () =>
        this.#constrained(constraints(schema, path, this.strictness), path, depth),
      );
    }
    // A rule of its own: written out in each place that needs it, nested schemas would double at every level.
    return this.grammar.define(`value-${this.#schemas}`, () =>
      this.#constrained(constraints(schema, path, this.strictness), path, depth),
    );
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

  #constrained(schema: Schema, path: Path, depth: number): Expression {
    const { not, $ref, allOf, anyOf, oneOf } = schema;
    if (not !== undefined) return impossible;
    const merge = (a: unknown, b: unknown) => mergeSchemas(a, closed(b), this, path);
    if ($ref !== undefined) {
      const { $ref: _reference, ...beside } = schema;
      const target = closed(this.references.resolve(this.references.target($ref, path), path));
      return this.value(mergeSchemas(target, beside, this, path), path, depth + 1);
    }
    if (allOf !== undefined) {
      const { allOf: _parts, ...beside } = schema;
      const [part, ...others] = listAt(schema, "allOf", path);
      const isAlone = part !== undefined && others.length === 0 && Object.keys(beside).length === 0;
      if (isAlone) return this.value(part, [...path, "allOf", 0], depth + 1);
      return this.value(listAt(schema, "allOf", path).reduce(merge, beside), path, depth + 1);
    }
    if (anyOf !== undefined) {
      const { anyOf: _options, ...beside } = schema;
      return this.#alternatives("anyOf", listAt(schema, "anyOf", path), beside, path, depth);
    }
    if (oneOf !== undefined) {
      const { oneOf: _options, ...beside } = schema;
      const options = this.#exclusive(listAt(schema, "oneOf", path), beside, path);
      return this.#alternatives("oneOf", options, beside, path, depth);
    }
    if ("enum" in schema || "const" in schema) return listedValues(schema, path, this);
    return choice(...typesOf(schema, path).map((type) => this.#typed(type, schema, path, depth)));
  }

  #alternatives(
    keyword: "anyOf" | "oneOf",
    options: readonly unknown[],
    beside: Schema,
    path: Path,
    depth: number,
  ): Expression {
    const isAlone = Object.keys(beside).length === 0;
    return choice(
      ...options.map((option, index) => {
        const merged = isAlone ? option : mergeSchemas(beside, closed(option), this, path);
        return this.value(merged, [...path, keyword, index], depth + 1);
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
        if (areDisjoint(option, merged[other], this.references, place)) continue;
        const name = discriminatorOf(option, merged[other], this.references, place);
        if (name === null) {
          this.strictness.leaveOut(path, "oneOf", "its alternatives must exclude each other");
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

  #typed(type: JsonType, schema: Schema, path: Path, depth: number): Expression {
    switch (type) {
      case "object":
        return this.#within(new Set(), () => this.#objects.of(schema, path, depth));
      case "array":
        return this.#within(new Set(), () => this.#arrays.of(schema, path, depth));
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
