/** A JSON schema as the client sent it, and how to read it without trusting it. */
import { isObject } from "../../../protocol/read-json.js";
import type { Keyword } from "./keywords.js";

export type Schema = Readonly<Record<string, unknown>>;

/**
 * What is wrong with it, and where: `path` leads from the schema's root to a keyword. Both are shown to the client,
 * so neither may hold what the client wrote.
 */
export class SchemaError extends Error {
  constructor(
    readonly path: Path,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** Names that a client chose are given by their position: a path cannot hold one. */
export type Path = readonly (Keyword | number)[];

/** What several schemas say with one keyword, for a value that is subject to all of them. No JSON is one of these. */
export class All {
  constructor(readonly values: readonly unknown[]) {}

  static of(...parts: readonly unknown[]): All {
    return new All(parts.flatMap((part) => (part instanceof All ? part.values : [part])));
  }
}

const jsonTypes = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
export type JsonType = (typeof jsonTypes)[number];

export const isSchemaObject: (value: unknown) => value is Schema = isObject;

export const asObject = (value: unknown): Schema => (isObject(value) ? value : {});
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The values that `const` or `enum` lists; null where neither does. */
export function listedIn(schema: Schema): readonly unknown[] | null {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : null;
}

export function typesOf(schema: Schema, path: Path): JsonType[] {
  const { type } = schema;
  if (type === undefined) return [...jsonTypes];
  const names = new Set<unknown>(Array.isArray(type) ? type : [type]);
  return Array.from(names, (name) => {
    const known = jsonTypes.find((candidate) => candidate === name);
    if (known === undefined)
      throw new SchemaError([...path, "type"], `expected one of ${jsonTypes.join(", ")}`);
    return known;
  });
}

export function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "boolean" : "object";
}

export function isOfType(value: unknown, types: readonly JsonType[]): boolean {
  const type = typeOf(value);
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** A finite number, or undefined where the keyword is absent. */
export function numberAt(schema: Schema, keyword: Keyword, path: Path): number | undefined {
  const value = schema[keyword];
  if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
  throw new SchemaError([...path, keyword], "expected a number");
}

export function countAt(schema: Schema, keyword: Keyword, path: Path): number | undefined {
  const value = numberAt(schema, keyword, path);
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  throw new SchemaError([...path, keyword], "expected a whole number, 0 or more");
}

export function listAt(schema: Schema, keyword: Keyword, path: Path): readonly unknown[] {
  const value = schema[keyword] ?? [];
  if (Array.isArray(value)) return value;
  throw new SchemaError([...path, keyword], "expected an array");
}

export function schemasAt(schema: Schema, keyword: Keyword, path: Path): Schema {
  const value = schema[keyword] ?? {};
  if (isSchemaObject(value)) return value;
  throw new SchemaError([...path, keyword], "expected an object");
}

/** `spend` is called for every part that is compared: through references, one large value may be compared many times. */
export function sameJson(a: unknown, b: unknown, spend: (units: number) => void): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    spend(1);
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index], spend));
  }
  if (isSchemaObject(a) && isSchemaObject(b)) {
    const keys = Object.keys(a);
    spend(1 + keys.length);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key], spend))
    );
  }
  spend(1);
  return a === b;
}
