/**
 * Pieces of a prompt to the tokens of the model, as reading the whole text at once would give them, but for pieces in
 * which no special token may be read.
 *
 * The work is bounded: of a text that is far too long only the first part is read.
 */
import type { PrepareResult } from "../../messages.js";
import type { Vocabulary } from "../vocabulary.js";
import type { PromptPiece } from "./shield.js";

/** Text, or a token as it is. */
export type Piece = PromptPiece | number;

/** Text with more characters for each token of context than this is read in part first. */
const plentifulCharsPerToken = 16;

export class PieceTokenizer {
  readonly #lineBreak: Uint32Array;
  readonly #addsLeadingSpace: boolean;

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly contextTokens: number,
  ) {
    this.#lineBreak = vocabulary.tokenize("\n", false);
    const afterBreak = withoutPrefix(vocabulary.tokenize("\na", false), this.#lineBreak);
    this.#addsLeadingSpace = afterBreak !== null && !sameTokens(afterBreak, vocabulary.tokenize("a", false));
  }

  /** What cannot fit because it has so many characters; null where it may. */
  tooManyChars(chars: number): PrepareResult | null {
    const tokens = Math.ceil(chars / this.vocabulary.longestTokenChars);
    return tokens < this.contextTokens ? null : { type: "too_long", tokens, exact: false };
  }

  read(pieces: readonly Piece[], reasoningOpen = false): PrepareResult {
    const start = firstChars(pieces, this.contextTokens * plentifulCharsPerToken);
    const read = this.fit(this.tokenize(start.pieces), reasoningOpen, start.whole);
    return start.whole || read.type === "too_long" ? read : this.fit(this.tokenize(pieces), reasoningOpen);
  }

  /** A prompt has to leave room for a token of the reply. `exact`: these are all of its tokens. */
  fit(tokens: Uint32Array, reasoningOpen = false, exact = true): PrepareResult {
    if (tokens.length < this.contextTokens) return { type: "tokens", tokens, reasoningOpen };
    return { type: "too_long", tokens: tokens.length, exact };
  }

  tokenize(pieces: readonly Piece[]): Uint32Array {
    const parts = pieces.map((piece, index) => {
      if (typeof piece === "number") return Uint32Array.of(piece);
      const { text, special } = piece;
      const isFirst = index === 0;
      return special ? this.#tokenizeText(text, true, isFirst) : this.#tokenizePlain(text, isFirst);
    });
    const { firstToken } = this.vocabulary;
    // Some templates write the first token themselves; twice would be read as an empty document before.
    const needsFirst = firstToken !== null && parts[0]?.[0] !== firstToken;
    return joinTokens(needsFirst ? [Uint32Array.of(firstToken), ...parts] : parts);
  }

  /** Some tokenizers find control tokens in plain text too: then its halves are read apart. */
  #tokenizePlain(text: string, isFirst: boolean): Uint32Array {
    const tokens = this.#tokenizeText(text, false, isFirst);
    const characters = Array.from(text);
    if (characters.length < 2 || !tokens.some((id) => this.vocabulary.specialTokens.has(id))) return tokens;
    const half = Math.ceil(characters.length / 2);
    return joinTokens([
      this.#tokenizePlain(characters.slice(0, half).join(""), isFirst),
      this.#tokenizePlain(characters.slice(half).join(""), false),
    ]);
  }

  /** Text that continues a line must not get the space that SentencePiece puts before a first word. */
  #tokenizeText(text: string, special: boolean, isFirst: boolean): Uint32Array {
    if (!isFirst && this.#addsLeadingSpace) {
      const tokens = this.vocabulary.tokenize("\n" + text, special);
      const continued = withoutPrefix(tokens, this.#lineBreak);
      if (continued !== null) return continued;
    }
    return this.vocabulary.tokenize(text, special);
  }
}

function firstChars(pieces: readonly Piece[], maxChars: number): { pieces: Piece[]; whole: boolean } {
  let left = maxChars;
  const start = pieces.flatMap((piece): Piece[] => {
    if (typeof piece === "number") return [piece];
    const text = piece.text.slice(0, Math.max(0, left));
    left -= piece.text.length;
    return text === "" ? [] : [{ ...piece, text }];
  });
  return { pieces: start, whole: left >= 0 };
}

function withoutPrefix(tokens: Uint32Array, prefix: Uint32Array): Uint32Array | null {
  return sameTokens(tokens.subarray(0, prefix.length), prefix) ? tokens.subarray(prefix.length) : null;
}

export function sameTokens(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((token, index) => token === b[index]);
}

function joinTokens(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
