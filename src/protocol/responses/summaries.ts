/**
 * Compaction, as far as it concerns `input`: a conversation is replaced by a summary of it, which the model writes. It is
 * asked for at `/v1/responses/compact`, or by an item `compaction_trigger` at the end of `input`. The summary comes back
 * in an item `compaction`, sealed for its account, in place of the conversation.
 */
import type { ChatMessage } from "../../core/chat/request.js";
import { isObject } from "../read-json.js";
import type { PlacedItem } from "./items.js";

/** Enough for a long session; the context may leave less. */
export const summaryTokens = 4096;

/** How much of what the user wrote stays beside the summary: the latest messages, whole. */
const keptChars = 8_000;

const instruction =
  "Stop here. Write a summary of this conversation for a colleague who continues the work without having read it: what " +
  "was asked for and what was decided, what has been done and with what result, what remains to be done next, and every " +
  "name, path, number, command and preference that is needed for it. Be specific and brief. Write nothing but the summary.";

const introduction = "This summary replaces the conversation up to here:";

/** It counts as the last item only: it asks for a summary of what comes before it. */
export function endsWithTrigger(input: unknown): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === "compaction_trigger";
}

/** Some templates allow no two turns of the user in a row. */
export function withInstruction(messages: readonly ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "user" || last.parts !== undefined) {
    return [...messages, { role: "user", content: instruction }];
  }
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${instruction}` }];
}

export const summaryMessage = (summary: string): ChatMessage => ({
  role: "user",
  content: `${introduction}\n\n${summary}`,
});

/** The user's latest messages, as far as they fit beside a summary. */
export function keptTexts(items: readonly PlacedItem[]): string[] {
  const kept: string[] = [];
  let chars = 0;
  for (const { item } of items.toReversed()) {
    if (item.type !== "message" || item.role !== "user") continue;
    chars += item.text.length;
    if (chars > keptChars) break;
    kept.unshift(item.text);
  }
  return kept;
}
