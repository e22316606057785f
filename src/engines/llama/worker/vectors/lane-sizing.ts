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

export interface LaneInput {
  threads: number;
  trainedTokens: number;
  embeddingLength: number;
  availableBytes: number;
}

export function chooseLanes({ threads, trainedTokens, embeddingLength, availableBytes }: LaneInput): {
  lanes: number;
  contextTokens: number;
} {
  const bytesPerToken = embeddingLength * vectorsPerToken * floatBytes;
  const tokensInMemory = (availableBytes * shareOfMemory) / bytesPerToken;
  const wanted = Math.min(trainedTokens, mostTokens);
  const contextTokens = Math.min(wanted, Math.max(leastTokens, Math.floor(tokensInMemory)));
  const fitting = Math.floor(tokensInMemory / contextTokens);
  return { contextTokens, lanes: Math.max(1, Math.min(threads, mostLanes, fitting)) };
}
