/** How many lanes a model that embeds gets, and how long an input may be. */

/** Each runs on a thread of its own; what has more is better used by larger weights. */
const mostLanes = 16;
/** A GPU computes one input at a time in little more than the time to start it: a few at once keep it busy. */
export const gpuLanes = 4;

/** As long as OpenAI's, which is what callers cut their texts for. */
const mostTokens = 8192;
const leastTokens = 512;

/** Of what is free: weights and the rest of the machine need some. */
const shareOfMemory = 0.25;
/** Activations of a token, in vectors of the model's width: attention and a hidden layer four times as wide. */
const vectorsPerToken = 16;
const floatBytes = 4;
/** Which tokens may see each other: at 32 bits, and at 16. */
const maskBytes = 6;

export interface LaneInput {
  threads: number;
  trainedTokens: number;
  embeddingLength: number;
  /** 0 where the model computes an input whole, without a cache. */
  cacheBytesPerToken: number;
  availableBytes: number;
}

export function chooseLanes(input: LaneInput): { lanes: number; contextTokens: number } {
  const budget = input.availableBytes * shareOfMemory;
  let contextTokens = Math.min(input.trainedTokens, mostTokens);
  while (contextTokens > leastTokens && laneBytes(contextTokens, input) > budget)
    contextTokens = Math.max(leastTokens, Math.floor(contextTokens / 2));
  const fitting = Math.floor(budget / laneBytes(contextTokens, input));
  return { contextTokens, lanes: Math.max(1, Math.min(input.threads, mostLanes, fitting)) };
}

/** What a context for inputs of so many tokens takes, about. */
function laneBytes(tokens: number, { embeddingLength, cacheBytesPerToken }: LaneInput): number {
  const perToken = embeddingLength * vectorsPerToken * floatBytes + cacheBytesPerToken;
  return tokens * (perToken + tokens * maskBytes);
}
