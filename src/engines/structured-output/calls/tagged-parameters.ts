/**
 * What a grammar needs to know of a tool's parameters where arguments are written one by one between tags.
 *
 * There a string is plain text up to a tag, so only a string with no further constraint, or one of given texts, can be
 * held to its schema. Everything else is JSON, held by the grammar of its own schema.
 */
import { isObject } from "../../../protocol/read-json.js";
import { listedIn } from "../json-schema/schema.js";
import { parameterKind, type Schema } from "../../chat-format/parts/parameter-kinds.js";

export interface TaggedParameter {
  name: string;
  required: boolean;
  value: { type: "text" } | { type: "texts"; texts: readonly string[] } | { type: "json"; grammar: string };
}

export interface TaggedParametersOptions {
  /** The grammar of a JSON value that is valid for a schema; `$defs` of the whole are given with it. */
  compile: (schema: Schema) => string;
  /** Whether every value must be valid. If not, constraints of strings are left to the model. */
  exact: boolean;
}

/** Keywords that say nothing about which text a string is. */
const harmless =
  /^(?:type|title|description|default|examples|nullable|deprecated|readOnly|writeOnly|anyOf|oneOf)$/;

/** Null when the schema cannot be followed in this notation: the call is then written as JSON. */
export function taggedParameters(
  parameters: Schema,
  { compile, exact }: TaggedParametersOptions,
): TaggedParameter[] | null {
  const { properties = {}, required = [], ...others } = parameters;
  if (!isObject(properties) || !Array.isArray(required)) return null;
  const said = Object.keys(others).filter((keyword) => !isAboutNoValue(keyword));
  if (exact && said.length > 0) return null;
  const found: TaggedParameter[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const value = valueOf(name, schema, parameters, { compile, exact });
    // A name that would end its own tag.
    if (value === null || !/^[\w .-]+$/.test(name)) return null;
    found.push({ name, required: required.includes(name), value });
  }
  return required.every((name) => found.some((parameter) => parameter.name === name)) ? found : null;
}

/** Of an object's schema: names that are not declared do not come up, so what may be in them does not matter. */
const isAboutNoValue = (keyword: string): boolean =>
  /^(?:type|title|description|additionalProperties|\$schema|\$defs|definitions)$/.test(keyword);

function valueOf(
  name: string,
  schema: unknown,
  parameters: Schema,
  { compile, exact }: TaggedParametersOptions,
): TaggedParameter["value"] | null {
  if (parameterKind(parameters, name) === "other") {
    const { $defs, definitions } = parameters;
    const within = isObject(schema) ? { ...schema, ...defined({ $defs, definitions }) } : {};
    return { type: "json", grammar: compile(within) };
  }
  if (!isObject(schema)) return null;
  const texts = listedIn(schema);
  if (texts !== null) return textsOf(texts);
  return exact && !isAnyText(schema) ? null : { type: "text" };
}

/** `null` is written as the word. Texts that could not be told from the tags around them are no choice. */
function textsOf(values: readonly unknown[]): TaggedParameter["value"] | null {
  const texts = values.map((value) => (value === null ? "null" : value));
  const isPlain = (text: unknown): text is string => typeof text === "string" && /^[^<\n]*$/.test(text);
  return texts.every(isPlain) ? { type: "texts", texts } : null;
}

function isAnyText(schema: Schema): boolean {
  const options: unknown = schema["anyOf"] ?? schema["oneOf"] ?? [];
  return (
    Object.keys(schema).every((keyword) => harmless.test(keyword)) &&
    Array.isArray(options) &&
    options.every((option) => isObject(option) && isAnyText(option))
  );
}

const defined = (fields: Schema): Schema =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
