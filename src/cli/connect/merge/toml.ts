/**
 * Settings in TOML files. The text is cut into statements (`[table]`, `key = value`) with their places; strings and
 * lists over several lines are followed, not interpreted. A value is replaced where it is, a new key goes behind the
 * last of its table, and a new table to the end. What that would break (an inline table, dotted keys, a list of tables)
 * shows in the parse that follows.
 */
import { parse, TomlError } from "smol-toml";
import type { Setting } from "../../../protocol/connect/client.js";
import { tomlKey, tomlValue } from "../../../protocol/connect/file-text.js";
import { insertLines, lineNumber, lineStart, nextLine, type Edit } from "./edits.js";
import { NotUnderstood } from "./not-understood.js";

export function parseToml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // The message quotes the line.
    if (error instanceof TomlError) throw new NotUnderstood(`line ${error.line} is not valid TOML`);
    throw error;
  }
}

export function tomlEdit(text: string, { path, value }: Setting): Edit[] {
  const names = path.map((step) => {
    if (typeof step !== "string") throw new NotUnderstood("lists of tables cannot be edited");
    return step;
  });
  const table = names.slice(0, -1);
  const statements = statementsOf(text);
  const existing = statements.find(
    (statement) => statement.type === "pair" && isSame([...statement.table, ...statement.path], names),
  );
  if (existing?.type === "pair") {
    return [{ start: existing.valueStart, end: existing.valueEnd, text: tomlValue(value) }];
  }
  const line = `${tomlKey(names.at(-1) ?? "")} = ${tomlValue(value)}`;
  const last = statements.findLast(({ type, table: of, path: name }) =>
    isSame(type === "pair" ? of : name, table),
  );
  if (last !== undefined) return [insertLines(text, nextLine(text, last.end), [line])];
  if (table.length > 0) {
    const header = `[${table.map(tomlKey).join(".")}]`;
    return [insertLines(text, text.length, [...(/\n\r?\n$/.test(text) ? [] : [""]), header, line])];
  }
  return [insertLines(text, firstPlace(text, statements[0]), [line])];
}

interface Statement {
  type: "table" | "pair";
  /** The table that it is in. */
  table: readonly string[];
  /** The key, or the table's own name. */
  path: readonly string[];
  start: number;
  valueStart: number;
  valueEnd: number;
  end: number;
}

const key = String.raw`(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const keys = String.raw`${key}(?:[ \t]*\.[ \t]*${key})*`;
const header = new RegExp(String.raw`(\[\[?)[ \t]*(${keys})[ \t]*\]\]?`, "y");
const assignment = new RegExp(String.raw`(${keys})[ \t]*=[ \t]*`, "y");
const blank = /(?:[\s\ufeff]+|#[^\n]*)*/y;

function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let table: readonly string[] = [];
  for (let at = matchAt(blank, text, 0)?.end ?? 0; at < text.length;) {
    const start = at;
    const opened = matchAt(header, text, start);
    if (opened !== null) {
      // Keys below one of a list of tables belong to that one: no path leads there.
      table = opened.groups[1] === "[[" ? ["", ...namesIn(opened.groups[2])] : namesIn(opened.groups[2]);
      at = opened.end;
      statements.push({
        type: "table",
        table: [],
        path: table,
        start,
        valueStart: at,
        valueEnd: at,
        end: at,
      });
    } else {
      const assigned = matchAt(assignment, text, start);
      if (assigned === null) throw new NotUnderstood(`line ${lineNumber(text, start)} cannot be followed`);
      at = endOfValue(text, assigned.end);
      const path = namesIn(assigned.groups[1]);
      statements.push({ type: "pair", table, path, start, valueStart: assigned.end, valueEnd: at, end: at });
    }
    at = matchAt(blank, text, at)?.end ?? text.length;
  }
  return statements;
}

const lexeme =
  /"""[^]*?(?<!\\)"""+|'''[^]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[[{]|[\]}]|#[^\n]*|\n|[^"'[\]{}#\n]+/y;

/** Behind the value: a line's end outside brackets, or a comment there. Spaces before it are no part of it. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let end = from;
  for (let at = from; at < text.length;) {
    const found = matchAt(lexeme, text, at);
    if (found === null) throw new NotUnderstood(`line ${lineNumber(text, at)} cannot be followed`);
    const word = text.slice(at, found.end);
    if (depth === 0 && (word === "\n" || word.startsWith("#"))) break;
    if (word === "[" || word === "{") depth++;
    if (word === "]" || word === "}") depth--;
    at = found.end;
    end = word.trim() === "" ? end : at - (word.length - word.trimEnd().length);
  }
  return end;
}

/** Before the first table and the comment that stands right above it. */
function firstPlace(text: string, first: Statement | undefined): number {
  if (first === undefined) return text.length;
  let at = lineStart(text, first.start);
  while (at > 0) {
    const above = lineStart(text, at - 1);
    if (!/^[ \t]*#/.test(text.slice(above, at))) break;
    at = above;
  }
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): { end: number; groups: string[] } | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found === null ? null : { end: at + found[0].length, groups: [...found] };
}

function namesIn(dotted = ""): string[] {
  return [...dotted.matchAll(new RegExp(key, "g"))].map(([name]) => {
    if (name.startsWith("'")) return name.slice(1, -1);
    return name.startsWith('"') ? unescaped(name) : name;
  });
}

/** TOML's `\U0001F600` is the only escape that JSON does not have; a key with one is never ours. */
function unescaped(name: string): string {
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, at) => name === b[at]);
