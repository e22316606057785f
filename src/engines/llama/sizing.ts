/** How an engine uses what it runs on: batches, threads, and how much of a GPU. */
import { usualContextTokens } from "../../adapters/kv-cache.js";
import type { ConfiguredSize } from "../../adapters/context-fit.js";

/** Of what a GPU has left after weights and a batch: nothing else is to be expected there. */
export const shareOfGpuMemory = 0.9;
/** A step of 64 sequences takes a GPU little longer than a step of one. */
export const usualGpuSequences = 64;

/** Unless more is configured, so many must have room beside the weights, or layers stay on the CPU. */
const leastGpuSequences = 2;

/** Tokens in the caches of all sequences for which a GPU must have room beside the layers it is given. */
export function leastGpuCacheTokens(given: ConfiguredSize): number {
  return (given.sequences ?? leastGpuSequences) * (given.contextTokens ?? usualContextTokens);
}

export interface BatchInput {
  /** Of the GPU's memory, after the weights; undefined where the CPU computes, or part of the layers. */
  freeGpuBytes: number | undefined;
  vocabularySize: number;
  embeddingLength: number;
}

const cpuBatchTokens = 512;
const gpuBatchTokens = [4096, 2048, 1024];
const shareForBatch = 0.1;
/** Activations of a token, in vectors of the model's width, besides its logits. */
const vectorsPerToken = 32;

/** Prompts are read in batches: a GPU is the faster the larger they are, and needs memory for each token in one. */
export function chooseBatchTokens({ freeGpuBytes, vocabularySize, embeddingLength }: BatchInput): number {
  if (freeGpuBytes === undefined) return cpuBatchTokens;
  return (
    gpuBatchTokens.find((tokens) => {
      const bytes = batchBytes(tokens, { vocabularySize, embeddingLength });
      return bytes <= freeGpuBytes * shareForBatch;
    }) ?? cpuBatchTokens
  );
}

/** What a batch of so many tokens needs of the GPU's memory, about. */
export function batchBytes(
  tokens: number,
  { vocabularySize, embeddingLength }: Omit<BatchInput, "freeGpuBytes">,
): number {
  const floatBytes = 4;
  return tokens * (vocabularySize + vectorsPerToken * embeddingLength) * floatBytes;
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

/** From here on a core that is left to the API, and to whatever else there is, is worth more than it computes. */
const coresToSpareOne = 8;

/** `onGpu`: all layers are, and starting threads for what little is left takes longer than that. */
export function chooseThreads(weightsBytes: number, cores: number, onGpu = false): number {
  if (onGpu || weightsBytes < bytesWorthThreads) return 1;
  return cores >= coresToSpareOne ? cores - 1 : Math.max(1, cores);
}
