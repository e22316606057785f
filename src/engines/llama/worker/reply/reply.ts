/**
 * One reply under way: tokens in; text, reasoning and calls that may be shown out, and the finish reason.
 *
 * Stop sequences count in the text only: neither calls nor reasoning end a reply.
 *
 * Log probabilities come out with the text of their tokens, not before: a token whose text is held back, since
 * it is part of a character, or may begin a stop sequence or markup, waits with it. A token that a stop sequence cuts,
 * and one of reasoning or a call, is not reported at all. One that is partly text is.
 */
import type { FinishReason, ReplyLogprob, TokenLogprob } from "../../../../core/chat/reply.js";
import type { ParsedEvent, ReplyEvent, StatefulParser } from "../../../chat-format/reply-events.js";
import { StopMatcher } from "../../../chat-format/stop.js";
import { type Detokenize, Detokenizer } from "./detokenizer.js";
import type { SampledToken, ScoredToken } from "./token-sampler.js";

export interface ReplyOptions {
  /** With the texts of special tokens where there is a parser, which knows them. */
  detokenize: Detokenize;
  bytesOf: (token: number) => Uint8Array;
  isEndOfGeneration: (token: number) => boolean;
  stop: readonly string[];
  maxTokens: number;
  /** Takes the text apart; without one all of it is shown as it is. */
  parser?: StatefulParser | undefined;
}

export interface ReplyPart {
  text: string;
  /** Instead of `text`, where there is more than text. */
  events?: readonly ReplyEvent[];
  /** Of the tokens whose text has been given out, where the tokens came with them. */
  logprobs?: readonly ReplyLogprob[];
  /** Set on the last part. */
  finishReason: FinishReason | null;
  /** With the last part of a reply that a stop sequence ended. */
  stopSequence?: string;
}

/** A token of which it is not known yet whether it is text, reasoning or markup, or whose text is held back. */
interface Held {
  logprob: ReplyLogprob | undefined;
  /** Characters that the model wrote before it. */
  start: number;
  /** And up to its end; undefined while it is part of a character. */
  end: number | undefined;
  isReasoning: boolean;
}

export class Reply {
  readonly #detokenizer: Detokenizer;
  readonly #parser: StatefulParser;
  readonly #stop: StopMatcher;
  /** Generated so far. The one that ends the generation is a signal, not part of the reply. */
  completionTokens = 0;
  /** Of those, the tokens of reasoning, without its markers and the whitespace beside them. */
  reasoningTokens = 0;
  #calls = 0;
  #stopSequence: string | undefined;
  #readChars = 0;
  /** What the last token added to them. */
  #newest = "";
  /** Characters read up to the end of the last text. */
  #textEnd = 0;
  /** Characters of text that the stop sequences hold back. */
  #heldChars = 0;
  #held: Held[] = [];
  #events: ReplyEvent[] = [];
  #released: ReplyLogprob[] = [];

  constructor(private readonly options: ReplyOptions) {
    this.#detokenizer = new Detokenizer(options.detokenize);
    this.#parser = options.parser ?? new EverythingIsText();
    this.#stop = new StopMatcher(options.stop);
  }

  /** Whether the model is reasoning, after the last token that was read. */
  get isReasoning(): boolean {
    return this.#parser.state.isReasoning;
  }

  /** What the last token wrote after the end of reasoning. */
  get textAfterReasoning(): string {
    const before = this.#readChars - this.#newest.length;
    return this.#newest.slice(Math.max(0, this.#parser.state.since - before));
  }

  /** Whether the reply is over with this token, whatever its text. */
  endsWith(token: number): boolean {
    return this.completionTokens + 1 >= this.options.maxTokens || this.options.isEndOfGeneration(token);
  }

  accept(sampled: SampledToken): ReplyPart {
    if (this.options.isEndOfGeneration(sampled.token)) return this.#last(sampled, "stop");
    this.completionTokens += 1;
    const fragment = this.#detokenizer.push(sampled.token);
    this.#hold(sampled, fragment);
    if (this.#show(this.#parser.push(fragment))) return this.#part(sampled, "stop");
    return this.completionTokens < this.options.maxTokens
      ? this.#part(sampled, null)
      : this.#last(sampled, "length");
  }

  /** Nothing follows: what was held back is shown. */
  #last(sampled: SampledToken, finishReason: FinishReason): ReplyPart {
    // What a parser still holds back when a reply is cut may be the beginning of markup, which is never shown.
    const isCutMarkup = finishReason === "length" && this.options.parser !== undefined;
    if (!this.#show(isCutMarkup ? [] : this.#parser.flush())) {
      this.#showHeld();
      // The beginning of a character, of which no more will come.
      if (!this.isReasoning && this.#calls === 0) this.#release(({ end }) => end === undefined);
    }
    this.#held = [];
    return this.#part(sampled, finishReason);
  }

  /** True when a stop sequence ended the text. */
  #show(events: readonly ParsedEvent[]): boolean {
    for (const { start, end, ...event } of events) {
      if (event.type === "call") this.#calls += 1;
      if (event.type === "reasoning") this.#countReasoning(start, end);
      if (event.type !== "text") {
        this.#showHeld();
        this.#events.push(event);
        this.#held = this.#held.filter((held) => !endsBy(held, end));
        continue;
      }
      const { text, stop } = this.#stop.push(event.text);
      this.#heldChars += event.text.length - text.length;
      this.#textEnd = end;
      this.#addText(text);
      this.#release((held) => endsBy(held, end - this.#heldChars));
      if (stop !== null) {
        this.#stopSequence = stop;
        return true;
      }
    }
    return false;
  }

  /** What looked like the beginning of a stop sequence is none. */
  #showHeld(): void {
    this.#addText(this.#stop.flush());
    this.#heldChars = 0;
    this.#release(({ start, end }) => end !== undefined && start < this.#textEnd);
  }

  #addText(text: string): void {
    const last = this.#events.at(-1);
    if (last?.type === "text") last.text += text;
    else if (text !== "") this.#events.push({ type: "text", text });
  }

  #part({ logprobs }: SampledToken, finishReason: FinishReason | null): ReplyPart {
    const events = this.#events;
    const released = this.#released;
    this.#events = [];
    this.#released = [];
    const [first] = events;
    const isText = events.length === 0 || (events.length === 1 && first?.type === "text");
    return {
      text: isText && first?.type === "text" ? first.text : "",
      ...(isText ? {} : { events }),
      ...(logprobs === undefined ? {} : { logprobs: released }),
      finishReason: finishReason === "stop" && this.#calls > 0 ? "tool_calls" : finishReason,
      ...(this.#stopSequence === undefined ? {} : { stopSequence: this.#stopSequence }),
    };
  }

  #hold({ logprobs }: SampledToken, fragment: string): void {
    const isFirst = this.completionTokens === 1;
    const named = (weighed: ScoredToken) => this.#named(weighed, isFirst);
    const logprob =
      logprobs === undefined ? undefined : { ...named(logprobs.own), top: logprobs.top.map(named) };
    this.#held.push({ logprob, start: this.#readChars, end: undefined, isReasoning: false });
    this.#newest = fragment;
    this.#readChars += fragment.length;
    if (fragment === "") return;
    const whole = this.#held.findLastIndex(({ end }) => end !== undefined) + 1;
    for (const held of this.#held.slice(whole)) held.end = this.#readChars;
  }

  #countReasoning(from: number, to: number): void {
    for (const held of this.#held) {
      const { start, end, isReasoning } = held;
      if (isReasoning || end === undefined || start >= to || end <= from) continue;
      held.isReasoning = true;
      this.reasoningTokens += 1;
    }
  }

  #release(isShown: (held: Held) => boolean): void {
    const waiting: Held[] = [];
    for (const held of this.#held) {
      if (!isShown(held)) waiting.push(held);
      else if (held.logprob !== undefined) this.#released.push(held.logprob);
    }
    this.#held = waiting;
  }

  #named([token, logprob]: ScoredToken, isFirst: boolean): TokenLogprob {
    const bytes = Buffer.from(this.options.bytesOf(token));
    // SentencePiece drops the space before the first word of a text.
    const dropsSpace =
      isFirst && bytes[0] === 0x20 && !this.options.detokenize(Uint32Array.of(token)).startsWith(" ");
    const own = dropsSpace ? bytes.subarray(1) : bytes;
    return { token: own.toString("utf8"), bytes: [...own], logprob };
  }
}

const endsBy = ({ end }: Held, chars: number): boolean => end !== undefined && end <= chars;

/** For replies without markup. */
class EverythingIsText implements StatefulParser {
  readonly state = { isReasoning: false, since: 0 };
  #chars = 0;

  push(text: string): ParsedEvent[] {
    const start = this.#chars;
    this.#chars += text.length;
    return [{ type: "text", text, start, end: this.#chars }];
  }

  flush(): ParsedEvent[] {
    return [];
  }
}
