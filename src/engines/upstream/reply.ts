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
import type { GenerationEvent, PreparedGeneration, Usage } from "../../core/ports.js";
import type { FinishReason, ReplyLogprob } from "../../protocol/chat.js";
import { StopMatcher } from "../formats/stop.js";
import { readChunk, type Chunk, type ChoiceDelta } from "./chunk.js";
import { errorOfEvent, unavailable } from "./failures.js";
import { weightOf, type SseEvent } from "./sse-reader.js";

/** For a token with its log probabilities, and what comes around it. */
const mostCharsPerToken = 8 * 1024;
const mostCharsBesides = 1024 * 1024;
/** Where the engine does not report its context: more than any has. */
const largestContext = 2 ** 31 - 1;

export class ReplyReader {
  readonly #choices: ChoiceReader[];
  #usage: Chunk["usage"];
  #open: number;
  #charsLeft: number;

  constructor(
    private readonly prepared: PreparedGeneration,
    choices: number,
    private readonly contextTokens: number,
  ) {
    const { stop, topLogprobs } = prepared.generation;
    this.#choices = Array.from({ length: choices }, (_, index) => new ChoiceReader(index, stop, topLogprobs));
    this.#open = choices;
    this.#charsLeft = prepared.maxTokens * choices * mostCharsPerToken + mostCharsBesides;
  }

  /** Every choice was cut at a stop sequence that the engine let through: it would only talk on. */
  get wasCut(): boolean {
    return this.#open === 0 && this.#choices.every((choice) => choice.wasCut);
  }

  /** What an event of the stream gives. */
  read(event: SseEvent): GenerationEvent[] {
    if (event.isError) throw errorOfEvent(event.data, this.contextTokens);
    this.#charsLeft -= weightOf(event);
    if (this.#charsLeft < 0) throw unavailable("REPLY_TOO_LONG");
    // Some engines send an empty event to keep the connection open.
    if (event.data === "") return [];
    const chunk = readChunk(event.data);
    if (chunk === null) throw errorOfEvent(event.data, this.contextTokens);
    this.#usage = chunk.usage ?? this.#usage;
    const events: GenerationEvent[] = [];
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
    return {
      type: "done",
      usage: reported !== undefined && this.#isPlausible(reported) ? reported : this.#counted(),
    };
  }

  #isPlausible({ promptTokens, completionTokens }: Usage): boolean {
    const most = this.contextTokens > 0 ? this.contextTokens : largestContext;
    return promptTokens <= most && completionTokens <= most * this.#choices.length;
  }

  #counted() {
    const completionTokens = this.#choices.reduce((sum, { tokens }) => sum + tokens, 0);
    return { promptTokens: this.prepared.promptTokens, completionTokens, cachedTokens: 0 };
  }
}

class ChoiceReader {
  /** Fragments, or tokens where the engine names them: the best count there is without a usage. */
  tokens = 0;
  wasCut = false;
  #finished = false;
  readonly #matcher: StopMatcher | null;
  #heldChars = 0;
  #heldLogprobs: ReplyLogprob[] = [];

  constructor(
    private readonly index: number,
    stop: readonly string[],
    private readonly topLogprobs: number | undefined,
  ) {
    this.#matcher = stop.length === 0 ? null : new StopMatcher(stop);
  }

  /** Adds what the delta gives to `events`; true when it ends the choice. */
  read({ text, logprobs }: ChoiceDelta, finish: FinishReason | null, events: GenerationEvent[]): boolean {
    if (this.#finished) return false;
    const tokens = this.topLogprobs === undefined ? undefined : trimmed(logprobs, this.topLogprobs);
    if (text !== "") this.tokens += tokens === undefined || tokens.length === 0 ? 1 : tokens.length;
    if (this.#matcher === null) {
      this.#say(text, tokens, events);
      return finish !== null && this.#finish(finish, events);
    }
    const { text: safe, stopped } = this.#matcher.push(text);
    this.#heldChars += text.length - safe.length;
    this.#heldLogprobs.push(...(tokens ?? []));
    if (stopped) {
      this.wasCut = true;
      this.#say(safe, undefined, events);
      return this.#finish("stop", events);
    }
    // Tokens of text that is held back are held back with it.
    if (this.#heldChars === 0) this.#say(safe, this.#releaseLogprobs(tokens), events);
    else this.#say(safe, undefined, events);
    if (finish === null) return false;
    this.#say(this.#matcher.flush(), this.#releaseLogprobs(tokens), events);
    return this.#finish(finish, events);
  }

  #releaseLogprobs(current: readonly ReplyLogprob[] | undefined): readonly ReplyLogprob[] | undefined {
    const held = this.#heldLogprobs;
    this.#heldLogprobs = [];
    return held.length === 0 ? (current === undefined ? undefined : []) : held;
  }

  #say(text: string, logprobs: readonly ReplyLogprob[] | undefined, events: GenerationEvent[]): void {
    const hasTokens = logprobs !== undefined && logprobs.length > 0;
    if (text === "" && !hasTokens) return;
    events.push({ type: "text", choice: this.index, text, ...(hasTokens ? { logprobs } : {}) });
  }

  #finish(finishReason: FinishReason, events: GenerationEvent[]): boolean {
    this.#finished = true;
    events.push({ type: "finished", choice: this.index, finishReason });
    return true;
  }
}

/** No more alternatives than were asked for, whatever the engine needed to be asked. */
const trimmed = (logprobs: ReplyLogprob[] | undefined, most: number): ReplyLogprob[] | undefined =>
  logprobs?.map((token) => ({ ...token, top: token.top.slice(0, most) }));
