/** What a file of weights gets on this machine: context, sequences, memory and speed, before it is loaded. */
import {
  cachePart,
  type ConfiguredSize,
  type ContextFit,
  fitContext,
  longEnoughTokens,
  type Memory,
  type ModelSize,
  type SizedModel,
} from "../../adapters/context-fit.js";
import { usualContextTokens } from "../../adapters/kv-cache.js";
import type { ContextHere } from "../../core/model-views.js";
import { leastMemory, memoryWith } from "../gguf/memory.js";
import { expectedTokensPerSecond } from "../machine-speed.js";
import type { CatalogEntry } from "./catalog.js";

export interface Machine {
  memory: Memory;
  configured: ConfiguredSize;
  others?: readonly SizedModel[];
  /** Of weights, as measured; null before any were loaded. */
  bytesPerSecond: number | null;
}

/** Every entry's heads can be divided into the blocks of a quantised cache. */
export const entrySize = (entry: CatalogEntry): ModelSize => ({ ...entry, takesQuantisedCache: true });

/** What it gets, or would get with so many tokens. */
export function contextHere(size: ModelSize, machine: Machine, contextTokens?: number): ContextHere {
  const { memory, others = [] } = machine;
  const configured =
    contextTokens === undefined ? machine.configured : { ...machine.configured, contextTokens };
  const part = cachePart({ size, configured }, others, memory);
  return viewOf(size, fitContext(size, configured, part));
}

const smallestChoice = 2048;

/** What an operator can choose from: steps that fit with one sequence at least, by their length. */
export function contextChoices(size: ModelSize, machine: Machine): ContextHere[] {
  const trained = size.contextTokens ?? usualContextTokens;
  const { memory, configured, others = [] } = machine;
  const part = cachePart({ size, configured: { ...configured, contextTokens: trained } }, others, memory);
  const steps = [];
  for (let tokens = smallestChoice; tokens < trained; tokens *= 2) steps.push(tokens);
  return [...steps, trained].flatMap((contextTokens) => {
    const view = viewOf(size, fitContext(size, { ...configured, contextTokens }, part));
    return view.memoryBytes - memoryWith(size, { ...view, contextTokens: 0 }) <= part ? [view] : [];
  });
}

export function fitsHere(size: ModelSize, machine: Machine): "yes" | "tight" | "no" {
  const { memory, configured } = machine;
  if (leastMemory(size, configured) > memory.totalBytes) return "no";
  const wanted = Math.min(size.contextTokens ?? usualContextTokens, longEnoughTokens);
  return contextHere(size, machine).contextTokens >= (configured.contextTokens ?? wanted) ? "yes" : "tight";
}

/** Tokens a second of one reply that runs alone; null before anything was measured. */
export const speedHere = (
  activeBytes: number,
  { bytesPerSecond }: Pick<Machine, "bytesPerSecond">,
): number | null => (bytesPerSecond === null ? null : expectedTokensPerSecond(activeBytes, bytesPerSecond));

const viewOf = (size: ModelSize, fit: ContextFit): ContextHere => ({
  ...fit,
  memoryBytes: memoryWith(size, fit),
});
