/**
 * The minimum with the same binding: read all prompts, then one token of every stream per step, the most likely
 * one, in a separate process. No HTTP, no text, no fairness: the baseline for the rest of the service.
 */
import { loadModel } from "../../src/engines/llama/worker/addon.js";
import type { LoadRequest } from "../../src/engines/llama/messages.js";
import { rawConfig } from "../../src/engines/llama/worker/reply/sampling-plan.js";

export interface BareRun {
  prompts: string[];
  tokens: number;
}

export interface BareResult {
  firstTokenMs: number[];
  wallMs: number;
}

const chunkTokens = 256;

process.once("message", (request: LoadRequest) => {
  void serve(request);
});

async function serve(request: LoadRequest): Promise<void> {
  const { context, vocabulary, newSampler } = await loadModel(request);
  const sampler = newSampler();
  sampler.applyConfig(rawConfig);

  const run = async ({ prompts, tokens }: BareRun): Promise<BareResult> => {
    const startedMs = performance.now();
    const newest: number[] = [];
    const positions: number[] = [];
    for (const [stream, prompt] of prompts.entries()) {
      const ids = vocabulary.tokenize(prompt, true);
      let logitIndex = 0;
      for (let at = 0; at < ids.length; at += chunkTokens) {
        const part = ids.subarray(at, at + chunkTokens);
        context.initBatch(part.length);
        [logitIndex = 0] = context.addToBatch(stream, at, part, Uint32Array.of(part.length - 1));
        await context.decodeBatch();
      }
      newest[stream] = await context.sampleToken(logitIndex, sampler);
      positions[stream] = ids.length;
    }
    const firstMs = performance.now() - startedMs;
    for (let step = 1; step < tokens; step++) {
      context.initBatch(prompts.length);
      const indexes = newest.map(
        (token, stream) =>
          context.addToBatch(stream, positions[stream] ?? 0, Uint32Array.of(token), Uint32Array.of(0))[0] ??
          0,
      );
      await context.decodeBatch();
      for (const [stream, index] of indexes.entries()) {
        newest[stream] = await context.sampleToken(index, sampler);
        positions[stream] = (positions[stream] ?? 0) + 1;
      }
    }
    for (const stream of prompts.keys()) context.disposeSequence(stream);
    return { firstTokenMs: prompts.map(() => firstMs), wallMs: performance.now() - startedMs };
  };

  process.on("message", (message: BareRun) => {
    void run(message).then((result) => process.send?.(result));
  });
  process.send?.("ready");
}
