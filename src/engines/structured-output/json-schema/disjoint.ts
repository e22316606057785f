/** Whether alternatives exclude each other, as `oneOf` requires. */
import type { Parts } from "./parts.js";
import {
  asList,
  asObject,
  isOfType,
  isSchemaObject,
  listedIn,
  sameJson,
  typesOf,
  type Path,
  type Schema,
} from "./schema.js";

const deepest = 4;

/** Whether no value can be valid for both. When in doubt: no. */
export function areDisjoint(a: unknown, b: unknown, path: Path, parts: Parts, depth = 0): boolean {
  const [left, right] = [parts.references.resolve(a, path), parts.references.resolve(b, path)];
  if (left === false || right === false) return true;
  if (!isSchemaObject(left) || !isSchemaObject(right) || depth > deepest) return false;
  const nested = alternativesOf(left);
  if (nested !== null) return nested.every((one) => areDisjoint(one, right, path, parts, depth + 1));
  const others = alternativesOf(right);
  if (others !== null) return others.every((one) => areDisjoint(left, one, path, parts, depth + 1));
  const [valuesA, valuesB] = [listedIn(left), listedIn(right)];
  if (valuesA !== null && valuesB !== null) {
    return !valuesA.some((value) => valuesB.some((other) => sameJson(value, other, parts.work.compare)));
  }
  const [typesA, typesB] = [typesOf(left, path), typesOf(right, path)];
  parts.work.compare((valuesA ?? valuesB ?? []).length);
  if (valuesA !== null) return !valuesA.some((value) => isOfType(value, typesB));
  if (valuesB !== null) return !valuesB.some((value) => isOfType(value, typesA));
  const numeric = (types: readonly string[]) => types.includes("integer") || types.includes("number");
  const shared = typesA.filter((type) => typesB.includes(type));
  if (shared.length === 0) return !(numeric(typesA) && numeric(typesB));
  if (shared.some((type) => type !== "object") || (numeric(typesA) && numeric(typesB))) return false;
  const required = asList(left["required"]).filter((name) => typeof name === "string");
  const alsoRequired = new Set(asList(right["required"]));
  parts.work.compare(required.length + alsoRequired.size);
  return required.some((name) => alsoRequired.has(name) && differIn(name, left, right, path, parts, depth));
}

/**
 * The name of a property that both declare, with values that exclude each other. Once it is required, no value is valid
 * for both: encoders leave a discriminator optional when it has a default.
 */
export function discriminatorOf(a: unknown, b: unknown, path: Path, parts: Parts): string | null {
  const [left, right] = [parts.references.resolve(a, path), parts.references.resolve(b, path)];
  if (!isSchemaObject(left) || !isSchemaObject(right)) return null;
  if (left["type"] !== "object" || right["type"] !== "object") return null;
  const names = Object.keys(asObject(left["properties"]));
  parts.work.compare(names.length);
  return names.find((name) => differIn(name, left, right, path, parts, 0)) ?? null;
}

/** Whether both declare the property, with values that exclude each other. */
function differIn(
  name: string,
  left: Schema,
  right: Schema,
  path: Path,
  parts: Parts,
  depth: number,
): boolean {
  const [a, b] = [asObject(left["properties"]), asObject(right["properties"])];
  if (!Object.hasOwn(a, name) || !Object.hasOwn(b, name)) return false;
  return areDisjoint(a[name], b[name], path, parts, depth + 1);
}

/** Where the schema has no other keyword that could distinguish it. */
function alternativesOf(schema: Schema): readonly unknown[] | null {
  const options = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(options) && !("type" in schema) && !("properties" in schema) ? options : null;
}
