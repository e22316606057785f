/** Settings in JSON files, with comments or without. */
import type { PathStep, Setting, Value } from "../../../protocol/connect/client.js";
import { isItem, withSetting } from "../../../protocol/connect/file-text.js";
import { insertion, lineStart, marginAt, newlineOf, type Edit } from "./edits.js";
import { nodeValue, parseNodes, type JsonArray, type JsonNode, type JsonObject } from "./json-nodes.js";
import { NotUnderstood } from "./not-understood.js";

export const parseJson = (text: string): unknown => nodeValue(parseNodes(text));

export function jsonEdit(text: string, { path, value }: Setting): Edit[] {
  let node = parseNodes(text);
  for (const [depth, step] of path.entries()) {
    const next = nextNode(node, step);
    if (next === undefined) return added(text, node, step, nested(path.slice(depth + 1), value));
    node = next;
  }
  const unit = indentUnit(text);
  const margin = marginAt(text, firstOnLine(text, node.start));
  return [{ start: node.start, end: node.end, text: written(text, value, unit, margin) }];
}

function nextNode(node: JsonNode, step: PathStep): JsonNode | undefined {
  if (typeof step === "string") {
    if (node.type !== "object") throw new NotUnderstood(`the place of "${step}" is not an object`);
    return node.members.find(({ key }) => key === step)?.value;
  }
  if (node.type !== "array") throw new NotUnderstood("where a list is expected there is none");
  return node.items.find((item) => isItem(nodeValue(item), step));
}

/** A new member or item behind the last. */
function added(text: string, node: JsonNode, step: PathStep, value: unknown): Edit[] {
  if (node.type === "scalar") throw new NotUnderstood("a plain value is where settings should be");
  const unit = indentUnit(text);
  const newline = newlineOf(text);
  const margin = marginAt(text, firstOnLine(text, node.start));
  const first = node.type === "object" ? node.members[0]?.start : node.items[0]?.start;
  const isSpread = first !== undefined && /^[ \t]*$/.test(text.slice(lineStart(text, first), first));
  const inner = isSpread ? marginAt(text, first) : margin + unit;
  const label = typeof step === "string" ? `${JSON.stringify(step)}: ` : "";
  const put = newline + inner + label + written(text, value, unit, inner);
  const last = lastOf(node);
  const close = node.end - 1;
  if (last === undefined) {
    // Between the brackets there may be comments: they stay above.
    const at = node.start + 1 + text.slice(node.start + 1, close).trimEnd().length;
    return [{ start: at, end: close, text: put + newline + margin }];
  }
  const behind = node.lastComma === null ? last.end : node.lastComma + 1;
  const at = endOfRemark(text, behind, close);
  const tail = isSpread ? "" : newline + margin;
  if (node.lastComma !== null) return [insertion(at, `${put},${tail}`)];
  return at === last.end
    ? [insertion(at, `,${put}${tail}`)]
    : [insertion(last.end, ","), insertion(at, put + tail)];
}

function lastOf(node: JsonObject | JsonArray): JsonNode | undefined {
  return node.type === "object" ? node.members.at(-1)?.value : node.items.at(-1);
}

/** A comment behind the last value, on its line, is about that value. */
function endOfRemark(text: string, from: number, close: number): number {
  const remark = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)?/.exec(text.slice(from, close))?.[0] ?? "";
  return remark.trim() === "" ? from : from + remark.length;
}

function nested(path: readonly PathStep[], value: Value): unknown {
  return withSetting(undefined, path, value);
}

function written(text: string, value: unknown, unit: string, margin: string): string {
  return JSON.stringify(value, null, unit)
    .split("\n")
    .join(newlineOf(text) + margin);
}

/** The first character that is not space on the line, so that its margin is the line's. */
function firstOnLine(text: string, at: number): number {
  const start = lineStart(text, at);
  return start + (/^[ \t\ufeff]*/.exec(text.slice(start, at))?.[0] ?? "").length;
}

function indentUnit(text: string): string {
  return /\n([ \t]+)["{[]/.exec(text)?.[1] ?? "  ";
}
