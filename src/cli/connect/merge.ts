/**
 * Settings in a file that the user owns, by libraries that keep comments and order. None of them is trusted: the file
 * is parsed before and after, and unless the outcome is exactly the old content with these settings in it, the file
 * is refused and stays untouched. Error messages never quote the file, which may hold secrets.
 */
import { isDeepStrictEqual } from "node:util";
import { parse as parseToml, patch as patchToml } from "@decimalturn/toml-patch";
import { applyEdits, modify, parse as parseJson, type ParseError } from "jsonc-parser";
import { type Document, isNode, parseDocument } from "yaml";
import type { FileFormat, Setting } from "../../connect/client.js";
import { fileText, isItem, isList, isObject, valueAt, withSetting } from "../../connect/file-text.js";
import { UserError } from "../../core/user-error.js";

class NotUnderstood extends Error {}

interface Change {
  location: (string | number)[];
  value: unknown;
}

interface Format {
  parse: (text: string) => unknown;
  /** Applies the changes in order; afterwards the file must stand for `expected`. */
  edit: (text: string, changes: readonly Change[], expected: unknown) => string;
}

const formats: Record<FileFormat, Format> = {
  json: { parse: readJson, edit: editJson },
  toml: { parse: readToml, edit: editToml },
  yaml: { parse: (text): unknown => readYaml(text).toJS() ?? {}, edit: editYaml },
};

/** The text with the settings in it; the same text where they are there already. Throws `UserError`. */
export function mergeSettings(
  before: string,
  format: FileFormat,
  settings: readonly Setting[],
  name: string,
): string {
  if (before.trim() === "") return fileText(format, settings);
  const mark = before.startsWith("\ufeff") ? "\ufeff" : "";
  try {
    return mark + merged(before.slice(mark.length), formats[format], settings);
  } catch (error) {
    // The messages of libraries quote the file.
    const why =
      error instanceof NotUnderstood ? error.message : "it is written in a way that cannot be edited safely";
    throw new UserError(
      `${name} was not changed: ${why}. Add the settings by hand: the command without --write prints them.`,
    );
  }
}

function merged(before: string, { parse, edit }: Format, settings: readonly Setting[]): string {
  const parsed = parse(before);
  const changes: Change[] = [];
  let expected = parsed;
  for (const setting of settings.filter((one) => !isSet(parsed, one))) {
    changes.push(changeFor(expected, setting));
    expected = withSetting(expected, setting.path, setting.value);
  }
  if (changes.length === 0) return before;
  const after = edit(before, changes, expected);
  if (!isDeepStrictEqual(plain(parse(after)), plain(expected))) throw new Error("other content");
  return after;
}

function isSet(parsed: unknown, { path, value, onlyIfAbsent }: Setting): boolean {
  const now = valueAt(parsed, path);
  return onlyIfAbsent === true ? now !== undefined : isDeepStrictEqual(plain(now), plain(value));
}

/** At the end of the path, or where the first object or list on the way there is missing. */
function changeFor(parsed: unknown, { path, value }: Setting): Change {
  const location: (string | number)[] = [];
  let at = parsed;
  for (const [depth, step] of path.entries()) {
    if (at === undefined || at === null) {
      return { location, value: withSetting(undefined, path.slice(depth), value) };
    }
    if (typeof step === "string") {
      if (!isObject(at)) throw new NotUnderstood(`the place of "${step}" is not an object`);
      location.push(step);
      at = at[step];
    } else {
      if (!isList(at)) throw new NotUnderstood("where a list is expected there is none");
      const position = at.findIndex((item) => isItem(item, step));
      location.push(position < 0 ? at.length : position);
      at = at[position];
    }
  }
  return { location, value };
}

/** Parsers differ in the prototypes of their objects, which are no part of a setting. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function readJson(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined) return value;
  throw new NotUnderstood(`line ${text.slice(0, error.offset).split("\n").length} is not valid JSON`);
}

function editJson(text: string, changes: readonly Change[]): string {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  const isTab = indent.startsWith("\t");
  const formattingOptions = {
    insertSpaces: !isTab,
    tabSize: isTab ? 4 : indent.length,
    eol: newlineOf(text),
  };
  return changes.reduce(
    (edited, { location, value }) =>
      applyEdits(edited, modify(edited, location, value, { formattingOptions })),
    text,
  );
}

function readToml(text: string): unknown {
  try {
    return parseToml(text) as unknown;
  } catch (error) {
    const line = error instanceof Error && "line" in error ? `line ${String(error.line)}` : "it";
    throw new NotUnderstood(`${line} is not valid TOML`);
  }
}

function editToml(text: string, _changes: readonly Change[], expected: unknown): string {
  // [tables] rather than inline ones, and no trailing comma in those, which TOML 1.0 does not allow.
  return patchToml(text, expected, { inlineTableStart: 9, trailingComma: false });
}

function readYaml(text: string): Document.Parsed {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) return document;
  if (error.code === "MULTIPLE_DOCS") throw new NotUnderstood("it has more than one YAML document");
  throw new NotUnderstood(`line ${error.linePos?.[0].line ?? 1} is not valid YAML`);
}

function editYaml(text: string, changes: readonly Change[]): string {
  const document = readYaml(text);
  for (const { location, value } of changes) {
    const now: unknown = document.getIn(location, true);
    const node = document.createNode(value);
    if (isNode(now)) {
      node.commentBefore = now.commentBefore ?? null;
      node.comment = now.comment ?? null;
    }
    document.setIn(location, node);
  }
  const edited = document.toString({
    // Close to how the file is written, and no line is folded.
    indent: /^( +)[^\s#]/m.exec(text)?.[1]?.length ?? 2,
    indentSeq: !/^( *)[^\s#-].*:[ \t]*\r?\n\1- /m.test(text),
    flowCollectionPadding: /[[{] /.test(text),
    lineWidth: 0,
  });
  return edited.replaceAll("\n", newlineOf(text));
}

const newlineOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");
