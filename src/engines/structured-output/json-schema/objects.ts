/**
 * Objects. Declared names are written in their order, with the optional ones left out or not; where none is declared,
 * names are free, and subject to what `propertyNames` or `patternProperties` say.
 */
import { choice, impossible, repeat, sequence, text, type Expression } from "../gbnf.js";
import * as json from "./json-text.js";
import { mergeSchemas } from "./merge.js";
import { canCount, orderedSubset } from "./ordered-subset.js";
import { countsAt, type Parts } from "./parts.js";
import { isSchemaObject, listAt, schemasAt, type Path, type Schema } from "./schema.js";

/** Elements of the grammar for a property, besides its name and its value: quotes, colon, comma. */
const leastOfMember = 10;
const maxListedNames = 1_000;

export class Objects {
  #objects = 0;

  constructor(private readonly parts: Parts) {}

  of(schema: Schema, path: Path, depth: number): Expression {
    const declared = schemasAt(schema, "properties", path);
    const required = new Set(listAt(schema, "required", path).map(String));
    const listed = this.#listedNames(schema["propertyNames"], [...path, "propertyNames"]);
    if (Object.keys(declared).length === 0 && required.size === 0 && listed === null) {
      return this.#free(schema, path, depth);
    }
    if (listed === null && this.#constrainsNames(schema)) {
      this.parts.strictness.leaveOut(path, "propertyNames", "this cannot be enforced beside 'properties'");
    }
    if ("patternProperties" in schema) {
      this.parts.strictness.leaveOut(
        path,
        "patternProperties",
        "this cannot be enforced beside 'properties'",
      );
    }
    return this.#named(schema, { declared, required, listed }, path, depth);
  }

  #named(
    schema: Schema,
    { declared, required, listed }: { declared: Schema; required: Set<string>; listed: Set<string> | null },
    path: Path,
    depth: number,
  ): Expression {
    const { grammar, strictness } = this.parts;
    const rest = restOf(schema);
    // Declared names come first, so that a position is the same in the schema.
    const names = [...new Set([...Object.keys(declared), ...required, ...(listed ?? [])])];
    grammar.requireRoom(names.reduce((sum, name) => sum + name.length + leastOfMember, 0));
    const members = names.map((name, index) => {
      const isDeclared = Object.hasOwn(declared, name);
      const place: Path = isDeclared ? [...path, "properties", index] : [...path, "additionalProperties"];
      const isAllowed = listed === null || listed.has(name);
      const value = isAllowed
        ? this.parts.value(isDeclared ? declared[name] : rest, place, depth + 1)
        : impossible;
      return {
        content: sequence(text(JSON.stringify(name)), json.colon, value),
        isRequired: required.has(name),
      };
    });
    let [min, max = Infinity] = countsAt(schema, "minProperties", "maxProperties", path, strictness);
    if (!canCount(members, min, max)) {
      strictness.leaveOut(path, min > required.size ? "minProperties" : "maxProperties");
      [min, max] = [0, Infinity];
    }
    const name = `members-${this.#objects++}`;
    return sequence(text("{"), orderedSubset(members, min, max, name, grammar), text("}"));
  }

  #free(schema: Schema, path: Path, depth: number): Expression {
    const [min, max] = countsAt(schema, "minProperties", "maxProperties", path, this.parts.strictness);
    if (min > 1) this.parts.strictness.leaveOut(path, "minProperties");
    const member = this.#member(schema, path, depth);
    if (member === null || max === 0) return min > 0 ? impossible : text("{}");
    const more = repeat(
      sequence(json.comma, member),
      Math.max(0, min - 1),
      max === undefined ? max : max - 1,
    );
    const members = sequence(member, more);
    return sequence(text("{"), min > 0 ? members : repeat(members, 0, 1), text("}"));
  }

  /** A name with its value; null where there may be none. */
  #member(schema: Schema, path: Path, depth: number): Expression | null {
    const member = (name: Expression, value: Expression) => sequence(name, json.colon, value);
    const patterns = Object.entries(schemasAt(schema, "patternProperties", path));
    if (patterns.length > 0) {
      // A name may match several patterns, or be one that `propertyNames` forbids.
      if (patterns.length > 1 || this.#constrainsNames(schema)) {
        this.parts.strictness.leaveOut(path, "patternProperties");
      }
      const options = patterns.map(([pattern, value], index) => {
        const place: Path = [...path, "patternProperties", index];
        const name = this.parts.value({ type: "string", pattern }, place, depth + 1);
        return member(name, this.parts.value(value, place, depth + 1));
      });
      return choice(...options);
    }
    const rest = restOf(schema);
    if (rest === false) return null;
    const names = this.#names(schema, path, depth);
    return member(names, this.parts.value(rest, [...path, "additionalProperties"], depth + 1));
  }

  #names(schema: Schema, path: Path, depth: number): Expression {
    if (!this.#constrainsNames(schema)) return json.anyString(this.parts.grammar);
    const place: Path = [...path, "propertyNames"];
    const names = mergeSchemas(schema["propertyNames"], { type: "string" }, this.parts, place);
    return this.parts.value(names, place, depth + 1);
  }

  #constrainsNames({ propertyNames }: Schema): boolean {
    if (propertyNames === undefined || propertyNames === true) return false;
    if (!isSchemaObject(propertyNames)) return true;
    const { type, ...others } = propertyNames;
    return Object.keys(others).length > 0 || (type !== undefined && type !== "string");
  }

  /** The names that may come at all, where they are listed. */
  #listedNames(given: unknown, path: Path): Set<string> | null {
    const schema = this.parts.references.resolve(given, path);
    if (!isSchemaObject(schema)) return null;
    const lists = [schema["anyOf"], schema["oneOf"]].filter((list) => list !== undefined);
    const [options] = lists;
    if (Array.isArray(options) && options.length <= maxListedNames) {
      const all = options.map((option) => this.#ownNames(this.parts.references.resolve(option, path)));
      return all.every((names) => names !== null) ? new Set(all.flat()) : null;
    }
    const names = this.#ownNames(schema);
    return names === null ? null : new Set(names);
  }

  #ownNames(schema: unknown): string[] | null {
    if (!isSchemaObject(schema)) return null;
    const values: unknown = "const" in schema ? [schema["const"]] : schema["enum"];
    if (!Array.isArray(values)) return null;
    this.parts.work.compare(values.length);
    return values.filter((value) => typeof value === "string");
  }
}

const restOf = (schema: Schema): unknown =>
  schema["additionalProperties"] ?? schema["unevaluatedProperties"] ?? true;
