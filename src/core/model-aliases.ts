/**
 * Other names by which clients may ask for the models. A name is exact, or a pattern in which `*` stands for any
 * characters. Exact names come before patterns, and of the patterns the first that matches decides.
 */
import type { Actor, Audit } from "./audit.js";
import { ServiceError } from "./errors.js";
import { isModelId, modelIds, type ModelId } from "./models.js";
import type { Store } from "./store.js";

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

/**
 * Which model a request means: the one place where names that clients send become models of ours. A model's own name
 * always means itself. A name that means nothing is a client's text: it goes nowhere from here.
 */
export class ModelNames {
  /** May be replaced: others count from the next request on. */
  constructor(public aliases: readonly ModelAlias[] = []) {}

  /** Without patterns, whose names cannot be listed. */
  get exact(): ModelAlias[] {
    return this.aliases.filter(({ name }) => !isPattern(name));
  }

  find(name: string): ModelId | undefined {
    if (isModelId(name)) return name;
    const exact = this.aliases.find((alias) => alias.name === name && !isPattern(name));
    return (exact ?? this.aliases.find((alias) => matches(alias.name, name)))?.model;
  }

  /** Throws `model_not_found`. */
  require(name: string): ModelId {
    const model = this.find(name);
    if (model === undefined) throw new ServiceError("model_not_found", { param: "model" });
    return model;
  }
}

/** Reads pairs such as `["gpt-*", "omega"]`. A problem names the alias: it is the operator's own text. */
export function readAliases(
  pairs: readonly (readonly [name: string, model: string])[],
): { aliases: ModelAlias[] } | { problem: string } {
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

// The aliases that count: those of the configuration; where it has none, those that were applied from a file; otherwise
// the default.

/** Below `model.`, so that running servers learn of a change as they do for a model's source. */
const setting = "model.aliases";

/** The default itself stands for nothing that is configured. */
export const areConfigured = (configured: readonly ModelAlias[]): boolean => configured !== defaultAliases;

export async function aliasesInUse(
  store: Pick<Store, "getSetting">,
  configured: readonly ModelAlias[],
): Promise<readonly ModelAlias[]> {
  const stored = areConfigured(configured) ? null : await store.getSetting(setting);
  if (stored === null) return configured;
  const read = readAliases(JSON.parse(stored) as [string, string][]);
  // Written by a version that knows other models: better the default than none.
  return "aliases" in read ? read.aliases : configured;
}

export async function saveAliases(
  { store, audit }: { store: Pick<Store, "setSetting">; audit: Audit },
  actor: Actor,
  aliases: readonly ModelAlias[],
): Promise<void> {
  const pairs = aliases.map(({ name, model }) => [name, model]);
  await store.setSetting(setting, JSON.stringify(pairs));
  await audit.record(actor, "changed aliases", "");
}
