/**
 * Two schemas to one that allows what both allow, for `allOf` and for what stands beside `anyOf` or `$ref`.
 * Where that takes more than joining keywords (two patterns, two sets of alternatives), it is refused.
 */
import { References } from "./references.js";
import {
  constraints,
  isOfType,
  isSchemaObject,
  keywordOf,
  sameJson,
  SchemaError,
  typesOf,
  type Keyword,
  type Path,
  type Schema,
} from "./schema.js";

/** Schemas that refer to themselves would be merged without end. Two steps for each level of properties. */
const longestPath = 256;

const larger = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const smaller = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);

/** `true` allows everything, `false` nothing. */
export function mergeSchemas(a: unknown, b: unknown, references: References, path: Path): unknown {
  if (path.length > longestPath) throw new SchemaError([], "it is nested too deeply to be merged");
  const [first, second] = [references.resolve(a, path), references.resolve(b, path)];
  if (first === false || second === false) return false;
  if (!isSchemaObject(first)) return second;
  if (!isSchemaObject(second)) return first;
  const [left, right] = [constraints(first, path), constraints(second, path)];
  const merged: Record<string, unknown> = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const keyword = keywordOf(name);
    if (keyword === undefined) continue;
    const other = left[keyword];
    merged[keyword] =
      other === undefined || sameJson(other, value, references.spend)
        ? value
        : joined(keyword, [left, right], references, path);
  }
  return { ...merged, ...objectKeywords(left, right, references, path) };
}

function joined(
  keyword: Keyword,
  [left, right]: [Schema, Schema],
  references: References,
  path: Path,
): unknown {
  const [a, b] = [left[keyword], right[keyword]];
  if (typeof a === "number" && typeof b === "number") {
    if (larger.has(keyword)) return Math.max(a, b);
    if (smaller.has(keyword)) return Math.min(a, b);
  }
  if (keyword === "type") {
    const [types, others] = [typesOf(left, path), typesOf(right, path)];
    const both = types.filter((type) => others.includes(type));
    const whole = [types, others].every((list) => list.includes("integer") || list.includes("number"));
    return whole && !both.includes("number") && !both.includes("integer") ? [...both, "integer"] : both;
  }
  if (keyword === "enum" && Array.isArray(a) && Array.isArray(b)) {
    return a.filter((value) => b.some((candidate) => sameJson(value, candidate, references.spend)));
  }
  if (keyword === "const") return false;
  if (keyword === "items") return mergeSchemas(a, b, references, [...path, keyword]);
  if (keyword === "uniqueItems") return true;
  if (["properties", "required", "additionalProperties"].includes(keyword)) return b;
  throw new SchemaError([...path, keyword], "it cannot be combined with another one for the same value");
}

/** Names that one side does not know are subject to its `additionalProperties`. */
function objectKeywords(left: Schema, right: Schema, references: References, path: Path): Schema {
  const touches = (schema: Schema) => "properties" in schema || "additionalProperties" in schema;
  const required = [...asList(left["required"]), ...asList(right["required"])];
  references.spend(required.length);
  const result: Record<string, unknown> = {};
  if (required.length > 0) result["required"] = [...new Set(required)];
  if (!touches(left) || !touches(right)) return result;
  const [a, b] = [asObject(left["properties"]), asObject(right["properties"])];
  const [restA, restB] = [left["additionalProperties"] ?? true, right["additionalProperties"] ?? true];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  const of = (schema: Schema, name: string, rest: unknown) =>
    Object.hasOwn(schema, name) ? schema[name] : rest;
  result["properties"] = Object.fromEntries(
    [...names].map((name, index) => [
      name,
      mergeSchemas(of(a, name, restA), of(b, name, restB), references, [...path, "properties", index]),
    ]),
  );
  result["additionalProperties"] = mergeSchemas(restA, restB, references, [...path, "additionalProperties"]);
  return result;
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const asObject = (value: unknown): Schema => (isSchemaObject(value) ? value : {});

/** Whether no value can be valid for both. When in doubt: no. */
export function areDisjoint(a: unknown, b: unknown, references: References, path: Path, depth = 0): boolean {
  const [left, right] = [references.resolve(a, path), references.resolve(b, path)];
  if (left === false || right === false) return true;
  if (!isSchemaObject(left) || !isSchemaObject(right) || depth > 4) return false;
  const [valuesA, valuesB] = [valuesOf(left), valuesOf(right)];
  if (valuesA !== null && valuesB !== null) {
    return !valuesA.some((value) => valuesB.some((other) => sameJson(value, other, references.spend)));
  }
  const [typesA, typesB] = [typesOf(left, path), typesOf(right, path)];
  references.spend((valuesA ?? valuesB ?? []).length);
  if (valuesA !== null) return !valuesA.some((value) => isOfType(value, typesB));
  if (valuesB !== null) return !valuesB.some((value) => isOfType(value, typesA));
  const numeric = (types: readonly string[]) => types.includes("integer") || types.includes("number");
  const shared = typesA.filter((type) => typesB.includes(type));
  if (shared.length === 0) return !(numeric(typesA) && numeric(typesB));
  if (shared.some((type) => type !== "object") || (numeric(typesA) && numeric(typesB))) return false;
  return tellingNames(left, right, references).some((name) =>
    areDisjoint(
      asObject(left["properties"])[name],
      asObject(right["properties"])[name],
      references,
      path,
      depth + 1,
    ),
  );
}

function valuesOf(schema: Schema): readonly unknown[] | null {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : null;
}

/** Properties that both must have. */
function tellingNames(left: Schema, right: Schema, references: References): string[] {
  const required = new Set(asList(right["required"]));
  references.spend(required.size + asList(left["required"]).length);
  const names = asList(left["required"]).filter((name): name is string => typeof name === "string");
  return names.filter(
    (name) =>
      required.has(name) &&
      Object.hasOwn(asObject(left["properties"]), name) &&
      Object.hasOwn(asObject(right["properties"]), name),
  );
}
