/**
 * Any OpenAI-compatible server as an engine: vLLM, SGLang, llama-server, Ollama, another Sotto.
 *
 * `prepare` counts the prompt, by asking the engine where it can count and by an estimate where not. `generate`
 * sends one request, always a streamed one, and turns the answer into events; an abort closes its connection,
 * which is how these engines learn that nobody waits. When the engine fails, the request fails with
 * `engine_unavailable` or `overloaded`, and the health watch is notified; retrying elsewhere is up to the pool.
 */
import { randomBytes } from "node:crypto";
import {
  ReaderTooSlow,
  systemClock,
  type Clock,
  type Engine,
  type EngineStatus,
  type Generation,
  type GenerationEvent,
  type PreparedGeneration,
} from "../../core/ports.js";
import type { ChatMessage } from "../../core/chat/request.js";
import { ServiceError } from "../../core/errors.js";
import type { ModelId } from "../../core/models.js";
import { Grammars } from "../formats/grammars.js";
import { withSystemPrompt } from "../formats/system-prompt.js";
import { CacheSalts } from "./cache-salt.js";
import { Connection } from "./connection.js";
import type { Conversation } from "./conversation.js";
import { contextExceeded, explainRefusal, unavailable, UpstreamError } from "./failures.js";
import { HealthWatch } from "./checks/health.js";
import { requireIsolation } from "./isolation.js";
import { timeoutsOf, type UpstreamOptions, type UpstreamTimeouts } from "./options.js";
import { profiles, type Profile } from "./profiles.js";
import { fewestTokens, PromptCounter, type PromptCount } from "./prompt-count.js";
import { ReplyReader } from "./reply.js";
import { requestBody, requireSupported } from "./request-body.js";
import { joinChoices } from "./separate-choices.js";
import { weightOf, type SseEvent } from "./sse-reader.js";
import { StreamCall } from "./stream-call.js";

export interface UpstreamEngineParts {
  clock?: Clock;
  random?: () => number;
  /** Makes the id of a call whose engine gave it none. */
  newCallId?: () => string;
  /** Called when the engine goes down or recovers, for logs; the cause is that of a failure. */
  onState?: ((state: EngineStatus["state"], cause: string | undefined) => void) | undefined;
  /** Called with the cause of each request that the engine failed, for logs. */
  onFailure?: ((cause: string) => void) | undefined;
  /** Shared with other engines; by default its own. */
  grammars?: Grammars | undefined;
}

/** Unless the operator says; opened as they are needed. What an engine reports about itself never exceeds it. */
const mostConnections = 256;

/** Handed over at once. The rest waits in the call, which pauses the engine when too much does. */
const mostCharsTogether = 16 * 1024;

export class UpstreamEngine implements Engine {
  readonly #clock: Clock;
  readonly #newCallId: () => string;
  readonly #profile: Profile;
  readonly #timeouts: UpstreamTimeouts;
  readonly #connections: number;
  readonly #connection: Connection;
  readonly #health: HealthWatch;
  readonly #serving: string;
  readonly #counter: PromptCounter;
  readonly #salts: CacheSalts | null;
  readonly #calls = new Set<StreamCall>();
  readonly #grammars: Grammars;
  readonly #ownsGrammars: boolean;
  readonly #onFailure: (cause: string) => void;
  #closed = false;

  /**
   * Throws `UpstreamRefused` for one that may not get conversations. The engine is not asked anything yet: it may be
   * started later. Its address is checked at every connection; `preflight` covers the rest.
   */
  constructor(
    private readonly options: UpstreamOptions,
    {
      clock = systemClock,
      random = Math.random,
      newCallId = () => `call_${randomBytes(12).toString("hex")}`,
      onState = () => undefined,
      onFailure = () => undefined,
      grammars,
    }: UpstreamEngineParts = {},
  ) {
    this.#clock = clock;
    this.#newCallId = newCallId;
    this.#onFailure = onFailure;
    requireIsolation(options);
    this.#grammars = grammars ?? new Grammars();
    this.#ownsGrammars = grammars === undefined;
    this.#profile = profiles[options.profile];
    this.#timeouts = timeoutsOf(options);
    this.#connections = options.maxConcurrent ?? mostConnections;
    this.#connection = new Connection(options, this.#connections, this.#timeouts);
    this.#serving = `${this.#connection.url.host} (${this.#profile.label})`;
    this.#counter = new PromptCounter(this.#connection, this.#profile, this.#timeouts.countMs, clock);
    this.#salts = this.#profile.cache.type === "salt" ? new CacheSalts(options.cacheSaltSecret) : null;
    this.#health = new HealthWatch(
      this.#connection,
      this.#profile,
      options.name,
      this.#timeouts,
      clock,
      random,
      onState,
    );
  }

  /** Resolves when the engine has answered. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#health.untilReady(signal);
  }

  /** Resolves when it was asked how it is, whatever came of that, within a few seconds. */
  async asked(): Promise<void> {
    await this.#health.checkNow();
  }

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    signal.throwIfAborted();
    const defaults = this.#defaultsOf(generation.model);
    requireSupported(this.#profile, generation, this.#health.facts);
    const grammar =
      // llama-server takes no grammar beside tools, and then makes one of the format and the tools together.
      this.#profile.formats === "us" && generation.tooling === undefined
        ? await this.#grammars.of(generation.format, generation.accountId, signal)
        : undefined;
    if (this.#closed || this.#health.state !== "ready") {
      throw unavailable(this.#health.problem?.cause ?? "NOT_READY");
    }
    const messages = withSystemPrompt(generation.messages, defaults.systemPrompt);
    const contextTokens = this.#contextTokens();
    if (contextTokens > 0 && fewestTokens(messages) >= contextTokens) throw contextExceeded(contextTokens);
    const conversation = this.#conversation(generation, messages);
    const count = await this.#counter.count(this.#modelName(generation.model), conversation, signal);
    return {
      generation,
      promptTokens: count.tokens,
      maxTokens: this.#replyTokens(generation.maxTokens ?? defaults.maxTokens, count, messages),
      prompt: new UpstreamPrompt(conversation, grammar),
    };
  }

  generate(
    prepared: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    const { choices, sampling } = prepared.generation;
    if (choices === 1 || this.#profile.choices === "native") {
      return this.#run(prepared, choices, sampling.seed, signal);
    }
    return joinChoices(choices, signal, (choice, ownSignal) => {
      // The same seed would draw the same reply.
      const seed = sampling.seed === undefined ? undefined : sampling.seed + choice;
      return this.#run(prepared, 1, seed, ownSignal);
    });
  }

  /** The same for every model, but for its default. */
  status(model: ModelId = "omega"): EngineStatus {
    return {
      state: this.#health.state,
      serving: this.#serving,
      contextTokens: this.#contextTokens(),
      defaultMaxTokens: this.options.models[model]?.maxTokens ?? 0,
      follows: {
        jsonSchema: this.#profile.formats !== "nobody",
        logprobs: this.#profile.hasLogprobs,
        tools: this.#health.facts.hasTools ?? true,
        reasoning: this.#health.facts.thinks ?? true,
      },
      capacity: this.#capacity(),
      active: this.#calls.size,
      restarts: this.#health.outages,
      problem: this.#health.problem,
    };
  }

  /** Requests that wait at the engine, its other users' included, where it reports them. */
  waiting(): number {
    return this.#health.waiting;
  }

  forgetAccount(accountId: string): void {
    this.#salts?.forget(accountId);
    this.#grammars.forgetAccount(accountId);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#health.close();
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
    const { conversation, grammar } = promptOf(prepared);
    const body = requestBody({
      profile: this.#profile,
      model: this.#modelName(generation.model),
      generation,
      conversation,
      grammar,
      maxTokens,
      choices,
      seed,
      salt: this.#salts?.saltOf(generation.accountId),
    });
    const hangUp = () => {
      call.abort(signal.reason);
    };
    const call = new StreamCall(
      this.#timeouts,
      () => this.#contextTokens(),
      () => {
        this.#calls.delete(call);
        signal.removeEventListener("abort", hangUp);
      },
      this.#clock,
    );
    signal.addEventListener("abort", hangUp, { once: true });
    this.#calls.add(call);
    const reader = new ReplyReader(prepared, choices, this.#contextTokens(), this.#newCallId);
    let over = false;
    /** What came together, and is not handed over yet. */
    let arrived: GenerationEvent[] = [];
    let arrivedChars = 0;
    try {
      this.#connection.stream("/v1/chat/completions", body, call);
      for (;;) {
        let event: SseEvent | null | undefined = arrivedChars < mostCharsTogether ? call.take() : undefined;
        if (event === undefined) {
          if (arrived.length > 0) yield arrived;
          arrived = [];
          arrivedChars = 0;
          event = await call.next();
        }
        if (event === null || event.data === "[DONE]") break;
        arrivedChars += weightOf(event);
        reader.read(event, arrived);
        if (reader.wasCut) break;
      }
      const done = reader.end();
      over = !reader.wasCut;
      if (over) call.finish();
      arrived.push(done);
      yield arrived;
    } catch (error) {
      signal.throwIfAborted();
      // The client gets what came before the failure.
      if (arrived.length > 0) yield arrived;
      signal.throwIfAborted();
      const failed = error instanceof ServiceError && error.code === "engine_unavailable";
      if (failed && call.wasHeldUp) throw new ReaderTooSlow();
      this.#reportFailure(error);
      if (failed) void this.#health.checkNow();
      throw explainRefusal(error, generation);
    } finally {
      if (!over) call.abort(unavailable("NOT_READ"));
    }
  }

  #conversation({ tooling, reasoningEffort }: Generation, messages: readonly ChatMessage[]): Conversation {
    // A model that does not think has nothing to be told about it, and Ollama refuses what it is told.
    const thinks = this.#health.facts.thinks ?? true;
    return { messages, tooling, reasoningEffort: thinks ? reasoningEffort : undefined };
  }

  #reportFailure(error: unknown): void {
    if (error instanceof UpstreamError && !this.#closed) this.#onFailure(error.failureCode);
  }

  #defaultsOf(model: ModelId) {
    const defaults = this.options.models[model];
    if (defaults === undefined) throw new ServiceError("model_not_found", { param: "model" });
    return defaults;
  }

  /** As the operator says; else ours, where the engine has it (another Sotto); else its first. */
  #modelName(model: ModelId): string {
    const { models } = this.#health.facts;
    return this.options.name ?? (models.includes(model) ? model : (models[0] ?? model));
  }

  /** 0: unknown, and then the engine's to judge. */
  #contextTokens(): number {
    return this.options.contextTokens ?? this.#health.facts.contextTokens ?? 0;
  }

  #capacity(): number {
    const reported = this.#health.facts.concurrent;
    const wanted = reported ?? this.options.maxConcurrent ?? this.#profile.usualConcurrent;
    return Math.max(1, Math.min(wanted, this.#connections));
  }

  #replyTokens(asked: number, count: PromptCount, messages: readonly ChatMessage[]): number {
    const contextTokens = this.#contextTokens();
    if (contextTokens === 0) return asked;
    if (count.exact) {
      const room = contextTokens - count.tokens;
      if (room < 1) throw contextExceeded(contextTokens, count.tokens);
      return Math.min(asked, room);
    }
    // An estimate refuses nothing: the engine knows better, and says so.
    const taken = this.#profile.capsReply ? fewestTokens(messages) : count.tokens;
    return Math.min(asked, Math.max(1, contextTokens - taken));
  }
}

/** The conversation as the engine gets it, and the grammar of the reply where it follows ours. */
class UpstreamPrompt {
  constructor(
    readonly conversation: Conversation,
    readonly grammar: string | undefined,
  ) {}
}

function promptOf({ prompt }: PreparedGeneration): UpstreamPrompt {
  if (prompt instanceof UpstreamPrompt) return prompt;
  throw new Error("This generation was prepared by another engine.");
}
