import type { SamplerConfig } from "./sampler.js";

/** Draws the tokens of one reply at a time. */
export interface Sampler {
  /** What differs from the last time is made anew; the penalties are, once a token was drawn. */
  applyConfig(config: SamplerConfig): void;
}

/** The calls of the native context that batching needs. None may be made while `decodeBatch` is under way. */
export interface BatchContext {
  /** Empties the batch and makes room for `size` tokens. */
  initBatch(size: number): void;
  /** Returns where in the batch the logits will be, for each of the asked positions in `tokens`. */
  addToBatch(
    sequenceId: number,
    firstPosition: number,
    tokens: Uint32Array,
    logitIndexes: Uint32Array,
  ): Uint32Array;
  decodeBatch(): Promise<void>;
  /** Also counts the token for the sampler's penalties. -1 when there is nothing to choose from. */
  sampleToken(batchLogitIndex: number, sampler: Sampler): Promise<number>;
  /** Forgets everything the sequence has computed. */
  disposeSequence(sequenceId: number): void;
  /** Forgets positions from `start` up to `end`, or to the last when `end` is -1. */
  removeTokenCellsFromSequence(sequenceId: number, start: number, end: number): boolean;
}
