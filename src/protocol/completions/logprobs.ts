/** Log probabilities in the shape of this API: four lists side by side. */
import type { ReplyLogprob } from "../../core/chat/reply.js";

export interface LegacyLogprobs {
  tokens: string[];
  token_logprobs: number[];
  /** The likeliest at this place, and the one that stands there. */
  top_logprobs: Record<string, number>[];
  /** Where the token begins in the text, in characters as Python counts them. */
  text_offset: number[];
}

/** Of one choice: offsets go on from chunk to chunk. */
export class LogprobWriter {
  #characters = 0;

  write(logprobs: readonly ReplyLogprob[]): LegacyLogprobs {
    return {
      tokens: logprobs.map(({ token }) => token),
      token_logprobs: logprobs.map(({ logprob }) => logprob),
      top_logprobs: logprobs.map((entry) =>
        Object.fromEntries([...entry.top, entry].map(({ token, logprob }) => [token, logprob])),
      ),
      text_offset: logprobs.map(({ bytes }) => this.#offsetOf(bytes)),
    };
  }

  /** By bytes: a token may be part of a character, and then begins where that one does. */
  #offsetOf(bytes: readonly number[]): number {
    const [first] = bytes;
    const continues = first !== undefined && isContinuation(first);
    const offset = continues ? Math.max(0, this.#characters - 1) : this.#characters;
    this.#characters += bytes.filter((byte) => !isContinuation(byte)).length;
    return offset;
  }
}

/** A byte of UTF-8 that does not begin a character. */
const isContinuation = (byte: number): boolean => byte >> 6 === 0b10;
