/** Whether alternatives exclude each other, as `oneOf` requires. */
import type { References } from "./references.js";
import {
  asList,
  asObject,
  isOfType,
  isSchemaObject,
  sameJson,
  typesOf,
  type Path,
  type Schema,
} from "./schema.js";

const deepest = 4;

/** Whether no value can be valid for both. When in doubt: no. */
export function areDisjoint(a: unknown, b: unknown, references: References, path: Path, depth = 0): boolean {
  const [left, right] = [references.resolve(a, path), references.resolve(b, path)];
  if (left === false || right === false) return true;
  if (!isSchemaObject(left) || !isSchemaObject(right) || depth > deepest) return false;
  const nested = alternativesOf(left);
  if (nested !== null) return nested.every((one) => areDisjoint(one, right, references, path, depth + 1));
  const others = alternativesOf(right);
  if (others !== null) return others.every((one) => areDisjoint(left, one, references, path, depth + 1));
  const [valuesA, valuesB] = [valuesOf(left), valuesOf(right)];
  if (valuesA !== null && valuesB !== null) {
    return !valuesA.some((value) => valuesB.some((other) => sameJson(value, other, references.work.compare)));
  }
  const [typesA, typesB] = [typesOf(left, path), typesOf(right, path)];
  references.work.compare((valuesA ?? valuesB ?? []).length);
  if (valuesA !== null) return !valuesA.some((value) => isOfType(value, typesB));
  if (valuesB !== null) return !valuesB.some((value) => isOfType(value, typesA));
  const numeric = (types: readonly string[]) => types.includes("integer") || types.includes("number");
  const shared = typesA.filter((type) => typesB.includes(type));
  if (shared.length === 0) return !(numeric(typesA) && numeric(typesB));
  if (shared.some((type) => type !== "object") || (numeric(typesA) && numeric(typesB))) return false;
  return sharedRequired(left, right, references).some((name) =>
    differIn(name, left, right, references, path, depth),
  );
}

/**
 * The name of a property that both declare, with values that exclude each other. Once it is required, no value is valid
 * for both: encoders leave a discriminator optional when it has a default.
 */
export function discriminatorOf(a: unknown, b: unknown, references: References, path: Path): string | null {
  const [left, right] = [references.resolve(a, path), references.resolve(b, path)];
  if (!isSchemaObject(left) || !isSchemaObject(right)) return null;
  const areObjects = [left, right].every((schema) => schema["type"] === "object");
  if (!areObjects) return null;
  const names = Object.keys(asObject(left["properties"]));
  references.work.compare(names.length);
  return (
    names.find(
      (name) =>
        Object.hasOwn(asObject(right["properties"]), name) &&
        differIn(name, left, right, references, path, 0),
    ) ?? null
  );
}

function differIn(
  name: string,
  left: Schema,
  right: Schema,
  references: References,
  path: Path,
  depth: number,
): boolean {
  const [a, b] = [asObject(left["properties"])[name], asObject(right["properties"])[name]];
  return areDisjoint(a, b, references, path, depth + 1);
}

/** Where the schema has no other keyword that could distinguish it. */
function alternativesOf(schema: Schema): readonly unknown[] | null {
  const options = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(options) && !("type" in schema) && !("properties" in schema) ? options : null;
}

function valuesOf(schema: Schema): readonly unknown[] | null {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : null;
}

function sharedRequired(left: Schema, right: Schema, references: References): string[] {
  const required = new Set(asList(right["required"]));
  references.work.compare(required.size + asList(left["required"]).length);
  const names = asList(left["required"]).filter((name): name is string => typeof name === "string");
  return names.filter(
    (name) =>
      required.has(name) &&
      Object.hasOwn(asObject(left["properties"]), name) &&
      Object.hasOwn(asObject(right["properties"]), name),
  );
}
