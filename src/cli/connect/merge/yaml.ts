/**
 * Settings in YAML files. The parser says where everything is; the text is cut there. Written back by the parser the
 * file would keep its meaning and lose its layout: indentation, quotes, blank lines, folded text.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  parseDocument,
  type Document,
  type Node,
  type YAMLMap,
} from "yaml";
import type { PathStep, Setting } from "../../../protocol/connect/client.js";
import { isItem, withSetting, yamlLines } from "../../../protocol/connect/file-text.js";
import { insertLines, lineStart, newlineOf, nextLine, type Edit } from "./edits.js";
import { NotUnderstood } from "./not-understood.js";

export function parseYaml(text: string): unknown {
  const value = documentIn(text).toJS() as unknown;
  return value ?? {};
}

function documentIn(text: string): Document.Parsed {
  const documents = parseAllDocuments(text, { uniqueKeys: true });
  // Nothing but comments is no document at all.
  const document = documents[0] ?? parseDocument(text);
  if (documents.length > 1) {
    throw new NotUnderstood("it has more than one YAML document");
  }
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    throw new NotUnderstood(line === undefined ? "it is not valid YAML" : `line ${line} is not valid YAML`);
  }
  return document;
}

export function yamlEdit(text: string, { path, value }: Setting): Edit[] {
  const document = documentIn(text);
  let node: Node | null = document.contents;
  // Where the parent of `node` begins on its line: what is below a key is indented further.
  let column = -2;
  for (const [depth, step] of path.entries()) {
    const rest = path.slice(depth);
    const lines = yamlLines(withSetting(undefined, rest, value), 0);
    if (node === null || isNothing(node)) return [below(text, node, column + 2, lines)];
    if (isAlias(node) || node.anchor !== undefined)
      throw new NotUnderstood("it uses anchors on the way there");
    if ((isMap(node) || isSeq(node)) && node.flow === true) {
      if (node.items.length > 0)
        throw new NotUnderstood("a list or map on the way there is written on one line");
      return [inPlaceOf(text, node, column + 2, lines)];
    }
    column = columnAt(text, rangeOf(node).start);
    const before = node;
    const next = nextNode(before, step);
    if (next === undefined) return [insertLines(text, endOf(text, node), indented(lines, column))];
    if (typeof step !== "string") column = columnAt(text, rangeOf(next ?? before).start);
    node = next;
  }
  if (node === null) throw new NotUnderstood("a key on the way there has no value");
  const lines = yamlLines(value, 0);
  if (isScalar(node) && typeof value !== "object") {
    const { start, end } = rangeOf(node);
    return [{ start, end, text: lines.join("") }];
  }
  // An item of a list, behind its dash.
  const { start } = rangeOf(node);
  const [first = "", ...others] = indented(lines, columnAt(text, start));
  const end = endOf(text, node);
  const newline = newlineOf(text);
  return [{ start, end, text: [first.trimStart(), ...others].map((line) => line + newline).join("") }];
}

/** Undefined where the step leads to nothing; null for a key without a value. */
function nextNode(node: Node, step: PathStep): Node | null | undefined {
  if (typeof step === "string") {
    if (!isMap(node)) throw new NotUnderstood(`the place of "${step}" is not a map`);
    return valueOf(node, step);
  }
  if (!isSeq(node)) throw new NotUnderstood("where a list is expected there is none");
  return node.items.filter(isNode).find((item) => isMap(item) && isItem(item.toJSON(), step));
}

function valueOf(map: YAMLMap, name: string): Node | null | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === name);
  if (pair === undefined) return undefined;
  return isNode(pair.value) ? pair.value : null;
}

/** A value that is not there: an empty document, or a key with nothing behind its colon. */
const isNothing = (node: Node): boolean =>
  isScalar(node) && node.value === null && (node.source ?? "") === "";

function below(text: string, node: Node | null, column: number, lines: readonly string[]): Edit {
  const at = node === null ? text.length : nextLine(text, rangeOf(node).start);
  return insertLines(text, at, indented(lines, column));
}

/** `models: []` becomes a block. */
function inPlaceOf(text: string, node: Node, column: number, lines: readonly string[]): Edit {
  const { start, end } = rangeOf(node);
  const newline = newlineOf(text);
  return { start, end, text: newline + indented(lines, column).join(newline) };
}

const indented = (lines: readonly string[], column: number): string[] =>
  lines.map((line) => " ".repeat(Math.max(0, column)) + line);

/** Behind its last line, with the comment that may stand there. */
function endOf(text: string, node: Node): number {
  const { end } = rangeOf(node);
  return end > 0 && text[end - 1] === "\n" ? end : nextLine(text, end);
}

function rangeOf(node: Node): { start: number; end: number } {
  if (node.range == null) throw new NotUnderstood("a value has no place in the text");
  return { start: node.range[0], end: node.range[1] };
}

const columnAt = (text: string, at: number): number => at - lineStart(text, at);

const isNode = (value: unknown): value is Node =>
  isScalar(value) || isMap(value) || isSeq(value) || isAlias(value);
