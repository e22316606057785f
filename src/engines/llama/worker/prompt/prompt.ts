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
import { PieceTokenizer, sameTokens } from "./piece-tokenizer.js";
import { Shield } from "./shield.js";
import { SpecialTexts } from "./special-texts.js";
import type { ChatTemplate } from "./template.js";
import type { Vocabulary } from "../vocabulary.js";

export class PromptBuilder {
  readonly #specialTexts: SpecialTexts;

  constructor(
    private readonly template: ChatTemplate,
    private readonly vocabulary: Vocabulary,
    private readonly tokenizer: PieceTokenizer,
  ) {
    this.#specialTexts = new SpecialTexts(vocabulary.specialTexts);
  }

  build(conversation: Conversation): PrepareResult {
    const tooLong = this.tokenizer.tooManyChars(charsOf(conversation));
    if (tooLong !== null) return tooLong;

    // The rest is left for the template to see.
    const result = this.#read(conversation, (shield, content) =>
      this.#specialTexts.replace(content, (text) => shield.cover(text)),
    );
    if (result.type !== "tokens" || this.#hasOnlyTemplateTokens(result.tokens, conversation)) return result;
    return this.#read(conversation, (shield, content) => shield.cover(content));
  }

  #read(conversation: Conversation, cover: (shield: Shield, content: string) => string): PrepareResult {
    const shield = new Shield();
    const rendered = this.template.render(mapTexts(conversation, (text) => cover(shield, text)));
    if (rendered === null) return { type: "refused" };
    return this.tokenizer.read(shield.split(rendered), this.template.endsInReasoning(rendered));
  }

  #hasOnlyTemplateTokens(tokens: Uint32Array, conversation: Conversation): boolean {
    const rendered = this.template.render(mapTexts(conversation, neutralTexts()));
    if (rendered === null) return false;
    const expected = this.tokenizer.tokenize([{ text: rendered, special: true }]);
    const special = (ids: Uint32Array) => ids.filter((id) => this.vocabulary.specialTokens.has(id));
    return sameTokens(special(expected), special(tokens));
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
