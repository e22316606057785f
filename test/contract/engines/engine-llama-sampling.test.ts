/**
 * Sampling with the engine's extension, on the logits of a real model that are known here: the tokens of the binding's
 * own sampler where there is no chance in it, and otherwise the distribution that is promised. In a process of its own, in
 * which the extension is loaded before the binding. Seeds are fixed, so a test that passes is not lucky.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sampling } from "../../../src/core/chat/request.js";
import { compileExtension } from "../../../src/engines/llama/extension/compile-extension.js";
import type { SamplingDefaults } from "../../../src/engines/llama/messages.js";
import { at, distributionOf, plainSampling, softmax, surprise } from "../../support/engines/distribution.js";
import { tinyLoad, writeTinyGguf } from "../../support/engines/tiny-gguf.js";
import { noCompiler } from "../../support/processes/compiler.js";
import { scriptArguments, sourceModule } from "../../support/processes/script.js";

interface Case {
  changes: Partial<Sampling>;
  defaults?: SamplingDefaults;
}

interface Printed {
  logits: number[];
  /** After all of the sampling. */
  logitsAfter: number[];
  direct: number[][];
  binding: number[][];
}

const sampled = 3000;
const plainDefaults = { repeatPenalty: 1, minP: 0 };

/** Without chance: the binding has to agree, token by token. */
const certain: [name: string, given: Case][] = [
  ["the largest logit", { changes: { temperature: 0 } }],
  ["a repeat penalty", { changes: { temperature: 0 }, defaults: { repeatPenalty: 1.3, minP: 0.05 } }],
  ["a frequency penalty", { changes: { temperature: 0, frequencyPenalty: 0.7 } }],
  ["both penalties", { changes: { temperature: 0, frequencyPenalty: 0.35, presencePenalty: 0.9 } }],
  ["negative penalties", { changes: { temperature: 0, frequencyPenalty: -0.1, presencePenalty: -0.2 } }],
  [
    "biases and a penalty for the same tokens",
    { changes: { temperature: 0, presencePenalty: 1, logitBias: [5, 6, 7].map((token) => [token, 9]) } },
  ],
  ["a token that is forced", { changes: { logitBias: [[5, 100]] } }],
  ["a top_p of 0", { changes: { topP: 0, temperature: 1.5 } }],
  ["a min-p of 1", { changes: { topPGiven: false }, defaults: { repeatPenalty: 1, minP: 1 } }],
];

const random: [name: string, given: Case][] = [
  ["temperature 1", { changes: {} }],
  ["a low temperature", { changes: { temperature: 0.6 } }],
  ["a high temperature", { changes: { temperature: 1.8 } }],
  ["top_p alone", { changes: { topP: 0.6 } }],
  ["top_p at a low temperature", { changes: { topP: 0.7, temperature: 0.5 } }],
  ["top_p at a high temperature", { changes: { topP: 0.9, temperature: 1.7 } }],
  ["a bias, top_p and a temperature", { changes: { logitBias: [[5, 4]], topP: 0.8, temperature: 0.8 } }],
];

const penalised: Case = {
  changes: { temperature: 0.7, topP: 0.3, frequencyPenalty: 0.5, presencePenalty: 0.5 },
};
const seeds = [3, 3, 4].map((seed): Case => ({ changes: { seed, temperature: 1.5, topP: 0.9 } }));
const withMinP: Case = {
  changes: { temperature: 1.4, topPGiven: false },
  defaults: { repeatPenalty: 1, minP: 0.2 },
};
const all = [...certain, ...random].map(([, given]) => given);
const cases = [...all, penalised, ...seeds, withMinP];

describe.skipIf(noCompiler)("sampling with the engine's extension", () => {
  const folder = mkdtempSync(join(tmpdir(), "sotto-sampling-"));
  let printed: Printed;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    const extension = (await compileExtension(folder)) ?? "";
    const weights = join(folder, "tiny.gguf");
    // Flat, so that sampling has something to choose from, and no two logits are the same.
    writeTinyGguf(weights, { says: "anything", loudness: 0.3, seed: 2 });
    const load = tinyLoad(weights, { sequences: 1, extension });
    const given = cases.map(({ changes, defaults }) => ({
      sampling: { ...plainSampling, ...changes },
      defaults: defaults ?? plainDefaults,
    }));
    const output = execFileSync(
      process.execPath,
      scriptArguments(`
        import { loadModel } from ${sourceModule("engines/llama/worker/addon.ts")};
        import { DirectSampler } from ${sourceModule("engines/llama/worker/reply/direct-sampler.ts")};
        import { SamplerPool } from ${sourceModule("engines/llama/worker/reply/sampler-pool.ts")};
        import { rawConfig, samplingPlan } from ${sourceModule("engines/llama/worker/reply/sampling-plan.ts")};
        import { TokenSampler } from ${sourceModule("engines/llama/worker/reply/token-sampler.ts")};
        const { context, vocabulary, facts, newSampler, sample } = await loadModel(${JSON.stringify(load)});
        const samplers = new SamplerPool(newSampler);
        const prompt = vocabulary.tokenize("What do you think of the sea?", false);
        context.initBatch(prompt.length);
        const [at] = context.addToBatch(0, 0, prompt, Uint32Array.of(prompt.length - 1));
        await context.decodeBatch();
        const readLogits = async () => {
          const wanted = [[], false, false, false, facts.vocabularySize];
          const read = await context.sampleToken(at, samplers.take(rawConfig), false, false, wanted, true);
          const logits = new Array(facts.vocabularySize).fill(0);
          for (let i = 0; i < read[3].length; i += 2) logits[read[3][i]] = read[3][i + 1];
          return logits;
        };
        const draw = async (sampler, count) => {
          const tokens = [];
          while (tokens.length < count) tokens.push((await sampler.next(at)).token);
          sampler.close();
          return tokens;
        };
        const logits = await readLogits();
        const [direct, binding] = [[], []];
        for (const { sampling, defaults } of ${JSON.stringify(given)}) {
          const options = { ...samplingPlan(sampling, defaults, 100_000), topLogprobs: undefined, grammar: undefined };
          direct.push(await draw(new DirectSampler(sample, options), ${sampled}));
          const own = new TokenSampler(context, samplers, { ...facts, utf8Guard: undefined }, options);
          binding.push(await draw(own, 150));
        }
        const printed = JSON.stringify({ logits, logitsAfter: await readLogits(), direct, binding });
        // More than a pipe takes at once.
        process.stdout.write(printed, () => process.exit());
      `),
      { maxBuffer: 64 * 1024 * 1024 },
    );
    printed = JSON.parse(output.toString()) as Printed;
  });

  const tokensOf = (given: Case): number[] => printed.direct[cases.indexOf(given)] ?? [];

  it.each(certain)("takes the tokens that the binding takes: %s", (_name, given) => {
    const expected = printed.binding[cases.indexOf(given)] ?? [];
    expect(expected).toHaveLength(150);
    expect(tokensOf(given).slice(0, 150)).toEqual(expected);
  });

  it.each(random)("follows the computed distribution: %s", (_name, given) => {
    const expected = distributionOf(printed.logits, given.changes);
    const tokens = tokensOf(given);
    // Nothing outside of the set, and everything in it as often as it should be.
    expect(tokens).toHaveLength(sampled);
    expect(tokens.filter((token) => at(expected, token) === 0)).toEqual([]);
    expect(Math.abs(surprise(tokens, expected))).toBeLessThan(3.3);
  });

  it("applies min-p before the temperature", () => {
    const probabilities = softmax(printed.logits);
    const least = 0.2 * Math.max(...probabilities);
    const kept = printed.logits.map((logit, token) =>
      at(probabilities, token) >= least ? logit / 1.4 : -Infinity,
    );
    expect(kept.filter((logit) => logit !== -Infinity).length).toBeGreaterThan(5);
    expect(Math.abs(surprise(tokensOf(withMinP), softmax(kept)))).toBeLessThan(3.3);
  });

  it("counts its tokens for the penalties", () => {
    const tokens = tokensOf(penalised).slice(0, 300);
    tokens.forEach((token, index) => {
      expect(
        at(distributionOf(printed.logits, penalised.changes, tokens.slice(0, index)), token),
      ).toBeGreaterThan(0);
    });
  });

  it("repeats itself with a seed, and not with another", () => {
    const [first, again, other] = seeds.map(tokensOf);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it("leaves the logits as they were", () => {
    expect(printed.logitsAfter).toEqual(printed.logits);
  });
});
