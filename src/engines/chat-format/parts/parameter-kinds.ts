/**
 * Which parameters of a tool are strings, for notations that write values as plain text: `5` is a number to one
 * parameter and text to another. Read from the schema of the parameters, as far as it is plain about it.
 */
import { isObject } from "../../../protocol/read-json.js";

/** `string`: always text. `nullable`: text, or `null`. `other`: JSON where the value is JSON, text where it is not. */
export type ParameterKind = "string" | "nullable" | "other";

export type Schema = Readonly<Record<string, unknown>>;

const deepest = 16;

export function parameterKind(parameters: Schema | undefined, name: string): ParameterKind {
  const properties = parameters?.["properties"];
  if (parameters === undefined || !isObject(properties) || !Object.hasOwn(properties, name)) return "other";
  const types = typesOf(properties[name], parameters, 0);
  if (types?.has("string") !== true) return "other";
  if ([...types].some((type) => type !== "string" && type !== "null")) return "other";
  return types.has("null") ? "nullable" : "string";
}

/** The types that a value may have; null when the schema does not say. */
function typesOf(schema: unknown, root: Schema, depth: number): Set<unknown> | null {
  if (!isObject(schema) || depth > deepest) return null;
  const { type, enum: values, anyOf, oneOf, $ref } = schema;
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set<unknown>(type);
  if (Object.hasOwn(schema, "const")) return new Set([typeOf(schema["const"])]);
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  if (typeof $ref === "string") return typesOf(target($ref, root), root, depth + 1);
  const options: unknown = anyOf ?? oneOf;
  if (!Array.isArray(options)) return null;
  const all = new Set<unknown>();
  for (const option of options) {
    const types = typesOf(option, root, depth + 1);
    if (types === null) return null;
    for (const one of types) all.add(one);
  }
  return all;
}

const typeOf = (value: unknown): string => (value === null ? "null" : typeof value);

function target(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let place: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(place) || !Object.hasOwn(place, key)) return undefined;
    place = place[key];
  }
  return place;
}
