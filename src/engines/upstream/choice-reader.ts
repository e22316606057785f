/**
 * One choice of an engine's stream as events: text up to a stop sequence, reasoning, and calls.
 *
 * Text goes through two filters, each of which may hold some of it back: markup that the engine left in it
 * (content-parser.ts), then stop sequences. A call ends the text before it, and releases what was held. Text and
 * reasoning that arrive within a call wait until its arguments are complete.
 */
import type { FinishReason, ReplyLogprob } from "../../core/chat/reply.js";
import type { Generation, GenerationEvent } from "../../core/serving/engine-port.js";
import type { ParsedEvent, ReplyParser } from "../chat-format/reply-events.js";
import { StopMatcher } from "../chat-format/stop.js";
import { CallReader } from "./call-reader.js";
import type { CallDelta, ChoiceDelta } from "./chunk.js";
import { contentParser } from "./content-parser.js";

/** A token, and the position of the fragment that it came with. */
interface UnparsedToken {
  start: number;
  end: number;
  token: ReplyLogprob;
}

/** For calls that arrive in one piece, where the engine reports no usage. */
const typicalCharsPerToken = 4;

export class ChoiceReader {
  /** Fragments, or tokens where the engine lists them: the best count without a usage. */
  tokens = 0;
  reasoningTokens = 0;
  wasCut = false;
  #finished = false;
  #stopSequence: string | undefined;
  readonly #stops: readonly string[];
  readonly #topLogprobs: number | undefined;
  readonly #calls: CallReader;
  #parser: ReplyParser | null;
  /** How much text the parser was given, and the tokens whose text it has not returned yet. */
  #parsedChars = 0;
  #unparsed: UnparsedToken[] = [];
  readonly #matcher: StopMatcher | null;
  #heldChars = 0;
  #heldLogprobs: ReplyLogprob[] = [];
  /** Leading whitespace, dropped when a call follows. Null once there is other text. */
  #blank: string | null;
  #waiting: GenerationEvent[] = [];

  constructor(
    private readonly index: number,
    { stop, topLogprobs, tooling }: Generation,
    newCallId: () => string,
  ) {
    this.#topLogprobs = topLogprobs;
    this.#stops = stop;
    this.#calls = new CallReader(index, tooling, newCallId);
    this.#parser = contentParser(tooling);
    this.#matcher = stop.length === 0 ? null : new StopMatcher(stop);
    this.#blank = tooling === undefined || topLogprobs !== undefined ? null : "";
  }

  /** Adds the events of the delta to `events`; true when it ends the choice. */
  read(delta: ChoiceDelta, finish: FinishReason | null, events: GenerationEvent[]): boolean {
    if (this.#finished) return false;
    const { text, reasoning, calls } = delta;
    const tokens = this.#topLogprobs === undefined ? undefined : trimmed(delta.logprobs, this.#topLogprobs);
    if (text !== "") this.tokens += countOf(tokens);
    if (reasoning !== "") {
      const count = text === "" ? countOf(tokens) : 1;
      this.tokens += count;
      this.reasoningTokens += count;
      this.#addReasoning(reasoning, events);
    }
    // Tokens of a delta without text belong to its reasoning or calls.
    const hasTextTokens = text !== "" || (reasoning === "" && calls.length === 0);
    if (this.#readText(text, hasTextTokens ? tokens : undefined, events)) return this.#finish("stop", events);
    if (calls.length > 0) this.#readCalls(calls, events);
    if (finish === null) return false;
    if (this.#endParsing(events)) return this.#finish("stop", events);
    this.#endText(this.#afterCalls(events));
    // The engine removes the sequence it stopped at, and some report which it was.
    if (finish === "stop") this.#stopSequence = this.#stops.find((stop) => stop === delta.stoppedAt);
    return this.#finish(finish, events);
  }

  #addReasoning(text: string, events: GenerationEvent[]): void {
    this.#closeEmptyCalls(events);
    this.#afterCalls(events).push({ type: "reasoning", choice: this.index, text });
  }

  /** True when a stop sequence ends the choice, as in the methods below. */
  #readText(text: string, tokens: readonly ReplyLogprob[] | undefined, events: GenerationEvent[]): boolean {
    if (this.#parser === null) return this.#addText(text, tokens, events);
    const start = this.#parsedChars;
    const end = (this.#parsedChars += text.length);
    for (const token of tokens ?? []) this.#unparsed.push({ start, end, token });
    const parsed = this.#parser.push(text);
    if (parsed.some(({ type }) => type === "reasoning")) this.reasoningTokens += countOf(tokens);
    return this.#addParsed(parsed, events);
  }

  #addParsed(parsed: readonly ParsedEvent[], events: GenerationEvent[]): boolean {
    for (const event of parsed) {
      const tokens = this.#takeUnparsed(event.end);
      switch (event.type) {
        case "text":
          if (this.#addText(event.text, this.#tokensOf(event.text, event.end, tokens), events)) return true;
          break;
        case "reasoning":
          this.#addReasoning(event.text, events);
          break;
        case "call":
          this.#addCalls([{ index: this.#calls.nextIndex, id: "", name: event.name, arguments: "" }], events);
          break;
        case "arguments":
          this.#addCalls([{ index: undefined, id: "", name: "", arguments: event.text }], events);
      }
    }
    return false;
  }

  #takeUnparsed(end: number): UnparsedToken[] {
    const after = this.#unparsed.findIndex((one) => one.end > end);
    return this.#unparsed.splice(0, after < 0 ? this.#unparsed.length : after);
  }

  /** Without tokens of markup before the text. Tokens without text are part of a character, so they stay. */
  #tokensOf(text: string, end: number, tokens: readonly UnparsedToken[]): ReplyLogprob[] | undefined {
    if (this.#topLogprobs === undefined) return undefined;
    const isMarkup = (one: UnparsedToken) => one.start < one.end && one.end <= end - text.length;
    return tokens.flatMap((one) => (isMarkup(one) ? [] : [one.token]));
  }

  /** Releases what the parser held back. Text is not parsed any more. */
  #endParsing(events: GenerationEvent[]): boolean {
    const parsed = this.#parser?.flush() ?? [];
    this.#parser = null;
    if (this.#addParsed(parsed, events)) return true;
    // The last tokens may have no text at all.
    const rest = this.#takeUnparsed(this.#parsedChars);
    return this.#addText("", this.#tokensOf("", this.#parsedChars, rest), events);
  }

  #addText(text: string, tokens: readonly ReplyLogprob[] | undefined, events: GenerationEvent[]): boolean {
    if (text.trim() !== "") this.#closeEmptyCalls(events);
    const after = this.#afterCalls(events);
    if (this.#matcher === null) {
      this.#emitText(text, tokens, after);
      return false;
    }
    const { text: safe, stop } = this.#matcher.push(text);
    this.#heldChars += text.length - safe.length;
    this.#heldLogprobs.push(...(tokens ?? []));
    if (stop !== null) {
      this.wasCut = true;
      this.#stopSequence = stop;
      this.#emitText(safe, undefined, after);
      return true;
    }
    // Tokens of text that is held back are held back with it.
    this.#emitText(safe, this.#heldChars === 0 ? this.#releaseLogprobs() : undefined, after);
    return false;
  }

  #endText(events: GenerationEvent[]): void {
    if (this.#matcher === null) return;
    this.#heldChars = 0;
    this.#emitText(this.#matcher.flush(), this.#releaseLogprobs(), events);
  }

  #releaseLogprobs(): readonly ReplyLogprob[] {
    const held = this.#heldLogprobs;
    this.#heldLogprobs = [];
    return held;
  }

  #readCalls(calls: readonly CallDelta[], events: GenerationEvent[]): void {
    for (const { name, arguments: text } of calls) {
      this.tokens += Math.max(1, Math.ceil((name.length + text.length) / typicalCharsPerToken));
    }
    // An engine that reports calls has a parser of its own: from here on, markup in its text is text.
    if (this.#parser !== null) this.#endParsing(events);
    this.#addCalls(calls, events);
  }

  #addCalls(calls: readonly CallDelta[], events: GenerationEvent[]): void {
    this.#emitCalls((emitted) => {
      for (const call of calls) this.#calls.read(call, emitted);
    }, events);
  }

  #closeEmptyCalls(events: GenerationEvent[]): void {
    if (!this.#calls.hasCalls) return;
    this.#emitCalls((emitted) => this.#calls.closeEmpty(emitted), events);
  }

  /** After the text that came before them, and followed by what has waited for the end of a call. */
  #emitCalls(read: (emitted: GenerationEvent[]) => void, events: GenerationEvent[]): void {
    const before = this.#afterCalls(events);
    const emitted: GenerationEvent[] = [];
    read(emitted);
    if (emitted.length === 0) return;
    this.#blank = null;
    this.#endText(before);
    events.push(...emitted);
    if (!this.#calls.isOpen) events.push(...this.#waiting.splice(0));
  }

  /** Where text and reasoning go now. */
  #afterCalls(events: GenerationEvent[]): GenerationEvent[] {
    return this.#calls.isOpen ? this.#waiting : events;
  }

  #emitText(text: string, logprobs: readonly ReplyLogprob[] | undefined, events: GenerationEvent[]): void {
    const hasTokens = logprobs !== undefined && logprobs.length > 0;
    if (text === "" && !hasTokens) return;
    if (this.#calls.hasCalls && text.trim() === "") return;
    const whole = (this.#blank ?? "") + text;
    if (this.#blank !== null && whole.trim() === "") {
      this.#blank = whole;
      return;
    }
    this.#blank = null;
    events.push({ type: "text", choice: this.index, text: whole, ...(hasTokens ? { logprobs } : {}) });
  }

  #finish(reason: FinishReason, events: GenerationEvent[]): boolean {
    this.#finished = true;
    const { hasCalls } = this.#calls;
    this.#calls.finish(reason, events);
    events.push(...this.#waiting.splice(0));
    if (!hasCalls && this.#blank !== null && this.#blank !== "") {
      events.push({ type: "text", choice: this.index, text: this.#blank });
    }
    const ended = hasCalls ? "tool_calls" : "stop";
    const finishReason = reason === "length" ? "length" : ended;
    const stopped = this.#stopSequence === undefined ? {} : { stopSequence: this.#stopSequence };
    events.push({ type: "finished", choice: this.index, finishReason, ...stopped });
    return true;
  }
}

const countOf = (tokens: readonly ReplyLogprob[] | undefined): number =>
  tokens === undefined || tokens.length === 0 ? 1 : tokens.length;

/** No more alternatives than the client requested: some engines need to be asked for more. */
const trimmed = (logprobs: ReplyLogprob[] | undefined, most: number): ReplyLogprob[] | undefined =>
  logprobs?.map((token) => ({ ...token, top: token.top.slice(0, most) }));
