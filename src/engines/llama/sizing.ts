/**
 * How many sequences, and how much context for each, the machine can hold. What the operator sets is taken as
 * it is. The defaults shrink until weights and cache fit a share of the memory that is available: first very
 * long contexts, then parallel sequences, then the context again, since one short conversation is better than
 * none.
 */
import type { CacheType } from "./messages.js";

export interface SizingInput {
  trainContextTokens: number;
  weightsBytes: number;
  cacheBytesPerToken: number;
  availableBytes: number;
  /** As configured; undefined leaves the choice to us. */
  sequences: number | undefined;
  contextTokens: number | undefined;
}

export interface Sizing {
  sequences: number;
  contextTokens: number;
}

const defaultSequences = 8;
const defaultContextTokens = 4096;
const modestContextTokens = 2048;
const smallestContextTokens = 512;

/** The rest is for the system, the API process and the engine's working memory. */
const shareOfMemory = 0.6;

export function chooseSizing(input: SizingInput): Sizing {
  const budgetBytes = input.availableBytes * shareOfMemory - input.weightsBytes;
  const fits = ({ sequences, contextTokens }: Sizing) =>
    sequences * contextTokens * input.cacheBytesPerToken <= budgetBytes;

  let sizing: Sizing = {
    sequences: input.sequences ?? defaultSequences,
    contextTokens: input.contextTokens ?? Math.min(input.trainContextTokens, defaultContextTokens),
  };
  while (!fits(sizing)) {
    const smaller = shrink(sizing, input);
    if (smaller === null) break;
    sizing = smaller;
  }
  return sizing;
}

/** Tokens in the caches of all sequences, when nothing has to shrink. */
export function largestCacheTokens(given: Pick<SizingInput, "sequences" | "contextTokens">): number {
  return (given.sequences ?? defaultSequences) * (given.contextTokens ?? defaultContextTokens);
}

function shrink({ sequences, contextTokens }: Sizing, given: SizingInput): Sizing | null {
  const halfContext = { sequences, contextTokens: Math.floor(contextTokens / 2) };
  const mayShrinkContext = given.contextTokens === undefined;
  if (mayShrinkContext && halfContext.contextTokens >= modestContextTokens) return halfContext;
  if (given.sequences === undefined && sequences > 1) {
    return { sequences: Math.floor(sequences / 2), contextTokens };
  }
  if (mayShrinkContext && halfContext.contextTokens >= smallestContextTokens) return halfContext;
  return null;
}

/** The fields of a GGUF file's architecture section that decide the size of the cache. */
export interface AttentionShape {
  layers: number;
  embeddingLength: number;
  heads: number;
  /** One number, or one for each layer. */
  keyValueHeads: number | readonly number[];
  keyLength: number | undefined;
  valueLength: number | undefined;
  cacheType: CacheType;
}

/** Quantised ones hold a 16-bit scale for each 32 values. */
export const bytesPerValue: Record<CacheType, number> = { f16: 2, q8_0: 34 / 32, q4_0: 18 / 32 };

export function cacheBytesPerToken(shape: AttentionShape): number {
  const headLength = shape.embeddingLength / Math.max(1, shape.heads);
  const valuesPerHead = (shape.keyLength ?? headLength) + (shape.valueLength ?? headLength);
  const { keyValueHeads } = shape;
  const headsOfAllLayers =
    typeof keyValueHeads === "number"
      ? keyValueHeads * shape.layers
      : keyValueHeads.reduce((sum, heads) => sum + heads, 0);
  return headsOfAllLayers * valuesPerHead * bytesPerValue[shape.cacheType];
}

/** So little is copied in no time. */
const unnoticedBytes = 16 * 1024 * 1024;

/** Whether copying all that is reserved for a sequence costs less than going through the weights once more. */
export function copyingPays(sequenceBytes: number, weightsBytes: number): boolean {
  const readAndWritten = 2 * sequenceBytes;
  return readAndWritten <= Math.max(weightsBytes, unnoticedBytes);
}

/** Below this, threads wait for each other longer than they compute. */
const bytesWorthThreads = 32 * 1024 * 1024;

export function chooseThreads(weightsBytes: number, cores: number): number {
  return weightsBytes < bytesWorthThreads ? 1 : Math.max(1, cores);
}
