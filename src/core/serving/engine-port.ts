/** What serving needs from an engine. Every implementation passes the suite in `test/contract/engines`. */
import type { ReplyEvent, TaskEvent } from "../chat/reply.js";
import type { ChatMessage, ChatRequest } from "../chat/request.js";
import type { ModelId } from "../models.js";

/** What is to be generated. Everything in it is content or derives from it: never log it. */
export interface Generation extends Omit<
  ChatRequest,
  "model" | "messages" | "stop" | "stream" | "includeUsage" | "morePrompts" | "serviceTier"
> {
  model: ModelId;
  /** The account of the conversation. Nothing computed for one account may serve another. */
  accountId: string;
  messages: readonly ChatMessage[];
  stop: readonly string[];
}

/** A generation that fits its model: counted, not yet run. */
export interface PreparedGeneration {
  readonly generation: Generation;
  /** Tokens of the prompt with its chat template. */
  readonly promptTokens: number;
  /** The most tokens of one choice: what was asked, the model's default, or what the context leaves. */
  readonly maxTokens: number;
  /** The engine's own form of the prompt; opaque to everyone else. */
  readonly prompt: unknown;
}

/** A reply as an engine writes it, or the result of a task: one such event, `finished` and `done`. */
export type GenerationEvent = ReplyEvent | TaskEvent;

export interface EngineFeatures {
  jsonSchema: boolean;
  logprobs: boolean;
  tools: boolean;
  /** Whether the model reasons before it replies, and its reasoning can be separated from the reply. */
  reasoning: boolean;
  /** Whether it reads images. Absent: no. */
  vision?: boolean;
  /** Whether it takes conversations: a base model has no chat template and continues raw prompts only. Absent: yes. */
  chat?: boolean;
  /** Whether the model has tokens for filling in between two texts. Absent: no. */
  infill?: boolean;
  /** What it computes. Absent: replies only. */
  tasks?: readonly EngineTask[];
}

/** `chat` is every kind of reply, also to a raw prompt. */
export type EngineTask = "chat" | "embed" | "rank";

export interface EngineStatus {
  /**
   * `starting` until the model first answers; `down` while it cannot answer and is being restarted. `asleep` while it
   * is not loaded and the next request loads it; `waking` while it is being loaded for a request. `off`: the operator
   * does not offer the model.
   */
  state: "starting" | "ready" | "asleep" | "waking" | "down" | "off";
  /** What answers, as an operator knows it: a file name or an address. */
  serving: string;
  contextTokens: number;
  /** How its KV cache is kept, where it runs here and has loaded. */
  cacheType?: "f16" | "q8_0" | "q4_0" | undefined;
  /** Most tokens of a reply to a request without `max_tokens`, where the context leaves as many. */
  defaultMaxTokens: number;
  /** What it can follow besides plain text. */
  follows: EngineFeatures;
  /** How many generations can run concurrently. */
  capacity: number;
  /** It runs more than that, by setting those of an account that has many aside for an account that has few. */
  preempts?: boolean;
  /** How many run now. */
  active: number;
  restarts: number;
  /** Why it cannot answer, or why its process last ended; absent while there is nothing to say. */
  problem?: EngineProblem | undefined;
}

/** What is wrong with an engine, for its operator. Nothing in it comes from a conversation. */
export interface EngineProblem {
  /** A code in capitals, for logs: an errno, the HTTP status of a server, or one of ours. */
  cause: string;
  /** What happened and what to do about it. */
  text: string;
}

/** What is kept in memory of one account. */
export interface Kept {
  count: number;
  /** Until the last of it is dropped, if none is used again; 0 without any. */
  lastMs: number;
}

export const nothingKept: Kept = { count: 0, lastMs: 0 };

const sumOfKept = (all: readonly Kept[]): Kept => ({
  count: all.reduce((sum, { count }) => sum + count, 0),
  lastMs: Math.max(0, ...all.map(({ lastMs }) => lastMs)),
});

export interface KeptByEngine {
  /** Conversations whose computed state is kept. */
  conversations: Kept;
  /** Hashes of conversations, which route their next turn. */
  routes: Kept;
  /** An engine on the network has a cache of its own, of which nothing is known here. */
  isElsewhere: boolean;
}

export const nothingKeptByEngine: KeptByEngine = {
  conversations: nothingKept,
  routes: nothingKept,
  isElsewhere: false,
};

export const sumOfKeptByEngines = (all: readonly KeptByEngine[]): KeptByEngine => ({
  conversations: sumOfKept(all.map(({ conversations }) => conversations)),
  routes: sumOfKept(all.map(({ routes }) => routes)),
  isElsewhere: all.some(({ isElsewhere }) => isElsewhere),
});

/** It answers: immediately, or as soon as it has loaded. */
export const isAvailable = ({ state }: Pick<EngineStatus, "state">): boolean =>
  state === "ready" || state === "asleep" || state === "waking";

export interface Engine {
  /**
   * Renders and counts the prompt.
   * Throws `context_length_exceeded` when it leaves no room for a single token, `unsupported_parameter` or
   * `invalid_value` for a format or bias that this engine cannot follow, `engine_unavailable` when it cannot
   * answer. An engine that is asleep is woken and waited for; `overloaded` when there is no memory for it.
   */
  prepare(generation: Generation, signal: AbortSignal): Promise<PreparedGeneration>;

  /**
   * Runs it. Yields batches, never empty, of events that became known together: every layer between an engine and a
   * client is paid for once for each of them. There are text fragments, each valid UTF-8 and free of stop sequences, one
   * `finished` for each choice after its last text, then exactly one `done`.
   * Throws `engine_unavailable` when the engine fails, at any point: an iteration never ends without `done`. Throws
   * `ReaderTooSlow` when the consumer leaves more unread than can be buffered. When `signal` aborts or the consumer
   * returns, the sequence is freed within one step, and the iteration throws the signal's reason.
   */
  generate(prepared: PreparedGeneration, signal: AbortSignal): AsyncIterable<readonly GenerationEvent[]>;

  status(model: ModelId): EngineStatus;

  /**
   * Drops what is kept of this account's requests: computed state, compiled schemas, what routes its conversations.
   * Nothing of its running requests is kept once they end.
   */
  forgetAccount(accountId: string): void;

  /**
   * What is kept of this account's requests that have ended. Compiled schemas are not in it: engines may share them.
   * Throws `engine_unavailable` when an engine does not say within a few seconds.
   */
  keptOf(accountId: string): Promise<KeptByEngine>;

  /** Ends everything that runs with `engine_unavailable` and frees all memory. */
  close(): Promise<void>;
}

/** Thrown by `generate`: the consumer reads too slowly. The engine is fine, and no other request is affected. */
export class ReaderTooSlow extends Error {
  constructor() {
    super("The reply was not read fast enough.");
    this.name = "ReaderTooSlow";
  }
}
