/**
 * One reply as it grows: tokens in, text that may be shown out, and the reason why it ends.
 */
import type { FinishReason } from "../../protocol/chat.js";
import { Detokenizer, type Detokenize } from "./detokenizer.js";
import { StopMatcher } from "./stop.js";

export interface ReplyOptions {
  detokenize: Detokenize;
  isEndOfGeneration: (token: number) => boolean;
  stop: readonly string[];
  maxTokens: number;
}

export interface ReplyPart {
  text: string;
  /** Set on the last part. */
  finishReason: FinishReason | null;
}

export class Reply {
  readonly #detokenizer: Detokenizer;
  readonly #stop: StopMatcher;
  #tokens = 0;

  constructor(private readonly options: ReplyOptions) {
    this.#detokenizer = new Detokenizer(options.detokenize);
    this.#stop = new StopMatcher(options.stop);
  }

  /** Tokens generated so far. The one that ends the generation is a signal, not part of the reply. */
  get completionTokens(): number {
    return this.#tokens;
  }

  accept(token: number): ReplyPart {
    if (this.options.isEndOfGeneration(token)) return { text: this.#stop.flush(), finishReason: "stop" };
    this.#tokens += 1;
    const { text, stopped } = this.#stop.push(this.#detokenizer.push(token));
    if (stopped) return { text, finishReason: "stop" };
    if (this.#tokens < this.options.maxTokens) return { text, finishReason: null };
    return { text: text + this.#stop.flush(), finishReason: "length" };
  }
}
