/** A configuration file with nothing but these settings, for display and for users who have none yet. */
import type { FileFormat, PathStep, Setting, Value } from "./client.js";

export function fileText(format: FileFormat, settings: readonly Setting[]): string {
  switch (format) {
    case "json":
      return `${JSON.stringify(wholeOf(settings), null, 2)}\n`;
    case "yaml":
      return `${yamlLines(wholeOf(settings), 0).join("\n")}\n`;
    case "toml":
      return tomlText(wholeOf(settings), []);
  }
}

export function wholeOf(settings: readonly Setting[]): unknown {
  let whole: unknown = {};
  for (const { path, value } of settings) whole = withSetting(whole, path, value);
  return whole;
}

/** A copy of `value` with one setting in it. An item of a list is replaced in place or appended. */
export function withSetting(value: unknown, path: readonly PathStep[], set: Value): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return set;
  if (typeof step === "string") {
    const object = isObject(value) ? value : {};
    return { ...object, [step]: withSetting(object[step], rest, set) };
  }
  const list = isList(value) ? value : [];
  const position = list.findIndex((item) => isItem(item, step));
  const changed = withSetting(list[position], rest, set);
  return position < 0 ? [...list, changed] : list.map((item, at) => (at === position ? changed : item));
}

/** Undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: readonly PathStep[]): unknown {
  let at = value;
  for (const step of path) {
    if (typeof step === "string") at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    else at = isList(at) ? at.find((item) => isItem(item, step)) : undefined;
  }
  return at;
}

/** The same in TOML, YAML and JSON. */
const quoted = (text: string): string => JSON.stringify(text);

function tomlValue(value: unknown): string {
  if (isList(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${tomlValue(item)}`);
    return `{ ${pairs.join(", ")} }`;
  }
  return typeof value === "string" ? quoted(value) : String(value);
}

const tomlKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : quoted(key));

/** Values before tables: every line after a table's header belongs to that table. */
function tomlText(whole: unknown, path: readonly string[]): string {
  if (!isObject(whole)) return "";
  const entries = Object.entries(whole);
  const lines = entries.flatMap(([key, value]) =>
    isObject(value) ? [] : [`${tomlKey(key)} = ${tomlValue(value)}\n`],
  );
  const header = path.length > 0 && lines.length > 0 ? `[${path.map(tomlKey).join(".")}]\n` : "";
  const tables = entries.flatMap(([key, value]) =>
    isObject(value) ? [tomlText(value, [...path, key])] : [],
  );
  return [header + lines.join(""), ...tables].filter((part) => part !== "").join("\n");
}

/** Block style, two spaces, lists of scalars on one line. */
function yamlLines(value: unknown, depth: number): string[] {
  const margin = "  ".repeat(depth);
  if (isList(value)) return value.flatMap((item) => yamlItem(item, depth));
  if (!isObject(value)) return [margin + yamlScalar(value)];
  return Object.entries(value).flatMap(([key, item]) => {
    const name = `${margin}${yamlScalar(key)}:`;
    if (isFlat(item)) return [`${name} ${yamlFlat(item)}`];
    return [name, ...yamlLines(item, depth + 1)];
  });
}

function yamlItem(item: unknown, depth: number): string[] {
  const margin = "  ".repeat(depth);
  if (isFlat(item)) return [`${margin}- ${yamlFlat(item)}`];
  const [first = "", ...rest] = yamlLines(item, depth + 1);
  return [`${margin}- ${first.trimStart()}`, ...rest];
}

const isFlat = (value: unknown): boolean =>
  isList(value) ? value.every((item) => typeof item !== "object") : typeof value !== "object";

function yamlFlat(value: unknown): string {
  return isList(value) ? `[${value.map(yamlFlat).join(", ")}]` : yamlScalar(value);
}

/** Unquoted only where no YAML parser could read anything else, such as a number, a date or a comment. */
function yamlScalar(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const isPlain = /^[A-Za-z][\w./-]*(?: [\w./-]+)*$/.test(value);
  return isPlain && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value) ? value : quoted(value);
}

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isItem = (item: unknown, step: Exclude<PathStep, string>): boolean =>
  isObject(item) && item[step.key] === step.equals;
