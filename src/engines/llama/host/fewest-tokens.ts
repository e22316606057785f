/**
 * A lower bound on the tokens of a conversation, so that one that cannot fit is refused before it is rendered: every
 * turn with text, and every call without text beside it, takes at least one token. Templates may leave out the rest.
 */
import type { Conversation } from "../messages.js";

export function fewestTokens({ messages }: Conversation): number {
  let tokens = 0;
  for (const { role, content, toolCalls = [] } of messages) {
    if (content === "") tokens += toolCalls.length;
    else if (role !== "system") tokens += 1;
  }
  return tokens;
}
