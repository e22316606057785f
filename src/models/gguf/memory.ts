/** How much memory a file of weights needs: the weights, the KV cache, and room to work in. */
import {
  cacheBytesOf,
  type ConfiguredSize,
  type ContextFit,
  longEnoughTokens,
  type ModelSize,
} from "../../adapters/context-fit.js";
import { computingBytes, leastContextTokens, usualContextTokens } from "../../adapters/kv-cache.js";

export const memoryWith = (model: ModelSize, fit: ContextFit): number =>
  model.bytes + computingBytes + cacheBytesOf(model, fit);

/** With one short conversation at a time, unless more is configured. */
export const leastMemory = (model: ModelSize, configured: ConfiguredSize = {}): number =>
  memoryWith(model, smallest(model, configured, leastContextTokens));

/** With one conversation that is long enough for a coding agent, as far as the model was trained for it. */
export const agentMemory = (model: ModelSize): number =>
  memoryWith(model, smallest(model, {}, longEnoughTokens));

function smallest(model: ModelSize, configured: ConfiguredSize, tokens: number): ContextFit {
  const { sequences = 1, contextTokens = Math.min(model.contextTokens ?? usualContextTokens, tokens) } =
    configured;
  const cacheType = configured.cacheType ?? (model.takesQuantisedCache ? "q8_0" : "f16");
  return { sequences, contextTokens, cacheType };
}
