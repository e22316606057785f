/** The dialects by name, by which a body is sent to the thread that parses it. */
import { chatCompletions } from "./chat-completions/dialect.js";
import { completions } from "./completions/dialect.js";
import type { Dialect } from "./dialect.js";
import { embeddings } from "./embeddings.js";
import { countTokens, messages } from "./messages/dialect.js";
import { rerank } from "./rerank.js";
import { ollamaChat, ollamaEmbed, ollamaEmbeddings, ollamaGenerate } from "./ollama/dialect.js";
import { compactResponses, responses } from "./responses/dialect.js";

export const dialects = {
  chatCompletions,
  responses,
  messages,
  countTokens,
  embeddings,
  rerank,
  completions,
  compactResponses,
  ollamaChat,
  ollamaGenerate,
  ollamaEmbed,
  ollamaEmbeddings,
} satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;
