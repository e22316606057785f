/**
 * An engine's stream as the events of a reply.
 *
 * A stream may lack something: a choice without a finish reason is a failure, wherever the stream stopped; missing
 * usage is replaced by our own count. A stop sequence that the engine lets through is cut here.
 *
 * A stream may also have too much: one far longer than the reply can be is a failure, and implausible usage is
 * replaced by our own count, since it would be charged to an account.
 */
import type { Usage } from "../../core/chat/reply.js";
import type { GenerationEvent, PreparedGeneration } from "../../core/serving/engine-port.js";
import { ChoiceReader } from "./choice-reader.js";
import { readChunk, type Chunk } from "./chunk.js";
import { errorOfEvent, unavailable } from "./failures.js";
import { weightOf, type SseEvent } from "./sse-reader.js";

/** A token with its log probabilities, and the JSON around it. */
const maxCharsPerToken = 8 * 1024;
const maxOtherChars = 1024 * 1024;
/** Where the engine does not report its context: more than any has. */
const maxContextTokens = 2 ** 31 - 1;

export class ReplyReader {
  readonly #choices: ChoiceReader[];
  #usage: Chunk["usage"];
  #open: number;
  #charsLeft: number;

  constructor(
    private readonly prepared: PreparedGeneration,
    choices: number,
    private readonly contextTokens: number,
    newCallId: () => string,
    private readonly readEvent: (data: string) => Chunk | null = readChunk,
  ) {
    this.#choices = Array.from(
      { length: choices },
      (_, index) => new ChoiceReader(index, prepared.generation, newCallId),
    );
    this.#open = choices;
    this.#charsLeft = prepared.maxTokens * choices * maxCharsPerToken + maxOtherChars;
  }

  /** Every choice was cut at a stop sequence that the engine let through: the rest is not wanted. */
  get wasCut(): boolean {
    return this.#open === 0 && this.#choices.every((choice) => choice.wasCut);
  }

  read(event: SseEvent, events: GenerationEvent[] = []): GenerationEvent[] {
    if (event.isError) throw errorOfEvent(event.data, this.contextTokens);
    this.#charsLeft -= weightOf(event);
    if (this.#charsLeft < 0) throw unavailable("REPLY_TOO_LONG");
    // Some engines send an empty event to keep the connection open.
    if (event.data === "") return events;
    const chunk = this.readEvent(event.data);
    if (chunk === null) throw errorOfEvent(event.data, this.contextTokens);
    this.#usage = chunk.usage ?? this.#usage;
    for (const delta of chunk.choices) {
      const choice = this.#choices[delta.choice];
      if (choice === undefined) throw unavailable("UNKNOWN_CHOICE");
      if (delta.finish === "failed") throw unavailable("CHOICE_FAILED");
      if (choice.read(delta, delta.finish, events)) this.#open -= 1;
    }
    return events;
  }

  end(): GenerationEvent {
    if (this.#open > 0) throw unavailable("REPLY_TRUNCATED");
    const reported = this.#usage;
    const counted = this.#counted();
    if (reported === undefined || !this.#isPlausible(reported)) return { type: "done", usage: counted };
    // Many engines do not report how many of the tokens were reasoning.
    const reasoning = reported.reasoningTokens > 0 ? reported.reasoningTokens : counted.reasoningTokens;
    return {
      type: "done",
      usage: { ...reported, reasoningTokens: Math.min(reasoning, reported.completionTokens) },
    };
  }

  #isPlausible({ promptTokens, completionTokens }: Usage): boolean {
    const most = this.contextTokens > 0 ? this.contextTokens : maxContextTokens;
    return promptTokens <= most && completionTokens <= most * this.#choices.length;
  }

  #counted(): Usage {
    return {
      promptTokens: this.prepared.promptTokens,
      completionTokens: this.#choices.reduce((sum, { tokens }) => sum + tokens, 0),
      cachedTokens: 0,
      reasoningTokens: this.#choices.reduce((sum, { reasoningTokens }) => sum + reasoningTokens, 0),
    };
  }
}
