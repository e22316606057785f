/** The model's own system prompt goes before conversations that bring none. */
import type { ChatMessage } from "../../core/chat/request.js";

export function withSystemPrompt(
  messages: readonly ChatMessage[],
  systemPrompt: string,
): readonly ChatMessage[] {
  if (systemPrompt === "" || messages.some(({ role }) => role === "system")) return messages;
  return [{ role: "system", content: systemPrompt }, ...messages];
}
