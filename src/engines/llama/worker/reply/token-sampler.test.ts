/**
 * Sampling, on the logits of a real model that are known here. Seeds are fixed: what is sampled is the same every
 * time, so a test that passes is not lucky.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDeep } from "../../../../../test/support/depth.js";
import { tinyLoad, writeTinyGguf } from "../../../../../test/support/engines/tiny-gguf.js";
import {
  at,
  distributionOf,
  plainSampling,
  softmax,
  surprise,
} from "../../../../../test/support/engines/distribution.js";
import type { Sampling } from "../../../../core/chat/request.js";
import { loadModel, type LoadedModel } from "../addon.js";
import { TokenSampler, nucleusSize } from "./token-sampler.js";
import { rawConfig, samplingPlan } from "./sampling-plan.js";
import { SamplerPool } from "./sampler-pool.js";

const folder = mkdtempSync(join(tmpdir(), "sotto-sample-"));
let model: LoadedModel;
let samplers: SamplerPool;
/** Where in the batch the logits are, and what they are, by token. */
let logitIndex = 0;
let logits: number[] = [];

beforeAll(async () => {
  const weights = join(folder, "tiny.gguf");
  // Flat, so that sampling has something to choose from, and no two logits are the same. With this seed several
  // tokens are left in each of the cases below.
  writeTinyGguf(weights, { says: "anything", loudness: 0.3, seed: 2 });
  model = await loadModel(tinyLoad(weights, { sequences: 1 }));
  samplers = new SamplerPool(model.newSampler);
  const { context, vocabulary, facts } = model;
  const { vocabularySize } = facts;
  const prompt = vocabulary.tokenize("What do you think of the sea?", false);
  context.initBatch(prompt.length);
  [logitIndex = 0] = context.addToBatch(0, 0, prompt, Uint32Array.of(prompt.length - 1));
  await context.decodeBatch();
  const all = [[], false, false, false, vocabularySize] as [[], false, false, false, number];
  const [, , , read = []] = await context.sampleToken(
    logitIndex,
    samplers.take(rawConfig),
    false,
    false,
    all,
    true,
  );
  logits = new Array<number>(vocabularySize).fill(-Infinity);
  for (let at = 0; at < read.length; at += 2) logits[read[at] ?? 0] = read[at + 1] ?? 0;
});
afterAll(async () => {
  await model.dispose();
  rmSync(folder, { recursive: true });
});

const distribution = (changes: Partial<Sampling>, reply?: readonly number[]): number[] =>
  distributionOf(logits, changes, reply);

function newTokenSampler(changes: Partial<Sampling>, topLogprobs?: number): TokenSampler {
  const plan = samplingPlan({ ...plainSampling, ...changes }, { repeatPenalty: 1, minP: 0 }, 100_000);
  const { vocabularySize } = model.facts;
  const facts = { vocabularySize, utf8Guard: { forbiddenAfter: () => [] } };
  return new TokenSampler(model.context, samplers, facts, { ...plan, topLogprobs, grammar: undefined });
}

/** Samples again and again from the same logits. */
async function samples(count: number, changes: Partial<Sampling>): Promise<number[]> {
  const sample = newTokenSampler(changes);
  const tokens: number[] = [];
  for (let index = 0; index < count; index++) tokens.push((await sample.next(logitIndex))?.token ?? -1);
  sample.close();
  return tokens;
}

/** Enough to notice what is clearly wrong, or what is a little. */
const sampled = isDeep ? 6_000 : 750;

describe("sampling", () => {
  it("takes the largest logit at temperature 0", async () => {
    const largest = logits.indexOf(Math.max(...logits));
    expect(await samples(3, { temperature: 0 })).toEqual([largest, largest, largest]);
  });

  const likeliest = () => logits.indexOf(Math.max(...logits));
  it.each<[string, () => Partial<Sampling>]>([
    ["temperature 1", () => ({})],
    ["a low temperature", () => ({ temperature: 0.6 })],
    ["a high temperature", () => ({ temperature: 1.8 })],
    ["top_p alone", () => ({ topP: 0.6 })],
    ["top_p at a low temperature", () => ({ topP: 0.7, temperature: 0.5 })],
    ["top_p at a high temperature", () => ({ topP: 0.9, temperature: 1.7 })],
    ["a bias", () => ({ logitBias: [[likeliest(), -1.5]] })],
    ["a bias, top_p and a temperature", () => ({ logitBias: [[5, 4]], topP: 0.8, temperature: 0.8 })],
  ])("follows the computed distribution: %s", async (_, changesOf) => {
    const changes = changesOf();
    const expected = distribution(changes);
    const tokens = await samples(sampled, changes);
    // Nothing outside of the set, and everything in it as often as it should be.
    expect(tokens.filter((token) => at(expected, token) === 0)).toEqual([]);
    expect(Math.abs(surprise(tokens, expected))).toBeLessThan(3.3);
  });

  it("would notice a top_p that is applied before the temperature", async () => {
    const changes = { topP: 0.7, temperature: 0.5 };
    const before = distribution({ topP: 0.7 });
    const wrong = softmax(before.map((probability) => Math.log(probability) / 0.5));
    expect(surprise(await samples(sampled, changes), wrong)).toBeGreaterThan(10);
  });

  it.each([
    ["frequency", { frequencyPenalty: 0.7 }],
    ["presence", { presencePenalty: 1.3 }],
    ["both", { frequencyPenalty: 0.35, presencePenalty: 0.9 }],
    ["negative", { frequencyPenalty: -0.1, presencePenalty: -0.2 }],
  ])("subtracts penalties exactly as defined: %s", async (_, penalties) => {
    const tokens = await samples(150, { temperature: 0, ...penalties });
    tokens.forEach((token, index) => {
      const reply = tokens.slice(0, index);
      expect(token).toBe(distribution({ temperature: 0, ...penalties }, reply).indexOf(1));
    });
  });

  it("keeps counting for the penalties where it looks before it samples", async () => {
    const changes = { temperature: 0.7, topP: 0.3, frequencyPenalty: 0.5, presencePenalty: 0.5 };
    const tokens = await samples(300, changes);
    tokens.forEach((token, index) => {
      expect(at(distribution(changes, tokens.slice(0, index)), token)).toBeGreaterThan(0);
    });
  });

  it("keeps one token at least, however small top_p is", async () => {
    for (const temperature of [0.5, 1, 2]) {
      expect(new Set(await samples(20, { topP: 0, temperature }))).toEqual(new Set([likeliest()]));
    }
  });

  it.each([{ temperature: 1 }, { temperature: 1.5, topP: 0.9 }])(
    "repeats itself with a seed, and not with another: %o",
    async (changes) => {
      const first = await samples(50, { ...changes, seed: 3 });
      expect(await samples(50, { ...changes, seed: 3 })).toEqual(first);
      expect(await samples(50, { ...changes, seed: 4 })).not.toEqual(first);
    },
  );

  it("reports the model's own probabilities, whatever shapes the sample", async () => {
    const expected = softmax(logits).map(Math.log);
    const order = expected.map((_, token) => token).sort((a, b) => at(expected, b) - at(expected, a));
    for (const changes of [
      { temperature: 1.5, topP: 0.9 },
      { temperature: 0, frequencyPenalty: 2 },
      { logitBias: [[5, 100]] as const },
    ]) {
      const sample = newTokenSampler(changes, 5);
      for (let index = 0; index < 10; index++) {
        const sampled = await sample.next(logitIndex);
        const [token = -1, logprob = 0] = sampled?.logprobs?.own ?? [];
        expect(token).toBe(sampled?.token);
        expect(logprob).toBeCloseTo(at(expected, token), 4);
        expect(sampled?.logprobs?.top.map(([id]) => id)).toEqual(order.slice(0, 5));
        for (const [id, value] of sampled?.logprobs?.top ?? [])
          expect(value).toBeCloseTo(at(expected, id), 4);
      }
      sample.close();
    }
  });

  it("reports no alternatives when none are asked for", async () => {
    const sample = newTokenSampler({}, 0);
    const sampled = await sample.next(logitIndex);
    expect(sampled?.logprobs?.top).toEqual([]);
    expect(sampled?.logprobs?.own[1]).toBeCloseTo(Math.log(at(softmax(logits), sampled?.token ?? 0)), 4);
    sample.close();
  });

  it("does what a bias says to the end: forced and forbidden", async () => {
    expect(new Set(await samples(20, { logitBias: [[5, 100]] }))).toEqual(new Set([5]));
    const forbidden = likeliest();
    expect(await samples(500, { logitBias: [[forbidden, -100]] })).not.toContain(forbidden);
  });
});

describe("nucleus", () => {
  it("is the smallest set that reaches the probability", () => {
    // Tokens and logits in turn, with weights 4, 2, 1, 1 of 8.
    const flat = [4, 2, 1, 1].flatMap((weight, token) => [token, Math.log(weight)]);
    const sizes = [0, 0.4, 0.5, 0.51, 0.75, 0.8, 0.87, 0.88].map((p) => nucleusSize(flat, 2, p));
    expect(sizes).toEqual([1, 1, 1, 2, 2, 3, 3, 4]);
  });

  it("is not known when what is listed does not reach it", () => {
    expect(nucleusSize([0, 0], 2, 0.6)).toBeNull();
  });
});
