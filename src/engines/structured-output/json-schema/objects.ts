/**
 * Objects. Declared names are written in their order, with the optional ones left out or not; where none is declared,
 * names are free, and subject to what `propertyNames` or `patternProperties` say.
 */
import { choice, impossible, repeat, sequence, text, type Expression } from "../gbnf.js";
import * as json from "./json-text.js";
import { mergeSchemas } from "./merge.js";
import { canCount, orderedSubset } from "./ordered-subset.js";
import { countsAt, type Parts } from "./parts.js";
import { isSchemaObject, listAt, listedIn, schemasAt, type Path, type Schema } from "./schema.js";

/** Elements of the grammar for a property, besides its name and its value: quotes, colon, comma. */
const leastOfMember = 10;
const maxListedNames = 1_000;
const besideProperties = "this cannot be enforced beside 'properties'";

export function objects(schema: Schema, path: Path, parts: Parts): Expression {
  const declared = schemasAt(schema, "properties", path);
  const required = new Set(listAt(schema, "required", path).map(String));
  const listed = listedNames(schema["propertyNames"], [...path, "propertyNames"], parts);
  if (Object.keys(declared).length === 0 && required.size === 0 && listed === null) {
    return withFreeNames(schema, path, parts);
  }
  if (listed === null && constrainsNames(schema)) parts.leaveOut(path, "propertyNames", besideProperties);
  if ("patternProperties" in schema) parts.leaveOut(path, "patternProperties", besideProperties);
  const rest = restOf(schema);
  // Declared names come first, so that a position is the same in the schema.
  const names = [...new Set([...Object.keys(declared), ...required, ...(listed ?? [])])];
  parts.grammar.requireRoom(names.reduce((sum, name) => sum + name.length + leastOfMember, 0));
  const valueOf = (name: string, index: number): Expression => {
    if (listed !== null && !listed.has(name)) return impossible;
    return Object.hasOwn(declared, name)
      ? parts.value(declared[name], [...path, "properties", index])
      : parts.value(rest, [...path, "additionalProperties"]);
  };
  const members = names.map((name, index) => ({
    content: member(text(JSON.stringify(name)), valueOf(name, index)),
    isRequired: required.has(name),
  }));
  let [min, max = Infinity] = countsAt(schema, "minProperties", "maxProperties", path, parts);
  if (!canCount(members, min, max)) {
    parts.leaveOut(path, min > required.size ? "minProperties" : "maxProperties");
    [min, max] = [0, Infinity];
  }
  return sequence(text("{"), orderedSubset(members, min, max, parts.grammar), text("}"));
}

function withFreeNames(schema: Schema, path: Path, parts: Parts): Expression {
  const [min, max] = countsAt(schema, "minProperties", "maxProperties", path, parts);
  if (min > 1) parts.leaveOut(path, "minProperties");
  const one = freeMember(schema, path, parts);
  if (one === null || max === 0) return min > 0 ? impossible : text("{}");
  const more = repeat(sequence(json.comma, one), Math.max(0, min - 1), max === undefined ? max : max - 1);
  const members = sequence(one, more);
  return sequence(text("{"), min > 0 ? members : repeat(members, 0, 1), text("}"));
}

const member = (name: Expression, value: Expression): Expression => sequence(name, json.colon, value);

/** A name with its value; null where there may be none. */
function freeMember(schema: Schema, path: Path, parts: Parts): Expression | null {
  const patterns = Object.entries(schemasAt(schema, "patternProperties", path));
  if (patterns.length > 0) {
    // A name may match several patterns, or be one that `propertyNames` forbids.
    if (patterns.length > 1 || constrainsNames(schema)) parts.leaveOut(path, "patternProperties");
    const options = patterns.map(([pattern, value], index) => {
      const place: Path = [...path, "patternProperties", index];
      return member(parts.value({ type: "string", pattern }, place), parts.value(value, place));
    });
    return choice(...options);
  }
  const rest = restOf(schema);
  if (rest === false) return null;
  return member(freeName(schema, path, parts), parts.value(rest, [...path, "additionalProperties"]));
}

function freeName(schema: Schema, path: Path, parts: Parts): Expression {
  if (!constrainsNames(schema)) return json.anyString(parts.grammar);
  const place: Path = [...path, "propertyNames"];
  return parts.value(mergeSchemas(schema["propertyNames"], { type: "string" }, parts, place), place);
}

function constrainsNames({ propertyNames }: Schema): boolean {
  if (propertyNames === undefined || propertyNames === true) return false;
  if (!isSchemaObject(propertyNames)) return true;
  const { type, ...others } = propertyNames;
  return Object.keys(others).length > 0 || (type !== undefined && type !== "string");
}

/** The names that may come at all, where they are listed. */
function listedNames(given: unknown, path: Path, { references, work }: Parts): Set<string> | null {
  const schema = references.resolve(given, path);
  if (!isSchemaObject(schema)) return null;
  const options: unknown = schema["anyOf"] ?? schema["oneOf"];
  const isChoice = Array.isArray(options) && options.length <= maxListedNames;
  const lists = (isChoice ? options : [schema]).map((option) => {
    const resolved = references.resolve(option, path);
    const values = isSchemaObject(resolved) ? listedIn(resolved) : null;
    work.compare(values?.length ?? 0);
    return values;
  });
  const isListed = lists.every((values) => values !== null);
  return isListed ? new Set(lists.flat().filter((value) => typeof value === "string")) : null;
}

const restOf = (schema: Schema): unknown =>
  schema["additionalProperties"] ?? schema["unevaluatedProperties"] ?? true;
