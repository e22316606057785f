/** The model's own system prompt goes before conversations that bring none. */
import type { ChatMessage } from "../../protocol/chat.js";

export function withSystemPrompt(
  messages: readonly ChatMessage[],
  systemPrompt: string,
): readonly ChatMessage[] {
  if (systemPrompt === "" || messages.some(({ role }) => role === "system")) return messages;
  return [{ role: "system", content: systemPrompt }, ...messages];
}
