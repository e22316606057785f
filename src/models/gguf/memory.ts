/**
 * How much memory a file of weights needs: the weights, the KV cache, and room to work in. The
 * engine reduces the cache where memory is short, so there are two numbers: without that, and at least.
 */
import {
  computingBytes,
  leastContextTokens,
  usualContextTokens,
  usualSequences,
} from "../../adapters/kv-cache.js";
import type { WeightsFacts } from "./gguf.js";

export interface MemoryNeed {
  /** With as many conversations, as long, as the engine offers when it may choose. */
  usualBytes: number;
  /** With one short conversation at a time. */
  leastBytes: number;
}

export interface ConfiguredSize {
  sequences?: number | undefined;
  contextTokens?: number | undefined;
}

export function memoryNeed(
  facts: Pick<WeightsFacts, "bytes" | "cacheBytesPerToken" | "contextTokens">,
  configured: ConfiguredSize = {},
): MemoryNeed {
  const trained = facts.contextTokens ?? usualContextTokens;
  const total = (sequences: number, contextTokens: number) =>
    facts.bytes + computingBytes + sequences * contextTokens * facts.cacheBytesPerToken;
  return {
    usualBytes: total(
      configured.sequences ?? usualSequences,
      configured.contextTokens ?? Math.min(trained, usualContextTokens),
    ),
    leastBytes: total(
      configured.sequences ?? 1,
      configured.contextTokens ?? Math.min(trained, leastContextTokens),
    ),
  };
}
