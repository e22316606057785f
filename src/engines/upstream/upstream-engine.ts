/**
 * Any OpenAI-compatible server as an engine: vLLM, SGLang, llama-server, Ollama, another Sotto.
 *
 * `prepare` counts the prompt, on the engine where it can tokenize and by an estimate where not. `generate` sends one
 * request, always streamed, and turns the response into events; an abort closes its connection, which is how these
 * engines notice that the client is gone. When the engine fails, the request fails with `engine_unavailable` or
 * `overloaded`, and the engine's health is checked; retrying elsewhere is up to the pool.
 */
import { imagesIn, withoutImages } from "../../core/chat/images.js";
import type { VectorTask } from "../../core/chat/request.js";
import { type Clock, systemClock } from "../../core/clock.js";
import { ServiceError } from "../../core/errors.js";
import { isChatModelId, type ModelId } from "../../core/models.js";
import {
  type Engine,
  type EngineStatus,
  type Generation,
  type GenerationEvent,
  type PreparedGeneration,
  ReaderTooSlow,
  type KeptByEngine,
  nothingKeptByEngine,
} from "../../core/serving/engine-port.js";
import { newCallId } from "../chat-format/call-id.js";
import { withSystemPrompt } from "../chat-format/system-prompt.js";
import { Grammars } from "../structured-output/grammars.js";
import { HealthMonitor } from "./checks/health.js";
import { readChunk, readInfillEvent } from "./chunk.js";
import { Connection } from "./connection.js";
import { isConversation, type PromptInput } from "./conversation.js";
import { contextExceeded, explainRefusal, unavailable, UpstreamError } from "./failures.js";
import type { UpstreamOptions } from "./options.js";
import { type Profile, whyNotIsolated } from "./profiles.js";
import { minTokens, type PromptCount, PromptCounter } from "./prompt-count.js";
import { ReplyReader } from "./reply.js";
import {
  cacheFields,
  jsonBody,
  pathFor,
  requestBody,
  requireSupported,
  supportsInfill,
  usesInfillEndpoint,
} from "./request-body.js";
import { joinChoices } from "./separate-choices.js";
import { type SseEvent, weightOf } from "./sse-reader.js";
import { StreamCall } from "./stream-call.js";
import { estimateTask, VectorTasks } from "./vector-tasks.js";

export interface UpstreamEngineParts {
  clock?: Clock;
  /** Called when the engine goes down, with the cause, or recovers; for logs. */
  onState?: ((state: EngineStatus["state"], cause: string | undefined) => void) | undefined;
  /** Called with the cause of each request that the engine failed, for logs. */
  onFailure?: ((cause: string) => void) | undefined;
  /** Shared with other engines; its own by default. */
  grammars?: Grammars | undefined;
}

/** Unless configured; opened as needed. Also the upper bound of the concurrency that an engine reports. */
const defaultMaxConnections = 256;

/** Yielded together. The rest waits in the call, which applies backpressure to the engine. */
const maxBatchChars = 16 * 1024;

export class UpstreamEngine implements Engine {
  readonly #clock: Clock;
  readonly #profile: Profile;
  readonly #connections: number;
  readonly #connection: Connection;
  readonly #health: HealthMonitor;
  readonly #serving: string;
  readonly #counter: PromptCounter;
  readonly #tasks: VectorTasks;
  readonly #calls = new Set<StreamCall>();
  readonly #grammars: Grammars;
  readonly #ownsGrammars: boolean;
  readonly #onFailure: (cause: string) => void;
  #closed = false;

  /**
   * Throws, with a sentence for the operator, for an engine that does not isolate accounts. It need not be running yet. Its address is
   * checked at every connection; `preflight` covers the rest.
   */
  constructor(
    private readonly options: UpstreamOptions,
    {
      clock = systemClock,
      onState = () => undefined,
      onFailure = () => undefined,
      grammars,
    }: UpstreamEngineParts = {},
  ) {
    this.#clock = clock;
    this.#onFailure = onFailure;
    const refusal = whyNotIsolated(options);
    if (refusal !== null) throw new Error(refusal);
    this.#grammars = grammars ?? new Grammars();
    this.#ownsGrammars = grammars === undefined;
    this.#connections = options.maxConcurrent ?? defaultMaxConnections;
    this.#connection = new Connection(options, this.#connections);
    this.#profile = this.#connection.profile;
    this.#serving = `${this.#connection.url.host} (${this.#profile.label})`;
    this.#counter = new PromptCounter(this.#connection, clock);
    this.#tasks = new VectorTasks(this.#connection, clock);
    this.#health = new HealthMonitor(this.#connection, clock, onState);
  }

  /** Resolves when its health was checked, whatever the result, within a few seconds. */
  async checked(): Promise<void> {
    await this.#health.checkNow();
  }

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    signal.throwIfAborted();
    if (generation.task !== undefined) {
      this.#requireReady();
      const promptTokens = estimateTask(generation.task, this.#contextTokens());
      return { generation, promptTokens, maxTokens: 0, prompt: null };
    }
    const defaults = this.#defaultsOf(generation.model);
    requireSupported(this.#profile, generation, this.#health.facts);
    const grammar =
      // With tools, llama-server takes no grammar: it generates one from the format and the tools together.
      this.#profile.structuredOutput === "gbnf" && generation.tooling === undefined
        ? await this.#grammars.of(generation.format, generation.accountId, signal)
        : undefined;
    this.#requireReady();
    const prompt = generation.rawPrompt ?? this.#conversation(generation, defaults.systemPrompt);
    const contextTokens = this.#contextTokens();
    if (contextTokens > 0 && minTokens(prompt) >= contextTokens) throw contextExceeded(contextTokens);
    const count = await this.#counter.count(this.#modelName(generation.model), prompt, signal);
    return {
      generation,
      promptTokens: count.tokens,
      maxTokens: this.#replyTokens(generation.maxTokens ?? defaults.maxTokens, count, prompt),
      prompt: new UpstreamPrompt(prompt, grammar),
    };
  }

  generate(
    prepared: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    const { choices, sampling, task } = prepared.generation;
    if (task !== undefined) return this.#runTask(prepared.generation, task, signal);
    if (choices === 1 || this.#profile.choices === "native") {
      return this.#run(prepared, choices, sampling.seed, signal);
    }
    return joinChoices(choices, signal, (choice, ownSignal) => {
      // The same seed would sample the same reply.
      const seed = sampling.seed === undefined ? undefined : sampling.seed + choice;
      return this.#run(prepared, 1, seed, ownSignal);
    });
  }

  /** The same for every model, but for its default length. */
  status(model: ModelId = "omega"): EngineStatus {
    return {
      state: this.#health.state,
      serving: this.#serving,
      contextTokens: this.#contextTokens(),
      defaultMaxTokens: this.options.models[model]?.maxTokens ?? 0,
      follows: {
        jsonSchema: true,
        logprobs: true,
        tools: this.#health.facts.hasTools ?? true,
        reasoning: this.#health.facts.hasReasoning ?? true,
        tasks: isChatModelId(model) ? ["chat"] : this.#tasks.tasks,
        infill: supportsInfill(this.#profile, this.#health.facts.hasInfill),
        vision: this.#sees(),
      },
      capacity: this.#capacity(),
      active: this.#calls.size + this.#tasks.active,
      restarts: this.#health.outages,
      problem: this.#health.problem,
    };
  }

  /** Requests queued at the engine, its other users' included, where it reports them. */
  waiting(): number {
    return this.#health.waiting;
  }

  forgetAccount(accountId: string): void {
    this.#grammars.forgetAccount(accountId);
  }

  async keptOf(): Promise<KeptByEngine> {
    return { ...nothingKeptByEngine, isElsewhere: true };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#health.close();
    this.#tasks.close();
    for (const call of [...this.#calls]) call.abort(unavailable("CLOSED"));
    await this.#connection.close();
    if (this.#ownsGrammars) await this.#grammars.close();
  }

  async *#run(
    prepared: PreparedGeneration,
    choices: number,
    seed: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    signal.throwIfAborted();
    if (this.#closed) throw unavailable("CLOSED");
    const { generation, maxTokens } = prepared;
    const { input, grammar } = promptOf(prepared);
    const fields = requestBody({
      profile: this.#profile,
      model: this.#modelName(generation.model),
      generation,
      prompt: input,
      grammar,
      maxTokens,
      choices,
      seed,
      cacheSaltSecret: this.options.cacheSaltSecret,
    });
    const body = jsonBody(fields, isConversation(input) ? imagesIn(input.messages) : []);
    const hangUp = () => call.abort(signal.reason);
    const call = new StreamCall(
      this.#connection.timeouts,
      () => this.#contextTokens(),
      () => {
        this.#calls.delete(call);
        signal.removeEventListener("abort", hangUp);
      },
      this.#clock,
    );
    signal.addEventListener("abort", hangUp, { once: true });
    this.#calls.add(call);
    const isInfill = usesInfillEndpoint(this.#profile, generation.rawPrompt);
    const readEvent = isInfill ? readInfillEvent : readChunk;
    const reader = new ReplyReader(prepared, choices, this.#contextTokens(), newCallId, readEvent);
    let isComplete = false;
    /** What arrived together, and is not yielded yet. */
    let batch: GenerationEvent[] = [];
    let batchChars = 0;
    try {
      this.#connection.stream(pathFor(this.#profile, generation), body, call);
      for (;;) {
        let event: SseEvent | null | undefined = batchChars < maxBatchChars ? call.take() : undefined;
        if (event === undefined) {
          if (batch.length > 0) yield batch;
          batch = [];
          batchChars = 0;
          event = await call.next();
        }
        if (event === null || event.data === "[DONE]") break;
        batchChars += weightOf(event);
        reader.read(event, batch);
        if (reader.wasCut) break;
      }
      const done = reader.end();
      isComplete = !reader.wasCut;
      if (isComplete) call.finish();
      batch.push(done);
      yield batch;
    } catch (error) {
      signal.throwIfAborted();
      // The client gets what came before the failure.
      if (batch.length > 0) yield batch;
      signal.throwIfAborted();
      if (isEngineFailure(error) && call.wasStalled) throw new ReaderTooSlow();
      this.#reportFailure(error);
      throw explainRefusal(error, generation);
    } finally {
      if (!isComplete) call.abort(unavailable("NOT_READ"));
    }
  }

  async *#runTask(
    { model, accountId }: Generation,
    task: VectorTask,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    signal.throwIfAborted();
    if (this.#closed) throw unavailable("CLOSED");
    const request = {
      model: this.#modelName(model),
      contextTokens: this.#contextTokens(),
      cacheFields: cacheFields(this.#profile, this.options.cacheSaltSecret, accountId),
    };
    try {
      yield await this.#tasks.run(task, request, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#reportFailure(error);
      throw error;
    }
  }

  #requireReady(): void {
    if (!this.#closed && this.#health.state === "ready") return;
    throw unavailable(this.#health.problem?.cause ?? "NOT_READY");
  }

  #conversation({ messages, tooling, reasoningEffort }: Generation, systemPrompt: string): PromptInput {
    // Ollama refuses an effort for a model that does not reason.
    const hasReasoning = this.#health.facts.hasReasoning ?? true;
    return {
      messages: withSystemPrompt(this.#sees() ? messages : withoutImages(messages), systemPrompt),
      tooling,
      reasoningEffort: hasReasoning ? reasoningEffort : undefined,
    };
  }

  /** What is not known to see gets no images: few engines refuse them well. */
  #sees(): boolean {
    const { vision = "auto" } = this.options;
    return vision === "auto" ? (this.#health.facts.hasVision ?? false) : vision;
  }

  #reportFailure(error: unknown): void {
    if (error instanceof UpstreamError && !this.#closed) this.#onFailure(error.failureCode);
    if (isEngineFailure(error)) void this.#health.checkNow();
  }

  #defaultsOf(model: ModelId) {
    const defaults = this.options.models[model];
    if (defaults === undefined) throw new ServiceError("model_not_found", { param: "model" });
    return defaults;
  }

  /** As configured; else our name, where the engine has it (another Sotto); else its first model. */
  #modelName(model: ModelId): string {
    const { models } = this.#health.facts;
    return this.options.name ?? (models.includes(model) ? model : (models[0] ?? model));
  }

  /** 0: unknown; the engine then refuses what is too long. */
  #contextTokens(): number {
    return this.options.contextTokens ?? this.#health.facts.contextTokens ?? 0;
  }

  #capacity(): number {
    const reported = this.#health.facts.maxConcurrent;
    const wanted = reported ?? this.options.maxConcurrent ?? this.#profile.defaultConcurrency;
    return Math.max(1, Math.floor(Math.min(wanted, this.#connections) / (this.options.processes ?? 1)));
  }

  #replyTokens(asked: number, count: PromptCount, prompt: PromptInput): number {
    const contextTokens = this.#contextTokens();
    if (contextTokens === 0) return asked;
    if (count.isExact) {
      const room = contextTokens - count.tokens;
      if (room < 1) throw contextExceeded(contextTokens, count.tokens);
      return Math.min(asked, room);
    }
    // An estimate refuses nothing: the engine decides.
    const taken = this.#profile.clampsMaxTokens ? minTokens(prompt) : count.tokens;
    return Math.min(asked, Math.max(1, contextTokens - taken));
  }
}

const isEngineFailure = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "engine_unavailable";

/** The prompt as the engine gets it, and the grammar of the reply where it takes ours. */
class UpstreamPrompt {
  constructor(
    readonly input: PromptInput,
    readonly grammar: string | undefined,
  ) {}
}

function promptOf({ prompt }: PreparedGeneration): UpstreamPrompt {
  if (prompt instanceof UpstreamPrompt) return prompt;
  throw new Error("This generation was prepared by another engine.");
}
