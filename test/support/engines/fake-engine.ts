/**
 * An engine without a model, for tests of everything around one. What it says, when, and how it fails is
 * scripted. A token is a word of the prompt or a fragment of the reply.
 */
import { EventEmitter, once } from "node:events";
import type { FinishReason } from "../../../src/core/chat/reply.js";
import type { RawPrompt, VectorTask } from "../../../src/core/chat/request.js";
import { ServiceError } from "../../../src/core/errors.js";
import type { ModelId } from "../../../src/core/models.js";
import {
  type Engine,
  type EngineStatus,
  type Generation,
  type GenerationEvent,
  isAvailable,
  type KeptByEngine,
  nothingKeptByEngine,
  type PreparedGeneration,
} from "../../../src/core/serving/engine-port.js";
import { fakeDimensions, fakeResult, fakeTokens } from "./fake-vectors.js";

/** Features of an engine that also embeds and ranks. */
export const withTasks: EngineStatus["follows"] = {
  jsonSchema: true,
  logprobs: true,
  tools: true,
  reasoning: true,
  tasks: ["chat", "embed", "rank"],
};

/** Text, or something else that a token may bring. */
type Fragment = string | { reasoning: string } | { call: string; id?: string } | { arguments: string };

export interface Script {
  fragments: Fragment[];
  finishReason?: FinishReason;
  stopSequence?: string;
  /** Log probabilities of the text, one token for each fragment. */
  hasLogprobs?: boolean;
  /** Of the prompt; none by default. */
  cachedTokens?: number;
  /** Throws this instead of the fragment with this index; `at: 0` fails before the first token. */
  failure?: { at: number; error: Error };
  /** Ends the iteration without `done`, which the port forbids. */
  endsEarly?: boolean;
}

export interface FakeEngineOptions {
  capacity?: number;
  contextTokens?: number;
  state?: EngineStatus["state"];
  /** Used when a request has no `max_tokens`. */
  defaultMaxTokens?: number;
  /** Where a model has another. */
  defaultMaxTokensOf?: Partial<Record<ModelId, number>>;
  follows?: EngineStatus["follows"];
  /** Tokens of a prompt; by default one for each word. */
  countPrompt?: (generation: Generation) => number;
}

type ChoiceEvent = Extract<GenerationEvent, { choice: number }>;

export const defaultReply = (generation: Generation): Script => ({
  fragments: ["Hello", " from ", generation.model, "."],
});

export class FakeEngine implements Engine {
  /** Everything it was asked to run, in order. */
  readonly generations: Generation[] = [];
  /** Accounts that it was asked to forget. */
  readonly forgotten: string[] = [];
  /** What it says that it keeps, by account. */
  readonly kept = new Map<string, KeptByEngine>();
  /** Models that it cannot answer for now. */
  readonly down = new Set<ModelId>();
  /** Fragments handed out so far. */
  produced = 0;
  script: (generation: Generation) => Script = defaultReply;
  /** How tasks fail, if they do. */
  taskScript: { failure?: Error } = {};
  options: Required<FakeEngineOptions>;
  #active = 0;
  #tokensAllowed = Infinity;
  readonly #released = new EventEmitter().setMaxListeners(0);

  constructor(options: FakeEngineOptions = {}) {
    this.options = {
      capacity: 4,
      contextTokens: 1000,
      state: "ready",
      defaultMaxTokens: 256,
      defaultMaxTokensOf: {},
      follows: { jsonSchema: true, logprobs: true, tools: true, reasoning: true },
      countPrompt: ({ messages, rawPrompt }) =>
        messages.reduce((sum, { content }) => sum + countWords(content), countRaw(rawPrompt)),
      ...options,
    };
  }

  get active(): number {
    return this.#active;
  }

  /** From now on no token comes, until released. */
  hold(): void {
    this.#tokensAllowed = 0;
  }

  /** Lets `count` tokens out, over all generations; all of them and all to come by default. */
  release(count = Infinity): void {
    this.#tokensAllowed += count;
    this.#released.emit("released");
  }

  async prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration> {
    signal.throwIfAborted();
    if (!isAvailable(this.status(generation.model))) throw new ServiceError("engine_unavailable");
    const { contextTokens, defaultMaxTokens } = this.status(generation.model);
    if (generation.task !== undefined) return this.#prepareTask(generation, generation.task);
    const promptTokens = this.options.countPrompt(generation);
    const room = contextTokens - promptTokens;
    if (room < 1) {
      throw new ServiceError("context_length_exceeded", {
        message: `This model's maximum context length is ${contextTokens} tokens.`,
        param: "messages",
      });
    }
    const maxTokens = Math.min(generation.maxTokens ?? defaultMaxTokens, room);
    return { generation, promptTokens, maxTokens, prompt: null };
  }

  async *generate(
    { generation, promptTokens, maxTokens }: PreparedGeneration,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    this.generations.push(generation);
    if (generation.task !== undefined) {
      yield* this.#runTask(generation.task, promptTokens, signal);
      return;
    }
    const script = this.script(generation);
    const { fragments, finishReason = "stop", failure, endsEarly = false, cachedTokens = 0 } = script;
    const said = fragments.slice(0, maxTokens);
    const { choices } = generation;
    /** All choices say the same. */
    const inEach = (event: ChoiceEvent) =>
      Array.from({ length: choices }, (_, choice) => ({ ...event, choice }));
    let call = -1;
    this.#active += 1;
    try {
      for (const [index, fragment] of said.entries()) {
        await this.#nextToken(signal);
        if (failure?.at === index) throw failure.error;
        this.produced += 1;
        if (typeof fragment === "object" && "call" in fragment) call += 1;
        const event = eventOf(fragment, call);
        yield inEach(script.hasLogprobs === true ? withLogprobs(event) : event);
        signal.throwIfAborted();
      }
      if (failure !== undefined && failure.at >= said.length) throw failure.error;
      if (endsEarly) return;
      const reason = said.length < fragments.length ? "length" : finishReason;
      const { stopSequence } = script;
      const stopped = stopSequence === undefined ? {} : { stopSequence };
      yield inEach({ type: "finished", choice: 0, finishReason: reason, ...stopped });
      const reasoningTokens = said.filter((one) => typeof one === "object" && "reasoning" in one).length;
      const completionTokens = said.length * choices;
      const usage = { promptTokens, completionTokens, cachedTokens, reasoningTokens };
      yield [{ type: "done", usage }];
    } finally {
      this.#active -= 1;
    }
  }

  status(model: ModelId = "omega"): EngineStatus {
    const { contextTokens, capacity, defaultMaxTokensOf, follows } = this.options;
    const state = this.down.has(model) ? "down" : this.options.state;
    const defaultMaxTokens = defaultMaxTokensOf[model] ?? this.options.defaultMaxTokens;
    const shown = { contextTokens, defaultMaxTokens, follows, capacity };
    return { state, serving: "fake", ...shown, active: this.#active, restarts: 0 };
  }

  forgetAccount(accountId: string): void {
    this.forgotten.push(accountId);
    this.kept.delete(accountId);
  }

  async keptOf(accountId: string): Promise<KeptByEngine> {
    return this.kept.get(accountId) ?? nothingKeptByEngine;
  }

  async close(): Promise<void> {
    this.release();
  }

  #prepareTask(generation: Generation, task: VectorTask): PreparedGeneration {
    const { contextTokens } = this.options;
    const tokens = fakeTokens(task);
    const tooLong = tokens.findIndex((count) => count > contextTokens);
    if (tooLong >= 0) {
      throw new ServiceError("context_length_exceeded", {
        message: `This model's maximum context length is ${contextTokens} tokens.`,
        param: `${task.type === "embed" ? "input" : "documents"}[${tooLong}]`,
      });
    }
    if (task.type === "embed" && (task.dimensions ?? 1) > fakeDimensions) {
      throw new ServiceError("invalid_value", { param: "dimensions" });
    }
    const promptTokens = tokens.reduce((sum, count) => sum + count, 0);
    return { generation, promptTokens, maxTokens: 0, prompt: null };
  }

  async *#runTask(
    task: VectorTask,
    promptTokens: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    this.#active += 1;
    try {
      await this.#nextToken(signal);
      const { failure } = this.taskScript;
      if (failure !== undefined) throw failure;
      const usage = { promptTokens, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
      yield [
        fakeResult(task),
        { type: "finished", choice: 0, finishReason: "stop" },
        { type: "done", usage },
      ];
    } finally {
      this.#active -= 1;
    }
  }

  async #nextToken(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (this.#tokensAllowed <= 0) {
      await once(this.#released, "released", { signal }).catch(() => undefined);
      signal.throwIfAborted();
    }
    this.#tokensAllowed -= 1;
  }
}

const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;

function countRaw(prompt: RawPrompt | undefined): number {
  if (prompt === undefined) return 0;
  if (prompt.type === "tokens") return prompt.tokens.length;
  return countWords(prompt.type === "text" ? prompt.text : `${prompt.prefix} ${prompt.suffix}`);
}

/** Each token with itself and one other as its alternatives. */
function withLogprobs(event: ChoiceEvent): ChoiceEvent {
  if (event.type !== "text") return event;
  const token = { token: event.text, bytes: [...Buffer.from(event.text)], logprob: -0.5 };
  const other = { token: "other", bytes: [...Buffer.from("other")], logprob: -1.5 };
  return { ...event, logprobs: [{ ...token, top: [token, other] }] };
}

/** `call` is the number of the call that began last. */
function eventOf(fragment: Fragment, call: number): ChoiceEvent {
  if (typeof fragment === "string") return { type: "text", choice: 0, text: fragment };
  if ("reasoning" in fragment) return { type: "reasoning", choice: 0, text: fragment.reasoning };
  if ("arguments" in fragment) return { type: "arguments", choice: 0, call, text: fragment.arguments };
  return { type: "call", choice: 0, call, id: fragment.id ?? `call_${fragment.call}`, name: fragment.call };
}
