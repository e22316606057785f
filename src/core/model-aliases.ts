/**
 * Other names by which clients may ask for the models. A name is exact, or a pattern in which `*` stands for any
 * characters. Exact names come before patterns, and of the patterns the first that matches decides.
 */
import { isModelId, modelIds, type ModelId } from "./models.js";

export interface ModelAlias {
  name: string;
  model: ModelId;
}

/** What clients of the Messages API ask for, and what most clients embed with unless told otherwise. */
export const defaultAliases: readonly ModelAlias[] = [
  { name: "claude-*", model: "omega" },
  { name: "text-embedding-*", model: "iota" },
];

export const isPattern = (name: string): boolean => name.includes("*");

/** Longer ones match nothing, so that a client's text costs little to compare. */
const maxNameLength = 200;
const maxAliases = 100;

/** In time that grows with the length of the name, whatever the pattern: no regular expression backtracks here. */
export function matches(pattern: string, name: string): boolean {
  if (name.length > maxNameLength) return false;
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (end === undefined) return name === pattern;
  if (name.length < start.length + end.length || !name.startsWith(start) || !name.endsWith(end)) return false;
  const last = name.length - end.length;
  let at = start.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > last) return false;
    at = found + part.length;
  }
  return true;
}

export type AliasesRead = { aliases: ModelAlias[] } | { problem: string };

/** Reads pairs such as `["gpt-*", "omega"]`. A problem names the alias: it is the operator's own text. */
export function readAliases(pairs: readonly (readonly [name: string, model: string])[]): AliasesRead {
  if (pairs.length > maxAliases) return { problem: `may hold at most ${maxAliases} aliases` };
  const aliases: ModelAlias[] = [];
  for (const [name, model] of pairs) {
    const problem = problemWith(name, model, aliases);
    if (problem !== null) return { problem };
    if (isModelId(model)) aliases.push({ name, model });
  }
  return { aliases };
}

function problemWith(name: string, model: string, earlier: readonly ModelAlias[]): string | null {
  if (!/^[^\s,=]+$/.test(name) || name.length > maxNameLength) {
    return `has an alias that is not a name: use 1 to ${maxNameLength} characters without spaces, commas and '='`;
  }
  if (isModelId(name)) return `gives the name '${name}' to another model: it always means itself`;
  if (!isModelId(model)) return `maps '${name}' to a model that does not exist: use ${modelIds.join(", ")}`;
  const covering = earlier.find((alias) =>
    isPattern(name) ? isPattern(alias.name) && matches(alias.name, name) : alias.name === name,
  );
  if (covering === undefined) return null;
  return covering.name === name
    ? `has the alias '${name}' twice`
    : `has the alias '${name}' after '${covering.name}', which matches all of it: put it first`;
}
