/**
 * The thread that turns prompts into tokens: rendering and tokenizing a long one takes as long as several steps
 * of decoding, which must not wait for it. It has the model's vocabulary to itself, and none of its weights.
 */
import { openThread, performTasks } from "../../../../adapters/worker-tasks.js";
import { plainSyntax } from "../../../chat-format/reply-syntax.js";
import type { LoadedFacts, PrepareResult, PromptInput } from "../../messages.js";
import { openVocabulary, type VocabularySource } from "../vocabulary.js";
import { measureTemplate } from "./measure-template.js";
import { PieceTokenizer } from "./piece-tokenizer.js";
import { PromptBuilder } from "./prompt.js";
import { buildRawPrompt } from "./raw-prompt.js";
import { ChatTemplate } from "./template.js";

export interface PromptSetup {
  source: VocabularySource;
  contextTokens: number;
}

export type PromptFacts = Pick<LoadedFacts, "syntax" | "template" | "hasTemplate" | "hasInfill">;

openThread(async ({ source, contextTokens }: PromptSetup) => {
  const vocabulary = await openVocabulary(source);
  const tokenizer = new PieceTokenizer(vocabulary, contextTokens);
  // A base model has none: it continues texts.
  const template =
    source.chatTemplate === undefined ? null : new ChatTemplate(source.chatTemplate, vocabulary);
  const builder = template === null ? null : new PromptBuilder(template, vocabulary, tokenizer);
  const facts: PromptFacts = {
    syntax: template?.syntax ?? plainSyntax,
    template: measureTemplate((conversation) => {
      const rendered = template?.render(conversation) ?? null;
      if (rendered === null) return null;
      const tokens = vocabulary.tokenize(rendered, true);
      const special = tokens.filter((token) => vocabulary.specialTokens.has(token));
      return { tokens: tokens.length, special: special.length };
    }),
    hasTemplate: template !== null,
    hasInfill: vocabulary.infill !== null,
  };
  performTasks((prompt: PromptInput): PrepareResult => {
    try {
      if (!("messages" in prompt)) return buildRawPrompt(prompt, tokenizer, vocabulary);
      return builder?.build(prompt) ?? { type: "no_template" };
    } catch {
      // A prompt that trips the template or the tokenizer must not end the thread.
      return { type: "failed" };
    }
  }, facts);
});
