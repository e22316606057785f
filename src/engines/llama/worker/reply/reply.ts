/**
 * One reply as it grows: tokens in, text that may be shown out, and the reason why it ends.
 *
 * Log probabilities come out with the text of their tokens, not before: a token whose text is held back, since
 * it is part of a character or may begin a stop sequence, waits with it. A token that a stop sequence cuts is
 * not reported at all, as its text would show what was cut.
 */
import type { FinishReason, ReplyLogprob, TokenLogprob } from "../../../../protocol/chat.js";
import { Detokenizer, type Detokenize } from "./detokenizer.js";
import type { Drawn, Weighed } from "./draw.js";
import { StopMatcher } from "../../../formats/stop.js";

export interface ReplyOptions {
  detokenize: Detokenize;
  bytesOf: (token: number) => Uint8Array;
  isEndOfGeneration: (token: number) => boolean;
  stop: readonly string[];
  maxTokens: number;
}

export interface ReplyPart {
  text: string;
  /** Of the tokens whose text has been given out, where the tokens came with them. */
  logprobs?: readonly ReplyLogprob[];
  /** Set on the last part. */
  finishReason: FinishReason | null;
}

/** A token whose text has not been given out. */
interface Held {
  logprob: ReplyLogprob;
  /** Characters of the reply up to its end; undefined while it is part of a character. */
  end: number | undefined;
}

export class Reply {
  readonly #detokenizer: Detokenizer;
  readonly #stop: StopMatcher;
  #tokens = 0;
  /** Characters read from tokens, and given out. */
  #readChars = 0;
  #shownChars = 0;
  #held: Held[] = [];

  constructor(private readonly options: ReplyOptions) {
    this.#detokenizer = new Detokenizer(options.detokenize);
    this.#stop = new StopMatcher(options.stop);
  }

  /** Tokens generated so far. The one that ends the generation is a signal, not part of the reply. */
  get completionTokens(): number {
    return this.#tokens;
  }

  accept(drawn: Drawn): ReplyPart {
    if (this.options.isEndOfGeneration(drawn.token)) return this.#last(drawn, "", "stop");
    this.#tokens += 1;
    const fragment = this.#detokenizer.push(drawn.token);
    this.#hold(drawn, fragment);
    const { text, stopped } = this.#stop.push(fragment);
    this.#shownChars += text.length;
    if (stopped) return this.#part(drawn, text, this.#release(), "stop");
    if (this.#tokens < this.options.maxTokens) return this.#part(drawn, text, this.#release(), null);
    return this.#last(drawn, text, "length");
  }

  /** Nothing follows: what was held back is shown. */
  #last(drawn: Drawn, text: string, finishReason: FinishReason): ReplyPart {
    const held = this.#held.map(({ logprob }) => logprob);
    this.#held = [];
    return this.#part(drawn, text + this.#stop.flush(), held, finishReason);
  }

  #part(
    { logprobs }: Drawn,
    text: string,
    released: ReplyLogprob[],
    finishReason: FinishReason | null,
  ): ReplyPart {
    return logprobs === undefined ? { text, finishReason } : { text, logprobs: released, finishReason };
  }

  #hold({ logprobs }: Drawn, fragment: string): void {
    this.#readChars += fragment.length;
    if (logprobs === undefined) return;
    const isFirst = this.#tokens === 1;
    const named = (weighed: Weighed) => this.#named(weighed, isFirst);
    this.#held.push({ logprob: { ...named(logprobs.own), top: logprobs.top.map(named) }, end: undefined });
    if (fragment === "") return;
    for (const held of this.#held) held.end ??= this.#readChars;
  }

  #release(): ReplyLogprob[] {
    const waiting = this.#held.findIndex(({ end }) => end === undefined || end > this.#shownChars);
    return this.#held.splice(0, waiting < 0 ? this.#held.length : waiting).map(({ logprob }) => logprob);
  }

  #named([token, logprob]: Weighed, isFirst: boolean): TokenLogprob {
    const bytes = Buffer.from(this.options.bytesOf(token));
    // SentencePiece drops the space before the first word of a text.
    const dropsSpace =
      isFirst && bytes[0] === 0x20 && !this.options.detokenize(Uint32Array.of(token)).startsWith(" ");
    const own = dropsSpace ? bytes.subarray(1) : bytes;
    return { token: own.toString("utf8"), bytes: [...own], logprob };
  }
}
