/**
 * The thread that turns conversations into tokens: rendering and tokenizing a long one takes as long as several steps
 * of decoding, which must not wait for it. It has the model's vocabulary to itself, and none of its weights.
 */
import { workerData } from "node:worker_threads";
import { failToStart, performTasks } from "../../../../adapters/worker-tasks.js";
import type { ReplySyntax } from "../../../chat-format/reply-syntax.js";
import type { Conversation, PrepareResult, TemplateTokens } from "../../messages.js";
import { openVocabulary, type VocabularySource } from "../native-vocabulary.js";
import { measureTemplate } from "./measure-template.js";
import { PromptBuilder } from "./prompt.js";
import { ChatTemplate } from "./template.js";

export interface PromptSetup {
  source: VocabularySource;
  contextTokens: number;
}

export interface PromptFacts {
  syntax: ReplySyntax;
  template: TemplateTokens;
}

async function open({ source, contextTokens }: PromptSetup): Promise<void> {
  const vocabulary = await openVocabulary(source);
  const template = new ChatTemplate(source.chatTemplate, vocabulary);
  const builder = new PromptBuilder(template, vocabulary, contextTokens);
  const measured = measureTemplate((conversation) => {
    const rendered = template.render(conversation);
    if (rendered === null) return null;
    const tokens = vocabulary.tokenize(rendered, true);
    const special = tokens.filter((token) => vocabulary.specialTokens.has(token));
    return { tokens: tokens.length, special: special.length };
  });
  const facts: PromptFacts = { syntax: template.syntax, template: measured };
  performTasks((conversation: Conversation) => build(builder, conversation), facts);
}

/** A conversation that trips the template or the tokenizer must not end the thread. */
function build(builder: PromptBuilder, conversation: Conversation): PrepareResult {
  try {
    return builder.build(conversation);
  } catch {
    return { type: "failed" };
  }
}

open(workerData as PromptSetup).catch((error: unknown) => {
  // No conversation has been seen yet: the message can only be about the file and the machine.
  failToStart(error instanceof Error ? error.message : "unknown error");
});
