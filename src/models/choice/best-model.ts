/** Which model of the catalogue an operator should look at first, by memory and speed of the machine. */
import { basename } from "node:path";
import type { ModelSuggestion } from "../../protocol/dashboard/engines.js";
import type { ModelId } from "../../core/models.js";
import { activeBytesOf, catalog, type CatalogEntry, entriesFor } from "./catalog.js";
import { contextHere, entrySize, fitsHere, type Machine, speedHere } from "./fit-here.js";

/** The least that is worth switching for: a conversation with a document in it. */
const usefulContextTokens = 8192;
/** About as fast as people read; measurements differ by as much. */
export const readingSpeed = 8;
const tolerance = 0.9;

export interface Best {
  entry: CatalogEntry;
  /** Null before anything was measured. */
  tokensPerSecond: number | null;
  /** Nothing that fits is fast enough to be read along: this is the fastest. */
  isSlow: boolean;
}

/** Null when even the smallest is too large. */
export function bestFor(machine: Machine): Best | null {
  const fitting = fittingIn(machine).map((entry) => withSpeed(entry, machine));
  const fast = fitting.filter(
    ({ tokensPerSecond }) => tokensPerSecond === null || tokensPerSecond >= readingSpeed * tolerance,
  );
  const best = fast.at(-1);
  if (best !== undefined) return { ...best, isSlow: false };
  const [fastest] = fitting.sort((a, b) => (b.tokensPerSecond ?? 0) - (a.tokensPerSecond ?? 0));
  return fastest === undefined ? null : { ...fastest, isSlow: true };
}

/** What chats of the catalogue, and this machine can hold with a useful context, in ascending quality. */
export const fittingIn = (machine: Machine): CatalogEntry[] =>
  entriesFor("omega").filter((entry) => {
    const size = entrySize(entry);
    return (
      fitsHere(size, machine) !== "no" &&
      contextHere(size, machine).contextTokens >= Math.min(usefulContextTokens, entry.contextTokens)
    );
  });

const withSpeed = (entry: CatalogEntry, machine: Machine) => ({
  entry,
  tokensPerSecond: speedHere(activeBytesOf(entry), machine),
});

/** Instead of the starter. */
export function suggestFor(model: ModelId, machine: Machine): ModelSuggestion {
  const best = bestFor(machine);
  if (best === null) return { model, best: null, command: "sotto models catalog" };
  const { entry, tokensPerSecond, isSlow } = best;
  const { id, title, bytes, goodFor } = entry;
  const { contextTokens } = contextHere(entrySize(entry), machine);
  return {
    model,
    best: { id, title, bytes, goodFor, contextTokens, tokensPerSecond, isSlow },
    command: `sotto models use ${model} ${id}`,
  };
}

/** The entry that a file was pulled from, by its name; null for any other. */
export const entryOfFile = (path: string): CatalogEntry | null =>
  catalog.find(({ uri }) => basename(uri) === basename(path)) ?? null;
