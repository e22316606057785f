/**
 * How large a JSON schema may be. Checked before anything else is done with it: reading, comparing and
 * compiling all take time that grows with it, and some of it faster than its size.
 *
 * The walk keeps its own stack, so depth costs no recursion, and it stops at the first bound that is passed.
 */
import type { JsonObject, Reader } from "./read-json.js";
import * as json from "./read-json.js";

/** A schema that is not too large. */
export const modestSchema: Reader<JsonObject> = (value, path) => {
  const schema = json.object(value, path);
  const excess = excessOf(schema);
  if (excess === null) return schema;
  throw json.refusal("invalid_value", path, `Invalid schema at '${path}': it is too large: ${excess}.`);
};

/** What is too much, as the end of a sentence; null when the schema is modest. */
export function excessOf(schema: unknown): string | null {
  let values = 0;
  let chars = 0;
  const open: { value: unknown; depth: number }[] = [{ value: schema, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > mostLevels) return `it may be nested ${mostLevels} levels deep`;
    if (typeof value === "string") chars += value.length;
    else if (typeof value === "object" && value !== null) {
      const names = Array.isArray(value) ? [] : Object.keys(value);
      const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
      values += items.length;
      if (values > mostValues) return `it may hold ${mostValues} values`;
      for (const name of names) chars += name.length;
      for (const item of items) open.push({ value: item, depth: depth + 1 });
    }
    if (chars > mostChars) return `its names and texts may have ${mostChars} characters together`;
  }
  return null;
}

/** Far above what people and their libraries write: a thousand properties with a description each fit. */
const mostValues = 20_000;
const mostChars = 128 * 1024;
const mostLevels = 64;
