/**
 * The embedded engine as the rest of the program sees it: one GGUF file, one child process, any number of our
 * models answered by it.
 *
 * The model runs in the child, so that a crash or a lack of memory in native code fails only the requests that it
 * was computing, and computing never blocks this process. The child keeps nothing between `prepare` and
 * `generate`: the prompt's tokens travel with the prepared generation, and outlive a restart.
 *
 * When the child dies, replies that had begun fail at once with `engine_unavailable`, and another one is started;
 * new requests wait for it. So do requests that had no token yet: they are run again, once each, since one of them
 * may be what killed it. A child that runs but does not respond is killed, with the same effect.
 *
 * On demand there is a child only while the model is in use, and for a while after (residency.ts).
 */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContextFit } from "../../../adapters/context-fit.js";
import { usualSequences } from "../../../adapters/kv-cache.js";
import { programFile } from "../../../adapters/program-files.js";
import type { EngineConfig } from "../../../config.js";
import type { VectorTask } from "../../../core/chat/request.js";
import type { Clock } from "../../../core/clock.js";
import { ServiceError } from "../../../core/errors.js";
import type { ModelId } from "../../../core/models.js";
import {
  type Engine,
  type EngineFeatures,
  type EngineStatus,
  type EngineTask,
  type Generation,
  type GenerationEvent,
  type Kept,
  type KeptByEngine,
  nothingKept,
  nothingKeptByEngine,
  type PreparedGeneration,
} from "../../../core/serving/engine-port.js";
import { withoutImages } from "../../../core/chat/images.js";
import type { ModelDefaults } from "../../../core/serving/model-defaults.js";
import { withTimeLimit } from "../../../core/time-limit.js";
import { plainSyntax, type ReplySyntax } from "../../chat-format/reply-syntax.js";
import { withSystemPrompt } from "../../chat-format/system-prompt.js";
import { type Backend, type GpuBackend, isGpu } from "../backends.js";
import type { EngineBackends } from "../gpu/choice.js";
import { engineEnvironment } from "../child-environment.js";
import type { EngineChild } from "./child.js";
import { PromptReader, type Reading, readPromptIn, requireFits } from "./prompt-reader.js";
import { grammarPlan, isReasoningModel, parsingPlan, withReasoning } from "./reply-plan.js";
import type { Residency, Resident, ResidentSize } from "./residency.js";
import { Run } from "./run.js";
import { type LlamaEvent, type OnDemand, Supervisor } from "./supervisor.js";
import { defaultTiming, type Timing } from "./timing.js";
import { inputsIn, requireSupported, vectorFeatures } from "./vector-tasks.js";
import type {
  GrammarPlan,
  LoadedFacts,
  LoadRequest,
  PrepareResult,
  PromptInput,
  StepReport,
  ToWorker,
} from "../messages.js";
import { Grammars } from "../../structured-output/grammars.js";

/** A file that is for another task than chat does nothing but that. */
export interface LlamaEngineOptions extends Pick<
  LoadRequest,
  "weights" | "draft" | "task" | "measures" | "extension"
> {
  models: Readonly<Partial<Record<ModelId, ModelDefaults>>>;
  config: EngineConfig;
  /** Context and sequences where the CPU computes; without it the child chooses. On a GPU it always does. */
  cpuFit?: ContextFit | undefined;
  onEvent?: ((event: LlamaEvent) => void) | undefined;
  /** What to compute on, one after the other. By default the CPU. */
  backends?: EngineBackends | undefined;
  /** The folder of the GPU library of this machine, where it has one for the backend. */
  libraryOf?: ((backend: GpuBackend) => string | undefined) | undefined;
  /** The child's program. By default the one beside this file. */
  workerFile?: string | undefined;
  /** The caller retries elsewhere what got no token from a dying child: it is not run again here. */
  failsOver?: boolean | undefined;
  /** Loads the model on first use. Without it, the model is loaded at once and stays loaded. */
  onDemand?: OnDemandOptions | undefined;
  timing?: Partial<Timing> | undefined;
  /** Shared with other engines; by default its own. */
  grammars?: Grammars | undefined;
}

export interface OnDemandOptions extends Pick<OnDemand, "maxWaiting" | "waitMs"> {
  /** Called before each load, to create the file. Rejects with an error for the operator. */
  prepare?: () => Promise<unknown>;
  residency: Residency;
  size: ResidentSize;
  clock: Clock;
}

/** A child that computes answers between two steps. */
const longestCountMs = 3_000;

export class LlamaEngine implements Engine {
  readonly #supervisor: Supervisor;
  readonly #grammars: Grammars;
  readonly #runs = new Map<number, Run>();
  readonly #prompts = new PromptReader(() => this.#nextId++);
  /** By the id of the message. */
  readonly #counting = new Map<number, (kept: Kept) => void>();
  #nextId = 0;
  #active = 0;
  /** Requests that are being prepared or run. */
  readonly #uses = new Set<object>();
  #lastUsedMs = 0;
  readonly #task: EngineTask;
  /** Of one request, in total: reading its prompt and running it share the retries. */
  readonly #mostTries: number;

  constructor(private readonly options: LlamaEngineOptions) {
    const { config, weights, backends } = options;
    this.#task = options.task ?? "chat";
    this.#mostTries = options.failsOver === true ? 1 : 2;
    const loadOn = (gpu: Backend): LoadRequest => ({
      ...config,
      ...(gpu === "cpu" ? options.cpuFit : {}),
      weights,
      draft: options.draft,
      task: options.task,
      measures: options.measures,
      gpu: gpu === "cpu" ? "off" : gpu,
      extension: options.extension,
      library: isGpu(gpu) ? options.libraryOf?.(gpu) : undefined,
    });
    this.#grammars = options.grammars ?? new Grammars({ keeps: config.prefixReuse === "on" });
    this.#supervisor = new Supervisor(
      {
        workerFile: options.workerFile ?? defaultWorkerFile(),
        env: engineEnvironment(options.task),
        load: loadOn(backends?.current ?? "cpu"),
        loadTimeoutMs: config.loadTimeoutMs,
        timing: { ...defaultTiming, ...options.timing },
      },
      {
        onEvent: (event) => {
          if (event.type === "loaded") backends?.loaded();
          options.onEvent?.(event);
          if (event.type === "exited" || event.type === "unloaded") this.#loseAll();
        },
        onMessage: (message) => {
          if (message.type === "step") this.#onStep(message.report);
          else if (message.type === "kept") this.#counting.get(message.id)?.(message.kept);
          else this.#prompts.answered(message.id, message.result);
        },
        fallBack: (failure) => backends?.fallBack(failure)?.then(loadOn) ?? null,
      },
      options.onDemand === undefined ? undefined : this.#loadingOn(options.onDemand),
    );
  }

  get pid(): number | undefined {
    return this.#supervisor.pid;
  }

  /** Resolves when the model has loaded; rejects, with a message for the operator, when it cannot be. */
  async ready(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.#supervisor.firstLoad(signal);
  }

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    const endUse = this.#beginUse();
    try {
      const { task } = generation;
      return await (task === undefined
        ? this.#prepare(generation, signal)
        : this.#prepareTask(generation, task, signal));
    } finally {
      endUse();
    }
  }

  async *generate(
    prepared: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    const endUse = this.#beginUse();
    // An abort ends the use as well: the consumer may never read again after it.
    signal.addEventListener("abort", endUse, { once: true });
    try {
      for (let { retries } = promptOf(prepared); ; retries--) {
        const run = this.#start(await this.#supervisor.readyChild(signal), prepared);
        const abort = () => {
          run.abort();
          run.stream.fail(new Error("aborted"));
        };
        // The consumer may be busy elsewhere when the signal fires; the sequence must not wait for it.
        signal.addEventListener("abort", abort);
        try {
          for (;;) {
            const event = await run.stream.next();
            signal.throwIfAborted();
            if (event === null) return;
            yield [event];
          }
        } catch (error) {
          signal.throwIfAborted();
          if (!run.wasLostUnbegun || retries === 0) throw error;
        } finally {
          signal.removeEventListener("abort", abort);
          abort();
        }
      }
    } finally {
      signal.removeEventListener("abort", endUse);
      endUse();
    }
  }

  status(model: ModelId): EngineStatus {
    const { maxTokens: defaultMaxTokens } = this.#defaultsOf(model);
    const { facts, state, restarts, problem } = this.#supervisor;
    const { weights, backends } = this.options;
    const onGpu = isGpu(backends?.current ?? "cpu");
    // Assumed until the child has chosen.
    const expected = onGpu ? this.options.config : { ...this.options.config, ...this.options.cpuFit };
    return {
      state,
      serving: basename(weights),
      contextTokens: facts?.contextTokens ?? expected.contextTokens ?? 0,
      defaultMaxTokens,
      follows: this.#features,
      capacity: facts?.sequences ?? expected.sequences ?? usualSequences,
      ...(this.#task === "chat" ? { cacheType: facts?.cacheType, preempts: true } : {}),
      // A task is reported when something of it has been computed.
      active: this.#task === "chat" ? this.#active : this.#runs.size,
      restarts,
      problem,
    };
  }

  forgetAccount(accountId: string): void {
    this.#grammars.forgetAccount(accountId);
    this.#supervisor.notify({ type: "forget", accountId });
  }

  async keptOf(accountId: string): Promise<KeptByEngine> {
    // Without a child there is no memory that could keep anything.
    if (!this.#supervisor.isReady) return nothingKeptByEngine;
    const id = this.#nextId++;
    const counted = new Promise<Kept>((resolve) => this.#counting.set(id, resolve));
    this.#supervisor.notify({ type: "count_kept", id, accountId });
    try {
      const conversations = await withTimeLimit(counted, longestCountMs, () =>
        this.#supervisor.unavailable(),
      );
      return { ...nothingKeptByEngine, conversations };
    } finally {
      this.#counting.delete(id);
    }
  }

  async close(): Promise<void> {
    const closed = this.#supervisor.close();
    this.#loseAll();
    await closed;
    if (this.options.grammars === undefined) await this.#grammars.close();
  }

  #loadingOn({ prepare, residency, size, maxWaiting, waitMs }: OnDemandOptions): OnDemand {
    const resident: Resident = {
      size,
      isLoaded: () => this.#supervisor.isReady,
      idleSinceMs: () => (this.#uses.size === 0 ? this.#lastUsedMs : null),
      unload: () => this.#supervisor.sleep(),
    };
    return {
      maxWaiting,
      waitMs,
      admit: async (isWanted) => {
        await prepare?.();
        return residency.admit(resident, isWanted);
      },
      release: () => residency.release(resident),
    };
  }

  /** The returned function ends it, and may be called more than once. */
  #beginUse(): () => void {
    const use = {};
    this.#uses.add(use);
    return () => {
      if (this.#uses.delete(use)) this.#lastUsedMs = this.options.onDemand?.clock.monotonicMs() ?? 0;
    };
  }

  get #features(): EngineFeatures {
    if (this.#task !== "chat") return vectorFeatures(this.#task);
    const { facts } = this.#supervisor;
    return {
      jsonSchema: true,
      logprobs: true,
      tools: true,
      reasoning: facts !== undefined && isReasoningModel(facts.syntax),
      chat: facts?.hasTemplate ?? true,
      infill: facts?.hasInfill ?? false,
    };
  }

  async #prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    requireSupported(undefined, this.#task, undefined);
    const { systemPrompt, maxTokens, repeatPenalty, minP } = this.#defaultsOf(generation.model);
    const { accountId, tooling, reasoningEffort, rawPrompt } = generation;
    const { stop, sampling, choices, topLogprobs } = generation;
    const prompt: PromptInput = rawPrompt ?? {
      messages: withoutImages(withSystemPrompt(generation.messages, systemPrompt)),
      tools: tooling?.tools ?? [],
      reasoningEffort,
    };
    const plan = await this.#grammarPlan(generation, signal);
    const { result, retries } = await this.#read({ accountId, prompt }, signal, (facts) =>
      requireFits(generation, prompt, facts),
    );
    const contextTokens = this.#supervisor.facts?.contextTokens ?? 0;
    const { tokens, reasoningOpen } = readPromptIn(result, contextTokens, generation);
    const promptTokens = tokens.length;
    const grammar = withReasoning(plan, this.#syntax, reasoningOpen);
    // What continues a raw prompt is text, whatever it looks like.
    const parsing =
      rawPrompt === undefined ? parsingPlan(generation, this.#syntax, reasoningOpen) : undefined;
    const request = {
      ...{ accountId, prompt: tokens, choices, stop, sampling, topLogprobs, grammar, parsing },
      defaults: { repeatPenalty, minP },
    };
    return {
      generation,
      promptTokens,
      maxTokens: Math.min(generation.maxTokens ?? maxTokens, contextTokens - promptTokens),
      prompt: new LlamaPrompt(
        (id, maxTokens) => ({ type: "generate", id, request: { ...request, maxTokens } }),
        retries,
      ),
    };
  }

  async #prepareTask(
    generation: Generation,
    task: VectorTask,
    signal: AbortSignal,
  ): Promise<PreparedGeneration> {
    this.#defaultsOf(generation.model);
    requireSupported(task, this.#task, this.#supervisor.facts?.vectors);
    const { accountId } = generation;
    const { result, retries } = await this.#read({ accountId, task }, signal, ({ vectors }) =>
      requireSupported(task, this.#task, vectors),
    );
    const inputs = inputsIn(result, task, this.#supervisor.facts?.contextTokens ?? 0);
    const dimensions = task.type === "embed" ? task.dimensions : undefined;
    const request = { accountId, inputs, dimensions };
    return {
      generation,
      promptTokens: inputs.reduce((sum, { length }) => sum + length, 0),
      maxTokens: 0,
      prompt: new LlamaPrompt((id) => ({ type: "compute", id, request }), retries),
    };
  }

  /** By the child, or once more by another one when it dies. `check` throws for what this model does not do. */
  async #read(
    reading: Reading,
    signal: AbortSignal,
    check: (facts: LoadedFacts) => void,
  ): Promise<{ result: PrepareResult; retries: number }> {
    for (let tries = 1; tries <= this.#mostTries; tries++) {
      const readyChild = () => this.#supervisor.readyChild(signal);
      await readyChild();
      const { facts } = this.#supervisor;
      if (facts !== undefined) check(facts);
      const result = await this.#prompts.read(readyChild, reading, signal);
      if (result !== null) return { result, retries: this.#mostTries - tries };
    }
    throw this.#supervisor.unavailable();
  }

  /** Of the loaded model; plain before one is loaded. */
  get #syntax(): ReplySyntax {
    return this.#supervisor.facts?.syntax ?? plainSyntax;
  }

  async #grammarPlan(generation: Generation, signal: AbortSignal): Promise<GrammarPlan | undefined> {
    // The syntax is known once the model has loaded.
    const isFree = generation.tooling === undefined && generation.format.type === "text";
    if (!isFree && this.#supervisor.facts === undefined) await this.#supervisor.readyChild(signal);
    return grammarPlan(generation, this.#syntax, this.#grammars, signal);
  }

  #defaultsOf(model: ModelId): ModelDefaults {
    const defaults = this.options.models[model];
    if (defaults === undefined) throw new ServiceError("model_not_found", { param: "model" });
    return defaults;
  }

  #start(child: EngineChild, prepared: PreparedGeneration): Run {
    const { firstTokenTimeoutMs, nextTokenTimeoutMs } = this.options.config;
    const id = this.#nextId++;
    const run = new Run({
      id,
      child,
      prepared,
      firstTokenTimeoutMs,
      nextTokenTimeoutMs,
      unavailable: () => this.#supervisor.unavailable(),
    });
    this.#runs.set(id, run);
    child.send(promptOf(prepared).message(id, prepared.maxTokens));
    return run;
  }

  #onStep({ active, progress, endings }: StepReport): void {
    this.#active = active;
    for (const one of progress) this.#runs.get(one.id)?.progressed(one);
    for (const { id, outcome } of endings) {
      const run = this.#runs.get(id);
      this.#runs.delete(id);
      run?.ended(outcome);
    }
  }

  /** The child is gone or about to be: its pending requests will not be answered. */
  #loseAll(): void {
    this.#active = 0;
    for (const run of this.#runs.values()) run.lost();
    this.#runs.clear();
    for (const resolve of this.#counting.values()) resolve(nothingKept);
    this.#prompts.loseAll();
  }
}

/** The engine's form of a prompt, or of a task's inputs. A class, so that `generate` knows its own. */
class LlamaPrompt {
  constructor(
    /** What a child is sent to run it, with so many tokens at most for each choice. */
    readonly message: (id: number, maxTokens: number) => ToWorker,
    /** How often it may be run again when the child dies before the first token. */
    readonly retries: number,
  ) {}
}

function promptOf({ prompt }: PreparedGeneration): LlamaPrompt {
  if (prompt instanceof LlamaPrompt) return prompt;
  throw new Error("This generation was prepared by another engine.");
}

const defaultWorkerFile = (): string => fileURLToPath(programFile("engines/llama/worker/worker"));
