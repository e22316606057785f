/** Arrays: lists of one kind of item, tuples, and sets of known values. */
import { choice, impossible, repeat, sequence, text, type Expression } from "../gbnf.js";
import * as json from "./json-text.js";
import { orderedSubset } from "./ordered-subset.js";
import { countsAt, type Parts } from "./parts.js";
import { isSchemaObject, listAt, sameJson, type Path, type Schema } from "./schema.js";

const maxSetValues = 32;

export class Arrays {
  #sets = 0;

  constructor(private readonly parts: Parts) {}

  of(schema: Schema, path: Path, depth: number): Expression {
    const { strictness } = this.parts;
    const [min, max] = countsAt(schema, "minItems", "maxItems", path, strictness);
    const first = listAt(schema, "prefixItems", path);
    const items = schema["items"] ?? schema["unevaluatedItems"] ?? true;
    const itemsPath: Path = [...path, "items"];
    if (schema["uniqueItems"] === true && (max ?? Infinity) > 1) {
      const values = first.length === 0 ? this.#valuesOf(items, itemsPath) : null;
      if (values !== null) return this.#setOf(values, min, max);
      strictness.leaveOut(path, "uniqueItems");
    }
    const item = (index: number): Expression =>
      this.parts.value(first[index], [...path, "prefixItems", index], depth + 1);
    if (first.length === 0) {
      if (items === false) return min > 0 ? impossible : text("[]");
      return json.listOf(this.parts.value(items, itemsPath, depth + 1), min, max);
    }
    const inOrder = first.slice(0, max ?? Infinity).map((_, index) => item(index));
    const rest = items === false ? impossible : this.parts.value(items, itemsPath, depth + 1);
    return this.#tuple(inOrder, rest, min, max);
  }

  /** The items that must be there, then as many more as there may be. */
  #tuple(first: readonly Expression[], rest: Expression, min: number, max: number | undefined): Expression {
    const maxMore = max === undefined ? undefined : Math.max(0, max - first.length);
    const leastMore = Math.max(0, min - first.length);
    let more = repeat(sequence(json.comma, rest), leastMore, maxMore);
    for (const [index, item] of [...first.entries()].toReversed()) {
      const written = index === 0 ? [item] : [json.comma, item];
      const withItem = sequence(...written, more);
      more = index >= min ? choice(withItem, text("")) : withItem;
    }
    return sequence(text("["), more, text("]"));
  }

  /** The values that an item may have, where they are listed and few. */
  #valuesOf(items: unknown, path: Path): readonly unknown[] | null {
    const schema = this.parts.references.resolve(items, path);
    if (!isSchemaObject(schema)) return null;
    const listed: unknown = "const" in schema ? [schema["const"]] : schema["enum"];
    const given: unknown = listed ?? (schema["type"] === "boolean" ? [true, false] : null);
    if (!Array.isArray(given) || given.length > maxSetValues) return null;
    const values: readonly unknown[] = given;
    const { compare } = this.parts.work;
    return values.filter(
      (value, index) => values.findIndex((other) => sameJson(other, value, compare)) === index,
    );
  }

  #setOf(values: readonly unknown[], min: number, max: number | undefined): Expression {
    const members = values.map((value) => ({ content: text(JSON.stringify(value)), isRequired: false }));
    const name = `set-${this.#sets++}`;
    const chosen = orderedSubset(members, min, max ?? Infinity, name, this.parts.grammar);
    return sequence(text("["), chosen, text("]"));
  }
}
