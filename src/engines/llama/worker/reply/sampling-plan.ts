/**
 * Translates a request's sampling to the native sampler's configuration. Its chain is: biases, penalties, then either
 * the likeliest token or top-k, top-p, min-p, temperature and a sample.
 *
 * OpenAI's top_p looks at the probabilities after the temperature, the native one before it. Where that makes a
 * difference, the set is left to `TokenSampler`, which finds its size first and has the native sampler choose among
 * so many. See docs/sampling.md for what all of this promises.
 */
import { randomInt } from "node:crypto";
import type { Sampling } from "../../../../core/chat/request.js";
import type { SamplingDefaults } from "../../messages.js";
import type { GrammarState } from "./lazy-grammar.js";

export interface SamplerConfig {
  temperature: number;
  topP: number;
  minP: number;
  topK?: number;
  seed: number;
  repeatPenalty: number;
  /** Tokens that count as repeated. OpenAI's penalties look at the reply only, so none before it. */
  repeatPenaltyTokens: Uint32Array;
  repeatPenaltyMaxTokens: number;
  repeatPenaltyPresencePenalty: number;
  repeatPenaltyFrequencyPenalty: number;
  tokenBiasKeys?: Uint32Array;
  tokenBiasValues?: Float32Array;
  grammarEvaluationState?: GrammarState;
}

export interface SamplingPlan {
  config: SamplerConfig;
  /** A top_p that must be applied after the temperature. */
  nucleus: number | undefined;
  /** Sampling does not depend on earlier tokens: no penalties, and no seed to repeat. */
  isStateless: boolean;
}

/** Below this, dividing by the temperature overflows; the outcome is the likeliest token anyway. */
const smallestTemperature = 0.001;

/** The native sampler takes this value for "no seed given" and picks its own. */
const reservedSeed = 0xffff_ffff;

/** How to sample the tokens of one choice among those of a request. */
export function samplingPlan(
  sampling: Sampling,
  defaults: SamplingDefaults,
  contextTokens: number,
  choice = 0,
): SamplingPlan {
  const { topP, frequencyPenalty, presencePenalty, logitBias } = sampling;
  const temperature = sampling.temperature < smallestTemperature ? 0 : sampling.temperature;
  // At temperature 1 the order is all the same, and without one there is nothing to trim.
  const topPAfterwards = topP < 1 && temperature !== 0 && temperature !== 1;
  const ownPenalties = frequencyPenalty !== 0 || presencePenalty !== 0;
  const anyPenalties = ownPenalties || defaults.repeatPenalty !== 1;
  const isRepeatable = temperature !== 0 && sampling.seed !== undefined;
  return {
    config: {
      temperature,
      topP: topPAfterwards ? 1 : topP,
      minP: sampling.topPGiven ? 0 : defaults.minP,
      seed: seedOf(sampling.seed, choice),
      repeatPenalty: ownPenalties ? 1 : defaults.repeatPenalty,
      repeatPenaltyTokens: new Uint32Array(0),
      repeatPenaltyMaxTokens: contextTokens,
      repeatPenaltyPresencePenalty: presencePenalty,
      repeatPenaltyFrequencyPenalty: frequencyPenalty,
      ...biasConfig(logitBias),
    },
    nucleus: topPAfterwards ? topP : undefined,
    isStateless: !anyPenalties && !isRepeatable && !topPAfterwards && logitBias.length === 0,
  };
}

/** The model's own distribution: the likeliest token, and nothing that shapes the logits. */
export const rawConfig: SamplerConfig = {
  temperature: 0,
  topP: 1,
  minP: 0,
  seed: 1,
  repeatPenalty: 1,
  repeatPenaltyTokens: new Uint32Array(0),
  repeatPenaltyMaxTokens: 0,
  repeatPenaltyPresencePenalty: 0,
  repeatPenaltyFrequencyPenalty: 0,
};

function biasConfig(biases: Sampling["logitBias"]): Partial<SamplerConfig> {
  if (biases.length === 0) return {};
  const byToken = new Map(biases);
  return {
    tokenBiasKeys: Uint32Array.from(byToken.keys()),
    tokenBiasValues: Float32Array.from(byToken.values()),
  };
}

function seedOf(seed: number | undefined, choice: number): number {
  // Left alone, the native sampler seeds itself with the time in seconds, and two requests would agree.
  if (seed === undefined) return randomInt(reservedSeed);
  return choice === 0 ? foldSeed(seed) : hash(`${seed}/${choice}`);
}

/** Any integer to one of the 32-bit seeds there are: small ones as they are, others by their hash. */
export function foldSeed(seed: number): number {
  return seed >= 0 && seed < reservedSeed ? seed : hash(String(seed));
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ char.charCodeAt(0), 0x01000193);
  return (value >>> 0) % reservedSeed;
}
