/**
 * What sampling a token costs: by the binding's sampler, on a thread of its own, and by the engine's extension. Both from the
 * logits of one prompt, in turns; the fastest call of each, so that other programs do not count.
 *
 * `BENCH_WEIGHTS` names a GGUF file; without it the starter weights are used.
 */
import { loadConfig } from "../src/config.js";
import { plainDefaults } from "../src/core/serving/model-defaults.js";
import type { Sampling } from "../src/core/chat/request.js";
import { extensionFile } from "../src/engines/llama/extension/extension-file.js";
import { loadModel } from "../src/engines/llama/worker/addon.js";
import { DirectSampler } from "../src/engines/llama/worker/reply/direct-sampler.js";
import { SamplerPool } from "../src/engines/llama/worker/reply/sampler-pool.js";
import { samplingPlan } from "../src/engines/llama/worker/reply/sampling-plan.js";
import { TokenSampler } from "../src/engines/llama/worker/reply/token-sampler.js";
import { tinyLoad } from "../test/support/engines/tiny-gguf.js";
import { starterForBench } from "./contenders.js";

const rounds = 20;
const callsPerRound = 16;

const plain: Sampling = {
  temperature: 1,
  topP: 1,
  topPGiven: false,
  frequencyPenalty: 0,
  presencePenalty: 0,
  seed: undefined,
  logitBias: [],
};

const kinds: [name: string, changes: Partial<Sampling>, repeatPenalty?: number][] = [
  ["temperature 0", { temperature: 0 }],
  ["temperature 1, min-p 0.05", {}],
  ["the same, repeat penalty 1.1", {}, 1.1],
  ["frequency penalty 0.5", { frequencyPenalty: 0.5 }],
  ["temperature 0.7, top_p 0.9", { temperature: 0.7, topP: 0.9, topPGiven: true }],
  ["temperature 1, top_p 0.9", { topP: 0.9, topPGiven: true }],
  ["temperature 1, top_p 1", { topPGiven: true }],
];

export async function benchSampling(): Promise<void> {
  const weights = process.env.BENCH_WEIGHTS ?? (await starterForBench());
  const extension = extensionFile(loadConfig({ env: {} }));
  const { context, vocabulary, facts, newSampler, sample, dispose } = await loadModel(
    tinyLoad(weights, { sequences: 1, extension }),
  );
  if (sample === undefined) {
    console.log("The engine's extension is not built, or the binding was loaded before it.");
    return;
  }
  const pool = new SamplerPool(newSampler);
  const prompt = vocabulary.tokenize("Once upon a time there was a", true);
  context.initBatch(prompt.length);
  const [place = 0] = context.addToBatch(0, 0, prompt, Uint32Array.of(prompt.length - 1));
  await context.decodeBatch();
  console.log(`vocabulary of ${facts.vocabularySize}, microseconds a token\n`);
  for (const [name, changes, repeatPenalty = 1] of kinds) {
    const plan = samplingPlan({ ...plain, ...changes }, { ...plainDefaults, repeatPenalty }, 1024);
    const options = { ...plan, topLogprobs: undefined, grammar: undefined };
    const samplerFacts = { ...facts, utf8Guard: { forbiddenAfter: () => [] } };
    const [binding, direct] = await fastest(place, [
      () => new TokenSampler(context, pool, samplerFacts, options),
      () => new DirectSampler(sample, options),
    ]);
    const times = ((binding ?? 0) / (direct ?? 1)).toFixed(1);
    console.log(
      `${name.padEnd(30)}${cell(binding)} binding ${cell(direct)} extension ${times.padStart(6)} times`,
    );
  }
  await dispose();
}

type NewSampler = () => Pick<TokenSampler, "next" | "close">;

/** Of each, in milliseconds. */
async function fastest(place: number, contenders: readonly NewSampler[]): Promise<number[]> {
  const best = contenders.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [index, newSampler] of contenders.entries()) {
      const sampler = newSampler();
      for (let call = 0; call < callsPerRound; call++) {
        const startedMs = performance.now();
        await sampler.next(place);
        best[index] = Math.min(best[index] ?? Infinity, performance.now() - startedMs);
      }
      sampler.close();
    }
  }
  return best;
}

const cell = (ms = 0): string => (ms * 1000).toFixed(0).padStart(8);
