/** Two schemas to one that allows what both allow, for `allOf` and for what stands beside `anyOf` or `$ref`. */
import { constraints } from "./constraints.js";
import { isKeyword, lowerBounds, setOf, upperBounds, type Keyword } from "./keywords.js";
import type { Parts } from "./parts.js";
import {
  All,
  asList,
  asObject,
  isSchemaObject,
  sameJson,
  SchemaError,
  typesOf,
  type Path,
  type Schema,
} from "./schema.js";

/** Schemas that refer to themselves would be merged without end. Two steps for each level of properties. */
const longestPath = 256;
/** Of two sets of alternatives, each with each. */
const maxPairs = 256;

/** Joined with what else is said of the same objects or arrays. */
const joint = setOf(
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "items",
  "prefixItems",
);

/** Kept side by side. */
const severalHold = setOf("pattern", "format", "multipleOf");
/** Schemas themselves. */
const ofOthers = setOf("propertyNames", "unevaluatedItems", "unevaluatedProperties");

/** `true` allows everything, `false` nothing. */
export function mergeSchemas(a: unknown, b: unknown, parts: Parts, path: Path): unknown {
  const { references, work } = parts;
  if (path.length > longestPath) throw new SchemaError([], "it is nested too deeply to be merged");
  const [first, second] = [references.resolve(a, path), references.resolve(b, path)];
  if (first === false || second === false) return false;
  if (!isSchemaObject(first)) return second;
  if (!isSchemaObject(second)) return first;
  const left = constraints(withoutReference(first), path, parts);
  const right = constraints(withoutReference(second), path, parts);
  const merged: Record<string, unknown> = { ...left };
  for (const [name, value] of Object.entries(right)) {
    if (!isKeyword(name)) continue;
    const other = left[name];
    if (other === undefined || sameJson(other, value, work.compare)) merged[name] = value;
    else if (name === "const") return false;
    else if (!joint.has(name)) merged[name] = joined(name, [left, right], parts, path);
  }
  return {
    ...merged,
    ...objectKeywords(left, right, parts, path),
    ...arrayKeywords(left, right, parts, path),
  };
}

/** A reference with something beside it, as one of the parts that all hold. */
function withoutReference(schema: Schema): Schema {
  if (!("$ref" in schema)) return schema;
  const { $ref, allOf, ...rest } = schema;
  return { ...rest, allOf: [{ $ref }, ...asList(allOf)] };
}

/**
 * A schema as a part of another. `unevaluated…` inside it does not see the other's names and items, so it
 * forbids them.
 */
export function closed(part: unknown): unknown {
  if (!isSchemaObject(part)) return part;
  const { unevaluatedProperties, unevaluatedItems, ...rest } = part;
  if (unevaluatedProperties === undefined && unevaluatedItems === undefined) return part;
  return {
    ...(unevaluatedProperties === undefined ? {} : { additionalProperties: unevaluatedProperties }),
    ...(unevaluatedItems === undefined ? {} : { items: unevaluatedItems }),
    ...rest,
  };
}

function joined(keyword: Keyword, [left, right]: [Schema, Schema], parts: Parts, path: Path): unknown {
  const [a, b] = [left[keyword], right[keyword]];
  if (typeof a === "number" && typeof b === "number") {
    if (lowerBounds.has(keyword)) return Math.max(a, b);
    if (upperBounds.has(keyword)) return Math.min(a, b);
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    if (keyword === "allOf") return [...(a as unknown[]), ...(b as unknown[])];
    if (keyword === "anyOf" || keyword === "oneOf") {
      if (a.length * b.length > maxPairs) {
        throw new SchemaError([...path, keyword], "it has too many alternatives together with another one");
      }
      return a.flatMap((one: unknown) => b.map((other: unknown) => ({ allOf: [one, other] })));
    }
    if (keyword === "enum") {
      return a.filter((value) => b.some((other) => sameJson(value, other, parts.work.compare)));
    }
  }
  if (keyword === "type") return commonTypes(left, right, path);
  if (keyword === "uniqueItems") return a === true || b === true;
  if (severalHold.has(keyword)) return All.of(a, b);
  if (ofOthers.has(keyword)) return mergeSchemas(a, b, parts, [...path, keyword]);
  // Whatever is left is wrong in one of them, and will be found to be.
  return typeof a === "number" || Array.isArray(a) ? b : a;
}

function commonTypes(left: Schema, right: Schema, path: Path): string[] {
  const [types, others] = [typesOf(left, path), typesOf(right, path)];
  const both = types.filter((type) => others.includes(type));
  const whole = [types, others].every((list) => list.includes("integer") || list.includes("number"));
  return whole && !both.includes("number") && !both.includes("integer") ? [...both, "integer"] : both;
}

/** Names that one side does not know are subject to its `additionalProperties`. */
function objectKeywords(left: Schema, right: Schema, parts: Parts, path: Path): Schema {
  const touches = (schema: Schema) => "properties" in schema || "additionalProperties" in schema;
  const required = [...asList(left["required"]), ...asList(right["required"])];
  parts.work.compare(required.length);
  const result: Record<string, unknown> = {};
  if (required.length > 0) result["required"] = [...new Set(required)];
  const [patternsA, patternsB] = [asObject(left["patternProperties"]), asObject(right["patternProperties"])];
  if ("patternProperties" in left && "patternProperties" in right) {
    const place: Path = [...path, "patternProperties"];
    const both = Object.keys(patternsB).filter((name) => Object.hasOwn(patternsA, name));
    const merged = both.map((name): [string, unknown] => [
      name,
      mergeSchemas(patternsA[name], patternsB[name], parts, place),
    ]);
    result["patternProperties"] = { ...patternsA, ...patternsB, ...Object.fromEntries(merged) };
  }
  if (!touches(left) || !touches(right)) return result;
  const [a, b] = [asObject(left["properties"]), asObject(right["properties"])];
  const [restA, restB] = [left["additionalProperties"] ?? true, right["additionalProperties"] ?? true];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  const of = (schema: Schema, name: string, rest: unknown) =>
    Object.hasOwn(schema, name) ? schema[name] : rest;
  result["properties"] = Object.fromEntries(
    [...names].map((name, index) => [
      name,
      mergeSchemas(of(a, name, restA), of(b, name, restB), parts, [...path, "properties", index]),
    ]),
  );
  result["additionalProperties"] = mergeSchemas(restA, restB, parts, [...path, "additionalProperties"]);
  return result;
}

/** Items that one side has no place for are subject to its `items`. */
function arrayKeywords(left: Schema, right: Schema, parts: Parts, path: Path): Schema {
  const touches = (schema: Schema) => "items" in schema || "prefixItems" in schema;
  if (!touches(left) || !touches(right)) return {};
  const [a, b] = [asList(left["prefixItems"]), asList(right["prefixItems"])];
  const [restA, restB] = [left["items"] ?? true, right["items"] ?? true];
  const prefixItems = Array.from({ length: Math.max(a.length, b.length) }, (_, index) =>
    mergeSchemas(index < a.length ? a[index] : restA, index < b.length ? b[index] : restB, parts, [
      ...path,
      "prefixItems",
      index,
    ]),
  );
  const items = mergeSchemas(restA, restB, parts, [...path, "items"]);
  return prefixItems.length === 0 ? { items } : { prefixItems, items };
}
