/**
 * How many sequences, and how much context for each, the machine can hold. What the operator sets is taken as
 * it is. The defaults shrink until weights and cache fit a share of the memory that is available: first very
 * long contexts, then parallel sequences, then the context again, since one short conversation is better than
 * none.
 */
import { leastContextTokens, usualContextTokens, usualSequences } from "../../core/kv-cache.js";

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

const modestContextTokens = 2048;

/** The rest is for the system, the API process and the engine's working memory. */
const shareOfMemory = 0.6;

export function chooseSizing(input: SizingInput): Sizing {
  const budgetBytes = input.availableBytes * shareOfMemory - input.weightsBytes;
  const fits = ({ sequences, contextTokens }: Sizing) =>
    sequences * contextTokens * input.cacheBytesPerToken <= budgetBytes;

  let sizing: Sizing = {
    sequences: input.sequences ?? usualSequences,
    contextTokens: input.contextTokens ?? Math.min(input.trainContextTokens, usualContextTokens),
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
  return (given.sequences ?? usualSequences) * (given.contextTokens ?? usualContextTokens);
}

function shrink({ sequences, contextTokens }: Sizing, given: SizingInput): Sizing | null {
  const halfContext = { sequences, contextTokens: Math.floor(contextTokens / 2) };
  const mayShrinkContext = given.contextTokens === undefined;
  if (mayShrinkContext && halfContext.contextTokens >= modestContextTokens) return halfContext;
  if (given.sequences === undefined && sequences > 1) {
    return { sequences: Math.floor(sequences / 2), contextTokens };
  }
  if (mayShrinkContext && halfContext.contextTokens >= leastContextTokens) return halfContext;
  return null;
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
