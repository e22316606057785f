/** The dialects by name: a thread that reads a body is told which. */
import { chatCompletions } from "./chat-completions/dialect.js";
import type { Dialect } from "./dialect.js";
import { countTokens, messages } from "./messages/dialect.js";
import { responses } from "./responses/dialect.js";

export const dialects = {
  chatCompletions,
  responses,
  messages,
  countTokens,
} satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;
