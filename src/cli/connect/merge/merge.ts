/**
 * Settings put into a file that the user owns, by the smallest edits of its text: comments, order and layout stay. Each
 * format has an editor that knows where to cut. None of them is trusted: the file is parsed before and after, and
 * unless the outcome is exactly what was there with these settings in it, the file is refused and stays untouched.
 */
import { isDeepStrictEqual } from "node:util";
import { UserError } from "../../../core/user-error.js";
import type { FileFormat, Setting } from "../../../protocol/connect/client.js";
import { fileText, valueAt, withSetting } from "../../../protocol/connect/file-text.js";
import type { Edit } from "./edits.js";
import { envEdit, parseEnv } from "./env.js";
import { jsonEdit, parseJson } from "./json.js";
import { NotUnderstood } from "./not-understood.js";
import { parseToml, tomlEdit } from "./toml.js";
import { parseYaml, yamlEdit } from "./yaml.js";

interface Format {
  /** Throws `NotUnderstood`. */
  parse: (text: string) => unknown;
  /** The cuts for one setting that is not yet as it should be. Throws `NotUnderstood`. */
  edit: (text: string, setting: Setting) => Edit[];
}

const formats: Record<FileFormat, Format> = {
  json: { parse: parseJson, edit: jsonEdit },
  toml: { parse: parseToml, edit: tomlEdit },
  yaml: { parse: parseYaml, edit: yamlEdit },
  env: { parse: parseEnv, edit: envEdit },
};

/** The text with the settings in it; the same text where they are there already. Throws `UserError`. */
export function mergeSettings(
  before: string,
  format: FileFormat,
  settings: readonly Setting[],
  name: string,
): string {
  if (before.trim() === "") return fileText(format, settings);
  const { parse, edit } = formats[format];
  try {
    const parsed = parse(before);
    const wanted = settings.filter((setting) => !isDone(parsed, setting));
    let text = before;
    let expected = parsed;
    for (const setting of wanted) {
      text = withEdits(text, edit(text, setting));
      expected = withSetting(expected, setting.path, setting.value);
    }
    if (!isDeepStrictEqual(plain(parse(text)), plain(expected))) {
      throw new NotUnderstood("it is written in a way that cannot be edited safely");
    }
    return text;
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    throw new UserError(
      `${name} was not changed: ${error.message}. Add the settings by hand: the command without --write prints them.`,
    );
  }
}

function isDone(parsed: unknown, { path, value, onlyIfAbsent }: Setting): boolean {
  const now = valueAt(parsed, path);
  return onlyIfAbsent === true ? now !== undefined : isDeepStrictEqual(plain(now), plain(value));
}

/** Parsers differ in the prototypes of their objects, which are no part of a setting. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/** Applied from the end, so that the places of the others stay right. */
function withEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((whole, { start, end, text: put }) => whole.slice(0, start) + put + whole.slice(end), text);
}
