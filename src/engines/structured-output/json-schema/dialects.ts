/** Schemas of older drafts and of OpenAPI 3.0, written as JSON Schema 2020-12 has it. */
import type { Schema } from "./schema.js";

export function modern(schema: Schema): Schema {
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
