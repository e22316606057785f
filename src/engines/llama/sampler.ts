/**
 * A request's sampling in the terms of the native sampler. Its chain is: penalties, then either the likeliest
 * token or top-p, min-p, temperature and a draw.
 */
import { randomInt } from "node:crypto";
import type { Sampling } from "../../protocol/chat.js";

export interface SamplerConfig {
  temperature: number;
  topP: number;
  minP: number;
  seed: number;
  repeatPenalty: number;
  /** Tokens before the reply that count as repeated: none, since OpenAI's penalties look at the reply only. */
  repeatPenaltyTokens: Uint32Array;
  repeatPenaltyMaxTokens: number;
  repeatPenaltyPresencePenalty: number;
  repeatPenaltyFrequencyPenalty: number;
}

/** What the model adds to every request. */
export interface SamplingDefaults {
  repeatPenalty: number;
  minP: number;
}

/** Below this, dividing by the temperature overflows; the outcome is the likeliest token anyway. */
const smallestTemperature = 0.001;

/** The native sampler takes this value for "no seed given" and draws its own. */
const reservedSeed = 0xffff_ffff;

export function samplerConfig(
  sampling: Sampling,
  defaults: SamplingDefaults,
  contextTokens: number,
): SamplerConfig {
  return {
    temperature: sampling.temperature < smallestTemperature ? 0 : sampling.temperature,
    topP: sampling.topP,
    minP: sampling.topPGiven ? 0 : defaults.minP,
    // Left alone, the native sampler seeds itself with the time in seconds, and two requests would agree.
    seed: sampling.seed === undefined ? randomInt(reservedSeed) : foldSeed(sampling.seed),
    repeatPenalty: defaults.repeatPenalty,
    repeatPenaltyTokens: new Uint32Array(0),
    repeatPenaltyMaxTokens: contextTokens,
    repeatPenaltyPresencePenalty: sampling.presencePenalty,
    repeatPenaltyFrequencyPenalty: sampling.frequencyPenalty,
  };
}

/** Any integer to one of the 32-bit seeds there are: small ones as they are, others by FNV-1a. */
export function foldSeed(seed: number): number {
  if (seed >= 0 && seed < reservedSeed) return seed;
  let hash = 0x811c9dc5;
  for (const char of String(seed)) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  return (hash >>> 0) % reservedSeed;
}
