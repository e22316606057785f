/** The values that `enum` and `const` list, without those that other keywords beside them exclude. */
import type { Expression } from "../gbnf.js";
import { isKeyword, keywords, lowerBounds, upperBounds, type Keyword } from "./keywords.js";
import { tooLarge, type Parts } from "./parts.js";
import {
  isOfType,
  isSchemaObject,
  listAt,
  SchemaError,
  typeOf,
  typesOf,
  type Path,
  type Schema,
} from "./schema.js";
import { oneOfTexts } from "../text-choice.js";

/** More make no grammar that is small enough. */
const maxValues = 10_000;

export function listedValues(schema: Schema, path: Path, parts: Parts): Expression {
  const { enum: _values, const: constant, type: _type, ...rest } = schema;
  const values = "enum" in schema ? listAt(schema, "enum", path) : [constant];
  if (values.length > maxValues) throw new SchemaError([], tooLarge);
  const types = typesOf(schema, path);
  const only = "const" in schema ? JSON.stringify(constant) : undefined;
  const listed = values.filter(
    (value) => isOfType(value, types) && (only === undefined || JSON.stringify(value) === only),
  );
  const allowed = Object.keys(rest)
    .filter(isKeyword)
    .reduce<readonly unknown[]>(
      (left, keyword) => withoutExcluded(left, keyword, schema, path, parts),
      listed,
    );
  if (allowed.length === 0)
    throw new SchemaError([...path, "enum" in schema ? "enum" : "const"], "it allows no value");
  return oneOfTexts(allowed.map((value) => JSON.stringify(value)));
}

function withoutExcluded(
  values: readonly unknown[],
  keyword: Keyword,
  schema: Schema,
  path: Path,
  parts: Parts,
): readonly unknown[] {
  const { of } = keywords[keyword];
  const isConcerned = (value: unknown) => {
    const type = typeOf(value);
    return of === "any" || type === of || (of === "number" && type === "integer");
  };
  parts.work.compare(values.length);
  if (keyword === "format" || !values.some(isConcerned)) return values;
  const bound = schema[keyword];
  if (!(lowerBounds.has(keyword) || upperBounds.has(keyword)) || typeof bound !== "number") {
    parts.leaveOut(path, keyword, "this cannot be enforced beside 'enum' or 'const'");
    return values;
  }
  return values.filter((value) => !isConcerned(value) || isWithin(sizeOf(value), keyword, bound));
}

function isWithin(size: number, keyword: Keyword, bound: number): boolean {
  if (size === bound) return !keyword.startsWith("exclusive");
  return lowerBounds.has(keyword) ? size > bound : size < bound;
}

/** What the bounds of its type are about. */
function sizeOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return Array.from(value).length;
  if (Array.isArray(value)) return value.length;
  return isSchemaObject(value) ? Object.keys(value).length : 0;
}
