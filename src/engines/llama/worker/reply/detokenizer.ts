/**
 * Tokens to text, one token at a time, without ever giving out part of a character.
 *
 * A token alone does not say its text: a character may be spread over several tokens, and SentencePiece drops
 * the space before a word that comes first. So each token is read together with the few before it, and only
 * what is new in that window is given out. While the window's text ends in U+FFFD, the mark of an incomplete
 * character, that mark is held back; a reply that ends in the middle of a character ends before it. The window
 * moves on at every complete character, so the work for a token does not grow with the reply.
 */
export type Detokenize = (tokens: Uint32Array) => string;

const incomplete = "\uFFFD";

/** No character takes this many tokens: what is still incomplete then is broken and will stay so. */
const maxPendingTokens = 16;

export class Detokenizer {
  /** The tokens given out last, for context, then those that are new. */
  #window: number[] = [];
  #contextTokens = 0;
  /** How much of the window's text has been given out. */
  #shownChars = 0;

  constructor(private readonly detokenize: Detokenize) {}

  /** The text that this token completes; empty while a character is incomplete. */
  push(token: number): string {
    this.#window.push(token);
    const text = this.#text();
    const pendingTokens = this.#window.length - this.#contextTokens;
    if (text.endsWith(incomplete) && pendingTokens < maxPendingTokens) return this.#show(text.slice(0, -1));
    const shown = this.#show(text);
    this.#window = this.#window.slice(this.#contextTokens);
    this.#contextTokens = this.#window.length;
    this.#shownChars = this.#text().length;
    return shown;
  }

  #text(): string {
    return this.detokenize(Uint32Array.from(this.#window));
  }

  #show(text: string): string {
    const fresh = text.slice(this.#shownChars);
    this.#shownChars = Math.max(this.#shownChars, text.length);
    return fresh;
  }
}
