/**
 * A conversation to the tokens the model reads.
 *
 * The template is rendered and read as one text, which gives the tokens that the model was trained on, except
 * where a caller wrote the text of a special token: those places are shielded and read as plain text. As a last
 * guard, the special tokens of the prompt must be exactly those that the template writes for a conversation of the same
 * shape with none of the caller's text in it; if ever they are not (a template that puts two messages end to end lets
 * halves of a marker meet), every text is shielded whole.
 *
 * The work is bounded: a conversation that cannot fit is refused by its length, or by its first part.
 */
import type { Conversation, PrepareResult } from "../../messages.js";
import { charsOf, mapTexts } from "./conversation-texts.js";
import { Shield, type PromptPiece } from "./shield.js";
import { SpecialTexts } from "./special-texts.js";
import type { ChatTemplate } from "./template.js";
import type { Vocabulary } from "../vocabulary.js";

/** Text with more characters for each token of context than this is read in part first. */
const plentifulCharsPerToken = 16;

export class PromptBuilder {
  readonly #specialTexts: SpecialTexts;
  readonly #lineBreak: Uint32Array;
  readonly #addsLeadingSpace: boolean;

  constructor(
    private readonly template: ChatTemplate,
    private readonly vocabulary: Vocabulary,
    private readonly contextTokens: number,
  ) {
    this.#specialTexts = new SpecialTexts(vocabulary.specialTexts);
    this.#lineBreak = vocabulary.tokenize("\n", false);
    const afterBreak = withoutPrefix(vocabulary.tokenize("\na", false), this.#lineBreak);
    this.#addsLeadingSpace = afterBreak !== null && !sameTokens(afterBreak, vocabulary.tokenize("a", false));
  }

  build(conversation: Conversation): PrepareResult {
    const fewestTokens = Math.ceil(charsOf(conversation) / this.vocabulary.longestTokenChars);
    if (fewestTokens >= this.contextTokens) return { type: "too_long", tokens: fewestTokens, exact: false };

    const result = this.#read(conversation, (shield, content) =>
      shield.coverSpecial(content, this.#specialTexts),
    );
    if (result.type !== "tokens" || this.#hasOnlyTemplateTokens(result.tokens, conversation)) return result;
    return this.#read(conversation, (shield, content) => shield.cover(content));
  }

  #read(conversation: Conversation, cover: (shield: Shield, content: string) => string): PrepareResult {
    const shield = new Shield();
    const rendered = this.template.render(mapTexts(conversation, (text) => cover(shield, text)));
    if (rendered === null) return { type: "refused" };
    const reasoningOpen = this.template.endsInReasoning(rendered);
    const pieces = shield.split(rendered);
    const start = firstChars(pieces, this.contextTokens * plentifulCharsPerToken);
    const startTokens = this.#tokenize(start.pieces);
    if (startTokens.length >= this.contextTokens) {
      return { type: "too_long", tokens: startTokens.length, exact: start.whole };
    }
    if (start.whole) return { type: "tokens", tokens: startTokens, reasoningOpen };
    const tokens = this.#tokenize(pieces);
    if (tokens.length >= this.contextTokens) return { type: "too_long", tokens: tokens.length, exact: true };
    return { type: "tokens", tokens, reasoningOpen };
  }

  #hasOnlyTemplateTokens(tokens: Uint32Array, conversation: Conversation): boolean {
    const rendered = this.template.render(mapTexts(conversation, neutralTexts()));
    if (rendered === null) return false;
    const { specialTokens } = this.vocabulary;
    const expected = this.#tokenize([{ text: rendered, special: true }]).filter((id) =>
      specialTokens.has(id),
    );
    return sameTokens(
      expected,
      tokens.filter((id) => specialTokens.has(id)),
    );
  }

  #tokenize(pieces: readonly PromptPiece[]): Uint32Array {
    const parts = pieces.map(({ text, special }, index) => {
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

/** Another text for each, the same for the same: templates compare, and keys of an object must stay apart. */
function neutralTexts(): (text: string) => string {
  const neutral = new Map([["", ""]]);
  return (text) => {
    const known = neutral.get(text) ?? `x${neutral.size}`;
    neutral.set(text, known);
    return known;
  };
}

function firstChars(
  pieces: readonly PromptPiece[],
  maxChars: number,
): { pieces: readonly PromptPiece[]; whole: boolean } {
  const start: PromptPiece[] = [];
  let left = maxChars;
  for (const { text, special } of pieces) {
    if (text.length > left) {
      start.push({ text: text.slice(0, left), special });
      return { pieces: start, whole: false };
    }
    start.push({ text, special });
    left -= text.length;
  }
  return { pieces: start, whole: true };
}

function withoutPrefix(tokens: Uint32Array, prefix: Uint32Array): Uint32Array | null {
  return sameTokens(tokens.subarray(0, prefix.length), prefix) ? tokens.subarray(prefix.length) : null;
}

function sameTokens(a: Uint32Array, b: Uint32Array): boolean {
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
