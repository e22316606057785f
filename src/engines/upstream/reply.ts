/**
 * An engine's stream as the events of a reply.
 *
 * An engine may say less than it should, and what is missing decides between success and failure: a choice
 * without a finish reason is a failure, wherever the stream stopped; missing usage is replaced by our own count.
 * Stop sequences are the engine's to honour, but one that it lets through is cut here all the same.
 *
 * An engine may also say too much: a stream far longer than the reply can be is a failure, and implausible usage is
 * replaced by our own count, since it would be charged to an account.
 */
import type { GenerationEvent, PreparedGeneration, Usage } from "../../core/serving/engine-port.js";
import { ChoiceReader } from "./choice-reader.js";
import type { Chunk } from "./chunk.js";
import { errorOfEvent, unavailable } from "./failures.js";
import { SameShape } from "./same-shape.js";
import { weightOf, type SseEvent } from "./sse-reader.js";

/** For a token with its log probabilities, and what comes around it. */
const mostCharsPerToken = 8 * 1024;
const mostCharsBesides = 1024 * 1024;
/** Where the engine does not report its context: more than any has. */
const largestContext = 2 ** 31 - 1;

export class ReplyReader {
  readonly #choices: ChoiceReader[];
  readonly #shape = new SameShape();
  #usage: Chunk["usage"];
  #open: number;
  #charsLeft: number;

  constructor(
    private readonly prepared: PreparedGeneration,
    choices: number,
    private readonly contextTokens: number,
    newCallId: () => string,
  ) {
    this.#choices = Array.from(
      { length: choices },
      (_, index) => new ChoiceReader(index, prepared.generation, newCallId),
    );
    this.#open = choices;
    this.#charsLeft = prepared.maxTokens * choices * mostCharsPerToken + mostCharsBesides;
  }

  /** Every choice was cut at a stop sequence that the engine let through: it would only talk on. */
  get wasCut(): boolean {
    return this.#open === 0 && this.#choices.every((choice) => choice.wasCut);
  }

  /** Adds what an event of the stream gives to `events`. */
  read(event: SseEvent, events: GenerationEvent[] = []): GenerationEvent[] {
    if (event.isError) throw errorOfEvent(event.data, this.contextTokens);
    this.#charsLeft -= weightOf(event);
    if (this.#charsLeft < 0) throw unavailable("REPLY_TOO_LONG");
    // Some engines send an empty event to keep the connection open.
    if (event.data === "") return events;
    const chunk = this.#shape.read(event.data);
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

  /** The stream is over. */
  end(): GenerationEvent {
    if (this.#open > 0) throw unavailable("REPLY_TRUNCATED");
    const reported = this.#usage;
    const counted = this.#counted();
    if (reported === undefined || !this.#isPlausible(reported)) return { type: "done", usage: counted };
    // Many engines do not report how many of the tokens were thoughts.
    const thoughts = reported.reasoningTokens > 0 ? reported.reasoningTokens : counted.reasoningTokens;
    return {
      type: "done",
      usage: { ...reported, reasoningTokens: Math.min(thoughts, reported.completionTokens) },
    };
  }

  #isPlausible({ promptTokens, completionTokens }: Usage): boolean {
    const most = this.contextTokens > 0 ? this.contextTokens : largestContext;
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
