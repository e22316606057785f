/** Settings in files of environment variables, one to a line. */
import type { Setting } from "../../../protocol/connect/client.js";
import { envLine, envName } from "../../../protocol/connect/file-text.js";
import { insertLines, lineNumber, type Edit } from "./edits.js";
import { NotUnderstood } from "./not-understood.js";

const assignment = /^([ \t]*(?:export[ \t]+)?)([A-Za-z_][\w.-]*)=([^\r\n]*)$/gm;

/** Values as they stand, quotes included: who reads the file decides what they mean. */
export function parseEnv(text: string): unknown {
  const values: Record<string, string> = {};
  for (const [, , name = "", value = ""] of text.matchAll(assignment)) values[name] = value;
  return values;
}

export function envEdit(text: string, setting: Setting): Edit[] {
  const name = envName(setting.path);
  const found = [...text.matchAll(assignment)].filter((match) => match[2] === name);
  const [first, second] = found;
  if (second !== undefined) {
    throw new NotUnderstood(`${name} is set more than once, again on line ${lineNumber(text, second.index)}`);
  }
  if (first === undefined) return [insertLines(text, text.length, [envLine(setting)])];
  const start = first.index + (first[1] ?? "").length;
  return [{ start, end: first.index + first[0].length, text: envLine(setting) }];
}
