import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sampling } from "../../../../core/chat/request.js";
import { foldSeed, samplingPlan } from "./sampling-plan.js";
import { usualSampling } from "../../../../../test/support/clients/chat-request.js";

const planOf = (changes: Partial<Sampling>, choice = 0) =>
  samplingPlan({ ...usualSampling, ...changes }, { repeatPenalty: 1.15, minP: 0.05 }, 2048, choice);
const configOf = (changes: Partial<Sampling>, choice = 0) => planOf(changes, choice).config;

describe("sampler", () => {
  it("makes a seed for the native sampler of any integer, never the one that means none", () => {
    const integers = fc.oneof(
      fc.maxSafeInteger(),
      fc.constantFrom(0, -1, 0xffff_ffff, 2 ** 32, 1e300, -1e300),
    );
    fc.assert(
      fc.property(integers, (seed) => {
        const folded = foldSeed(seed);
        expect(Number.isInteger(folded) && folded >= 0 && folded < 0xffff_ffff).toBe(true);
        expect(foldSeed(seed)).toBe(folded);
      }),
    );
    expect(foldSeed(42)).toBe(42);
    expect(foldSeed(-42)).not.toBe(foldSeed(42));
  });

  it("gives each request without a seed its own", () => {
    expect(configOf({}).seed).not.toBe(configOf({}).seed);
  });

  it("trims the tail of unlikely tokens only when the client did not choose top_p", () => {
    expect(configOf({}).minP).toBe(0.05);
    expect(configOf({ topP: 1, topPGiven: true }).minP).toBe(0);
  });

  it("takes a temperature too small to divide by for zero", () => {
    expect(configOf({ temperature: 1e-30 }).temperature).toBe(0);
  });

  it("counts repeated tokens over the whole reply and nothing else", () => {
    const config = configOf({ frequencyPenalty: 0.5, presencePenalty: -0.5 });
    expect(config.repeatPenaltyTokens).toHaveLength(0);
    expect(config.repeatPenaltyMaxTokens).toBe(2048);
    expect(config.repeatPenaltyFrequencyPenalty).toBe(0.5);
    expect(config.repeatPenaltyPresencePenalty).toBe(-0.5);
  });

  it("gives each choice a seed of its own, the same every time", () => {
    const seeds = [0, 1, 2, 3].map((choice) => configOf({ seed: 7 }, choice).seed);
    expect(new Set(seeds).size).toBe(4);
    expect(seeds[0]).toBe(7);
    expect([0, 1, 2, 3].map((choice) => configOf({ seed: 7 }, choice).seed)).toEqual(seeds);
  });

  it("leaves the model's penalty aside for a request with its own", () => {
    expect(configOf({}).repeatPenalty).toBe(1.15);
    expect(configOf({ frequencyPenalty: 0.1 }).repeatPenalty).toBe(1);
    expect(configOf({ presencePenalty: -0.1 }).repeatPenalty).toBe(1);
  });

  it("keeps top_p for after the temperature where the order matters", () => {
    const topP = { topP: 0.5, topPGiven: true };
    expect(planOf({ ...topP, temperature: 0.7 })).toMatchObject({ nucleus: 0.5, config: { topP: 1 } });
    for (const temperature of [0, 1]) {
      expect(planOf({ ...topP, temperature })).toMatchObject({ nucleus: undefined, config: { topP: 0.5 } });
    }
    expect(planOf({ temperature: 0.7 }).nucleus).toBeUndefined();
  });

  it("gives a token that is named twice the last of its biases", () => {
    const { tokenBiasKeys, tokenBiasValues } = configOf({
      logitBias: [
        [5, 1],
        [6, 2],
        [5, -3],
      ],
    });
    expect([...(tokenBiasKeys ?? [])]).toEqual([5, 6]);
    expect([...(tokenBiasValues ?? [])]).toEqual([-3, 2]);
  });
});
