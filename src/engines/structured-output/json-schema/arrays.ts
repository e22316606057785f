/** Arrays: lists of one kind of item, tuples, and sets of known values. */
import { choice, impossible, repeat, sequence, text, type Expression } from "../gbnf.js";
import * as json from "./json-text.js";
import { orderedSubset } from "./ordered-subset.js";
import { countsAt, type Parts } from "./parts.js";
import { isSchemaObject, listAt, listedIn, sameJson, type Path, type Schema } from "./schema.js";

const maxSetValues = 32;

export function arrays(schema: Schema, path: Path, parts: Parts): Expression {
  const [min, max] = countsAt(schema, "minItems", "maxItems", path, parts);
  const first = listAt(schema, "prefixItems", path);
  const items = schema["items"] ?? schema["unevaluatedItems"] ?? true;
  const itemsPath: Path = [...path, "items"];
  if (schema["uniqueItems"] === true && (max ?? Infinity) > 1) {
    const values = first.length === 0 ? valuesOf(items, itemsPath, parts) : null;
    if (values !== null) return setOf(values, min, max, parts);
    parts.leaveOut(path, "uniqueItems");
  }
  if (first.length === 0) {
    if (items === false) return min > 0 ? impossible : text("[]");
    return json.listOf(parts.value(items, itemsPath), min, max);
  }
  const inOrder = first
    .slice(0, max ?? Infinity)
    .map((item, index) => parts.value(item, [...path, "prefixItems", index]));
  const rest = items === false ? impossible : parts.value(items, itemsPath);
  return tuple(inOrder, rest, min, max);
}

/** The items that must be there, then as many more as there may be. */
function tuple(
  first: readonly Expression[],
  rest: Expression,
  min: number,
  max: number | undefined,
): Expression {
  const maxMore = max === undefined ? undefined : Math.max(0, max - first.length);
  const leastMore = Math.max(0, min - first.length);
  let more = repeat(sequence(json.comma, rest), leastMore, maxMore);
  for (const [index, item] of [...first.entries()].toReversed()) {
    const written = index === 0 ? [item] : [json.comma, item];
    const withItem = sequence(...written, more);
    more = index >= min ? choice(withItem, text("")) : withItem;
  }
  return sequence(text("["), more, text("]"));
}

/** The values that an item may have, where they are listed and few. */
function valuesOf(items: unknown, path: Path, { references, work }: Parts): readonly unknown[] | null {
  const schema = references.resolve(items, path);
  if (!isSchemaObject(schema)) return null;
  const anyBoolean = schema["type"] === "boolean" && !("enum" in schema) ? [true, false] : null;
  const values = listedIn(schema) ?? anyBoolean;
  if (values === null || values.length > maxSetValues) return null;
  return values.filter(
    (value, index) => values.findIndex((other) => sameJson(other, value, work.compare)) === index,
  );
}

function setOf(
  values: readonly unknown[],
  min: number,
  max: number | undefined,
  { grammar }: Parts,
): Expression {
  const members = values.map((value) => ({ content: text(JSON.stringify(value)), isRequired: false }));
  return sequence(text("["), orderedSubset(members, min, max ?? Infinity, grammar), text("]"));
}
