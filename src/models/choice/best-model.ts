/** Which model of the catalogue an operator should look at first, by the memory of the machine. */
import { basename } from "node:path";
import type { ModelSuggestion } from "../../protocol/dashboard/engines.js";
import type { ModelId } from "../../core/models.js";
import { catalog, type CatalogEntry } from "./catalog.js";
import { memoryNeed } from "../gguf/memory.js";

/** The rest is for the system, the API process and what else runs; the engine keeps as much (engines/llama/sizing.ts). */
const shareOfMemory = 0.6;
/** The smallest context that is useful for a conversation. */
const conversation = { sequences: 1, contextTokens: 4096 };

export interface MachineMemory {
  /** Memory that is free or can be freed. */
  availableBytes: number;
}

/** The best that this machine can hold with a reserve; null when even the smallest is too large. */
export function bestFor({ availableBytes }: MachineMemory): CatalogEntry | null {
  const budgetBytes = availableBytes * shareOfMemory;
  return catalog.findLast((entry) => memoryNeed(entry, conversation).leastBytes <= budgetBytes) ?? null;
}

/** Instead of the starter. */
export function suggestFor(model: ModelId, machine: MachineMemory): ModelSuggestion {
  const best = bestFor(machine);
  if (best === null) return { model, best: null, command: "sotto models catalog" };
  const { id, title, bytes, goodFor } = best;
  return { model, best: { id, title, bytes, goodFor }, command: `sotto models use ${model} ${id}` };
}

/** The entry that a file was pulled from, by its name; null for any other. */
export const entryOfFile = (path: string): CatalogEntry | null =>
  catalog.find(({ uri }) => basename(uri) === basename(path)) ?? null;
