/** A loaded model that embeds or ranks: what runner.ts is for replies. */
import type { WorkerThread } from "../../../../adapters/worker-thread.js";
import type { VectorTask } from "../../../../core/chat/request.js";
import { plainSyntax } from "../../../chat-format/reply-syntax.js";
import type { ComputeRequest, LoadedFacts, LoadRequest, PrepareResult, TaskResult } from "../../messages.js";
import { readingThread, type RunnerOptions } from "../runner.js";
import type { InputSetup } from "./input-worker.js";
import { Lanes } from "./lanes.js";
import { scoreOf, unitVector } from "./results.js";
import { ThreadChoice } from "./thread-choice.js";
import { loadVectorModel, type LoadedVectorModel } from "./vector-model.js";

type InputThread = WorkerThread<VectorTask, PrepareResult>;

/** Requests at once. Their inputs take turns. */
const mostTasks = 16;

export class VectorRunner {
  private constructor(
    readonly facts: LoadedFacts,
    private readonly model: LoadedVectorModel,
    private readonly inputs: InputThread,
    private readonly lanes: Lanes,
    private readonly options: RunnerOptions & Pick<LoadRequest, "task">,
  ) {}

  static async load(request: LoadRequest, events: RunnerOptions): Promise<VectorRunner> {
    const startedMs = performance.now();
    const model = await loadVectorModel(request);
    const { vocabularySource: source, contextTokens, stripsAccents, rankTemplate } = model;
    const { vocabularySize } = model.facts;
    const setup: InputSetup = { source, vocabularySize, contextTokens, stripsAccents, rankTemplate };
    const inputs: InputThread = readingThread("vectors/input-worker", setup);
    await inputs.start();
    await warmUp(model);
    const { threads, most } = model;
    const choice = new ThreadChoice(threads);
    const lanes = new Lanes({ ...events, lanes: model.lanes, most, threads, choice });
    const facts: LoadedFacts = {
      loadMs: Math.round(performance.now() - startedMs),
      threads,
      contextTokens,
      sequences: mostTasks,
      cacheType: "f16",
      ...model.facts,
      syntax: plainSyntax,
      template: noTemplate,
      hasTemplate: false,
      hasInfill: false,
      memoryBytes: process.memoryUsage.rss(),
      vectors: request.task === "rank" ? undefined : model.vectors,
    };
    return new VectorRunner(facts, model, inputs, lanes, { ...events, task: request.task });
  }

  /** One at a time. Null when the thread is lost: native code may be the cause, so the process is replaced. */
  async prepare(task: VectorTask): Promise<PrepareResult | null> {
    try {
      return await this.inputs.run(task);
    } catch {
      this.options.onBroken();
      return null;
    }
  }

  compute(id: number, { accountId, inputs, dimensions }: ComputeRequest): void {
    const resultOf = (values: readonly Float64Array[]): TaskResult =>
      this.options.task === "rank"
        ? { type: "scores", scores: values.map((value) => scoreOf(value, this.model.givesProbabilities)) }
        : { type: "vectors", vectors: values.map((value) => unitVector(value, dimensions)) };
    this.lanes.start({ id, accountId, inputs, resultOf });
  }

  abort(id: number): void {
    this.lanes.abort(id);
  }

  get isIdle(): boolean {
    return this.lanes.isIdle;
  }

  /** Comes before the process exits, whatever the reason: native code should not be in the middle of anything. */
  endPrompts(): Promise<void> {
    return this.inputs.close();
  }

  async close(): Promise<void> {
    await this.endPrompts();
    await this.lanes.close();
    await this.model.dispose();
  }
}

const noTemplate: LoadedFacts["template"] = {
  turn: 0,
  round: 0,
  repeated: { system: 0, user: 0, assistant: 0, tool: 0 },
  call: 0,
  tool: 0,
};

/** Short, and longer where the model takes as much. */
const triedTokens = [8, 80];

/** Proves that the model computes, and brings its weights into memory before the first request has to. */
async function warmUp({ lanes, contextTokens }: LoadedVectorModel): Promise<void> {
  for (const lane of lanes)
    for (const tokens of triedTokens)
      if (tokens <= contextTokens) await lane.compute([new Uint32Array(tokens)], 1);
}
