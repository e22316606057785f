/** The constraints of a schema, without annotations and what cannot be enforced. */
import { isKeyword, keywords, type Keyword } from "./keywords.js";
import type { Parts } from "./parts.js";
import { isSchemaObject, typesOf, type Path, type Schema } from "./schema.js";

/**
 * The keywords that constrain, in the words of the current draft. Others are annotations: libraries write many of
 * their own. Those that no grammar can enforce are left out, or refused.
 */
export function constraints(given: Schema, path: Path, parts: Parts): Schema {
  const schema = modern(given);
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (!isKeyword(name)) continue;
    if (keywords[name].enforced === "no") {
      if (isAbout(name, schema, path)) parts.leaveOut(path, name);
    } else if (name !== "not" || allowsNothing(value, schema, path, parts)) result[name] = value;
  }
  return result;
}

/** Whether values that the schema allows may be of the kind that the keyword constrains. */
function isAbout(keyword: Keyword, schema: Schema, path: Path): boolean {
  const { of } = keywords[keyword];
  if (of === "any" || !("type" in schema)) return true;
  const types = typesOf(schema, path);
  return types.includes(of) || (of === "number" && types.includes("integer"));
}

/** Whether `not` excludes every value. Anything between that and excluding none cannot be enforced. */
function allowsNothing(value: unknown, schema: Schema, path: Path, parts: Parts): boolean {
  if (value === false) return false;
  if (value === true || (isSchemaObject(value) && !Object.keys(value).some(isKeyword))) return true;
  if (isAbout("not", schema, path)) parts.leaveOut(path, "not");
  return false;
}

/** Schemas of older drafts and of OpenAPI 3.0, written as JSON Schema 2020-12 has it. */
function modern(schema: Schema): Schema {
  let result = schema;
  if ("items" in schema || "additionalItems" in schema) result = withPrefixItems(result);
  if (typeof schema["exclusiveMinimum"] === "boolean") result = exclusive(result, "Minimum");
  if (typeof schema["exclusiveMaximum"] === "boolean") result = exclusive(result, "Maximum");
  if ("nullable" in schema) result = withNull(result);
  return result;
}

/** Up to draft 2019-09 `items` could be a list, and `additionalItems` was for what follows it. */
function withPrefixItems(schema: Schema): Schema {
  const { additionalItems, items, ...rest } = schema;
  if (!Array.isArray(items)) return items === undefined ? rest : { ...rest, items };
  return {
    ...rest,
    prefixItems: items,
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  };
}

/** In draft 4 a boolean said whether the bound beside it was exclusive. */
function exclusive(schema: Schema, bound: "Minimum" | "Maximum"): Schema {
  const name = `exclusive${bound}`;
  const inclusive = bound.toLowerCase();
  const { [name]: isExclusive, ...rest } = schema;
  if (isExclusive !== true || !(inclusive in rest)) return rest;
  const { [inclusive]: value, ...others } = rest;
  return { ...others, [name]: value };
}

function withNull(schema: Schema): Schema {
  const { nullable, ...rest } = schema;
  const { type } = rest;
  if (nullable !== true || type === undefined) return rest;
  return { ...rest, type: [...(Array.isArray(type) ? (type as unknown[]) : [type]), "null"] };
}
