import type { SamplerConfig } from "./reply/sampling-plan.js";

/** Samples the tokens of one reply at a time. */
export interface Sampler {
  /**
   * What differs from the last time is rebuilt; so are the penalties, unless `repeatPenaltyTokens` are what it
   * sampled.
   */
  applyConfig(config: SamplerConfig): void;
}

/** Which logits to hand over: of these tokens, of the one that was sampled, and the `top` largest. */
export type LogitsWanted = [tokens: readonly number[], max: false, min: false, sampled: boolean, top: number];

/**
 * `logits` are tokens and logits in turn: the `top` largest first, in descending order, then the other ones
 * that were asked for. `totalWeight` is the sum over the vocabulary of exp(logit − largest logit).
 */
export type LogitsRead = [
  token: number,
  probabilities: undefined,
  confidence: undefined,
  logits: number[] | undefined,
  totalWeight: number | undefined,
];

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
  /** The same, and returns the logits as the sampler's chain left them. */
  sampleToken(
    batchLogitIndex: number,
    sampler: Sampler,
    probabilities: false,
    confidence: false,
    logits: LogitsWanted,
    totalWeight: true,
  ): Promise<LogitsRead>;
  /** Forgets everything the sequence has computed. */
  disposeSequence(sequenceId: number): void;
  /** Forgets positions from `start` up to `end`, or to the last when `end` is -1. False when it cannot. */
  removeTokenCellsFromSequence(sequenceId: number, start: number, end: number): boolean;
  /** Replaces all that the target has computed by what the source has. */
  copySequenceStateFromOtherSequence(targetSequenceId: number, sourceSequenceId: number): Promise<number>;
  /** The first position that the sequence still has; -1 when it is empty. */
  getSequenceKvCacheMinPosition(sequenceId: number): number;
}

/** What it takes to compute one sequence, and to take back what was computed. */
export type PlainContext = Pick<
  BatchContext,
  "initBatch" | "addToBatch" | "decodeBatch" | "disposeSequence" | "removeTokenCellsFromSequence"
>;

/** Computes tokens of the first sequence, and nothing beside them. Returns where the logits of the last one are. */
export async function computeAlone(
  context: Pick<BatchContext, "initBatch" | "addToBatch" | "decodeBatch">,
  firstPosition: number,
  tokens: Uint32Array,
): Promise<number> {
  context.initBatch(tokens.length);
  const [logits = 0] = context.addToBatch(0, firstPosition, tokens, Uint32Array.of(tokens.length - 1));
  await context.decodeBatch();
  return logits;
}
