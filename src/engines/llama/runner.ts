/** A loaded model that reads conversations and generates replies: the parts of the child process, put together. */
import type { ChatMessage } from "../../protocol/chat.js";
import { loadModel, type LoadedModel } from "./addon.js";
import type { BatchContext } from "./batch-context.js";
import { Batcher, type StepReport } from "./batcher.js";
import type { GenerateRequest, LoadedFacts, LoadRequest } from "./messages.js";
import { PrefillPace } from "./prefill-pace.js";
import { PromptBuilder, type PromptResult } from "./prompt.js";
import { Reply } from "./reply.js";
import { samplerConfig } from "./sampler.js";
import { SamplerPool } from "./sampler-pool.js";
import { ChatTemplate } from "./template.js";

export interface RunnerEvents {
  onStep: (report: StepReport) => void;
  /** The native part is beyond repair; nothing more will be reported. */
  onBroken: () => void;
}

export class Runner {
  private constructor(
    readonly facts: LoadedFacts,
    private readonly model: LoadedModel,
    private readonly prompts: PromptBuilder,
    private readonly batcher: Batcher,
  ) {}

  static async load(request: LoadRequest, events: RunnerEvents): Promise<Runner> {
    const startedMs = performance.now();
    const model = await loadModel(request);
    const { context, vocabulary, sizing } = model;
    const template = new ChatTemplate(model.chatTemplate, vocabulary);
    await warmUp(context);
    const batcher = new Batcher({
      ...events,
      context,
      samplers: new SamplerPool(model.newSampler),
      sequences: sizing.sequences,
      pace: new PrefillPace(model.batchTokens - sizing.sequences),
      prefillChunkTokens: request.prefillChunkTokens,
    });
    const facts: LoadedFacts = {
      ...sizing,
      loadMs: Math.round(performance.now() - startedMs),
      threads: model.threads,
      gpu: model.gpu,
      description: model.description,
      memoryBytes: process.memoryUsage.rss(),
    };
    return new Runner(facts, model, new PromptBuilder(template, vocabulary, sizing.contextTokens), batcher);
  }

  prepare(messages: readonly ChatMessage[]): PromptResult {
    return this.prompts.build(messages);
  }

  generate(id: number, request: GenerateRequest): void {
    const { prompt, stop, maxTokens, sampling, defaults } = request;
    this.batcher.start({
      id,
      prompt,
      sampling: samplerConfig(sampling, defaults, this.facts.contextTokens),
      reply: new Reply({ ...this.model.vocabulary, stop, maxTokens }),
    });
  }

  abort(id: number): void {
    this.batcher.abort(id);
  }

  async close(): Promise<void> {
    await this.batcher.close();
    await this.model.dispose();
  }
}

/** Proves that the model computes, and brings its weights into memory before the first request has to. */
async function warmUp(context: BatchContext): Promise<void> {
  context.initBatch(1);
  context.addToBatch(0, 0, Uint32Array.of(0), Uint32Array.of(0));
  await context.decodeBatch();
  context.disposeSequence(0);
}
