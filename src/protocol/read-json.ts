/**
 * Readers for values of a JSON body. Each takes a value and the path where it was found, and returns it with
 * its type known, or throws the error that names the path, what was expected and the type that was sent.
 * None of them ever puts the value itself into a message: it may be a user's text.
 */
import { ServiceError, type ErrorCode } from "../core/errors.js";

export type JsonObject = Record<string, unknown>;
export type Reader<T> = (value: unknown, path: string) => T;

export function required<T>(object: JsonObject, name: string, read: Reader<T>, parent = ""): T {
  const path = at(parent, name);
  const value = own(object, name);
  if (value !== undefined) return read(value, path);
  throw refusal("missing_required_parameter", path, `Missing required parameter: '${path}'.`);
}

/** `null` means omitted, as it does for OpenAI's clients. */
export function optional<T>(object: JsonObject, name: string, read: Reader<T>, parent = ""): T | undefined {
  const value = own(object, name);
  return value === undefined || value === null ? undefined : read(value, at(parent, name));
}

export const anything: Reader<unknown> = (value) => value;

export const string: Reader<string> = (value, path) => {
  if (typeof value !== "string") throw wrongType(path, "a string", value);
  // `\ud800` alone is legal JSON but not text: it cannot be encoded as UTF-8, so it must not get any further.
  return value.toWellFormed();
};

/** The body of a request. */
export function bodyObject(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw new ServiceError("invalid_json", { message: "The request body must be one JSON object." });
}

/** A name from a closed set. */
export const oneOf =
  <Name extends string>(...names: readonly Name[]): Reader<Name> =>
  (value, path) => {
    const text = string(value, path);
    const found = names.find((name) => name === text);
    if (found === undefined) throw notOneOf(names, path);
    return found;
  };

/** A name from a closed set, as what it stands for. */
export const mapped =
  <T>(meanings: Readonly<Record<string, T>>): Reader<T> =>
  (value, path) => {
    const meaning = own(meanings, string(value, path));
    if (meaning === undefined) throw notOneOf(Object.keys(meanings), path);
    return meaning;
  };

export const nonEmptyString: Reader<string> = (value, path) => {
  const text = string(value, path);
  if (text !== "") return text;
  const message = `'${path}' is too short: expected a string with at least 1 character, but got an empty one.`;
  throw refusal("string_too_short", path, message);
};

export const boolean: Reader<boolean> = (value, path) => {
  if (typeof value !== "boolean") throw wrongType(path, "a boolean", value);
  return value;
};

export const object: Reader<JsonObject> = (value, path) => {
  if (!isObject(value)) throw wrongType(path, "an object", value);
  return value;
};

export const array: Reader<unknown[]> = (value, path) => {
  if (!Array.isArray(value)) throw wrongType(path, "an array", value);
  return value;
};

export const nonEmptyArray: Reader<unknown[]> = (value, path) => {
  const items = array(value, path);
  if (items.length > 0) return items;
  throw refusal("empty_array", path, `'${path}' is empty: expected an array with at least 1 item.`);
};

/** Every item, with its path. */
export const each = <T>(items: readonly unknown[], path: string, read: Reader<T>): T[] =>
  items.map((item, index) => read(item, `${path}[${index}]`));

export const nonEmptyStrings =
  (most: number): Reader<string[]> =>
  (value, path) =>
    each(atMost(most, array(value, path), path), path, nonEmptyString);

/** Text, whole or in parts, of which `part` reads one. */
export const textIn =
  (part: Reader<string>): Reader<string> =>
  (value, path) => {
    if (typeof value === "string") return string(value, path);
    if (!Array.isArray(value)) throw wrongType(path, "a string or an array of text parts", value);
    return each(nonEmptyArray(value, path), path, part).join("");
  };

export function atMost<T>(most: number, items: readonly T[], path: string): readonly T[] {
  if (items.length <= most) return items;
  const message = `'${path}' is too long: expected at most ${most} items, but got ${items.length}.`;
  throw refusal("array_above_max_length", path, message);
}

/** JSON has no infinity, but `1e999` is read as one; it fails the bound like any number too large. */
export const decimal =
  (min: number, max: number): Reader<number> =>
  (value, path) => {
    if (typeof value !== "number") throw wrongType(path, "a number", value);
    return inRange("decimal", value, path, min, max);
  };

export const integer =
  (min: number, max: number): Reader<number> =>
  (value, path) => {
    if (typeof value !== "number") throw wrongType(path, "an integer", value);
    const isDecimal = Number.isFinite(value) && !Number.isInteger(value);
    if (isDecimal) throw wrongType(path, "an integer", value, "a decimal number");
    return inRange("integer", value, path, min, max);
  };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An error that names the field. The message never repeats its value. */
export const refusal = (code: ErrorCode, param: string, message: string): ServiceError =>
  new ServiceError(code, { message, param });

/** `expectation` completes the sentence, without its full stop. */
export const invalidValue = (path: string, expectation: string): ServiceError =>
  refusal("invalid_value", path, `Invalid value for '${path}': ${expectation}.`);

export const unsupportedValue = (path: string, reason: string): ServiceError =>
  refusal("unsupported_value", path, `Unsupported value for '${path}': ${reason}.`);

/** `reason` is the sentence that follows, with its full stop. */
export const unsupportedParameter = (param: string, reason: string): ServiceError =>
  refusal("unsupported_parameter", param, `Unsupported parameter: '${param}'. ${reason}`);

/** For a parameter that is refused whatever its value is, as long as it has one. */
export function refuse(body: JsonObject, param: string, reason: string): void {
  if (optional(body, param, anything) !== undefined) throw unsupportedParameter(param, reason);
}

function notOneOf(names: readonly string[], path: string): ServiceError {
  const quoted = names.map((name) => `'${name}'`);
  return invalidValue(path, `expected one of ${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1) ?? ""}`);
}

/** `came` says more than the JSON type where that would not explain the refusal. */
export function wrongType(
  path: string,
  expected: string,
  value: unknown,
  came = kindOf(value),
): ServiceError {
  return refusal("invalid_type", path, `Invalid type for '${path}': expected ${expected}, but got ${came}.`);
}

function inRange(kind: "decimal" | "integer", value: number, path: string, min: number, max: number): number {
  if (value > max) {
    const message = `'${path}' is above its maximum: expected at most ${max}.`;
    throw refusal(`${kind}_above_max_value`, path, message);
  }
  if (value < min) {
    const message = `'${path}' is below its minimum: expected at least ${min}.`;
    throw refusal(`${kind}_below_min_value`, path, message);
  }
  return value;
}

/** Own properties only: a body's `__proto__` or a name such as `constructor` means nothing here. */
const own = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const at = (parent: string, name: string): string => (parent === "" ? name : `${parent}.${name}`);

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
