/** A loaded model that embeds or ranks: what runner.ts is for replies. */
import type { WorkerThread } from "../../../../adapters/worker-thread.js";
import type { VectorTask } from "../../../../core/chat/request.js";
import { plainSyntax } from "../../../chat-format/reply-syntax.js";
import type { ComputeRequest, LoadedFacts, LoadRequest, PrepareResult, TaskResult } from "../../messages.js";
import { measureTemplate } from "../prompt/measure-template.js";
import { readingThread, type RunnerOptions } from "../runner.js";
import type { InputSetup } from "./input-worker.js";
import { InputReader } from "./inputs.js";
import { Lanes } from "./lanes.js";
import { scoreOf, unitVector } from "./results.js";
import { ThreadChoice } from "./thread-choice.js";
import { loadVectorModel, type LoadedVectorModel } from "./vector-model.js";

/** Requests at once. Their inputs take turns. */
const mostTasks = 16;
/** In characters or tokens of all inputs together. Up to here, tokenising takes less than a round trip to the thread. */
const shortTexts = 2_000;

export class VectorRunner {
  private constructor(
    readonly facts: LoadedFacts,
    private readonly model: LoadedVectorModel,
    readonly thread: WorkerThread<VectorTask, PrepareResult>,
    private readonly reader: InputReader,
    readonly work: Lanes,
    private readonly task: LoadRequest["task"],
  ) {}

  static async load(request: LoadRequest, events: RunnerOptions): Promise<VectorRunner> {
    const startedMs = performance.now();
    const model = await loadVectorModel(request);
    const { vocabularySource: source, vocabulary, contextTokens, stripsAccents, rankTemplate } = model;
    const { vocabularySize } = model.facts;
    const inputFacts = { vocabularySize, contextTokens, stripsAccents, rankTemplate };
    const setup: InputSetup = { source, ...inputFacts };
    const thread = readingThread<VectorTask>("vectors/input-worker", setup);
    await thread.start();
    await warmUp(model);
    const { threads, most } = model;
    const choice = new ThreadChoice(threads);
    const work = new Lanes({ ...events, lanes: model.lanes, most, threads, choice });
    const facts: LoadedFacts = {
      loadMs: Math.round(performance.now() - startedMs),
      threads,
      contextTokens,
      sequences: mostTasks,
      cacheType: "f16",
      ...model.facts,
      syntax: plainSyntax,
      template: measureTemplate(() => null),
      hasTemplate: false,
      hasInfill: false,
      memoryBytes: process.memoryUsage.rss(),
      vectors: request.task === "rank" ? undefined : model.vectors,
    };
    const reader = new InputReader(vocabulary, inputFacts);
    return new VectorRunner(facts, model, thread, reader, work, request.task);
  }

  /** Rejects when the thread is lost. */
  read(task: VectorTask): Promise<PrepareResult> {
    return lengthOf(task) > shortTexts
      ? this.thread.run(task)
      : Promise.resolve(this.reader.readOrFail(task));
  }

  compute(id: number, { accountId, inputs, dimensions }: ComputeRequest): void {
    const resultOf = (values: readonly Float64Array[]): TaskResult =>
      this.task === "rank"
        ? { type: "scores", scores: values.map((value) => scoreOf(value, this.model.givesProbabilities)) }
        : { type: "vectors", vectors: values.map((value) => unitVector(value, dimensions)) };
    this.work.start({ id, accountId, inputs, resultOf });
  }

  async close(): Promise<void> {
    await this.thread.close();
    await this.work.close();
    await this.model.dispose();
  }
}

function lengthOf(task: VectorTask): number {
  const inputs = task.type === "embed" ? task.inputs : [...task.documents, task.query];
  return inputs.reduce((sum, { length }) => sum + length, 0);
}

/** Short, and longer where the model takes as much. */
const triedTokens = [8, 80];

/** Proves that the model computes, and brings its weights into memory before the first request has to. */
async function warmUp({ lanes, contextTokens }: LoadedVectorModel): Promise<void> {
  for (const lane of lanes)
    for (const tokens of triedTokens)
      if (tokens <= contextTokens) await lane.compute([new Uint32Array(tokens)], 1);
}
