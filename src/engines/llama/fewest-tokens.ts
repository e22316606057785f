/**
 * The fewest tokens that a conversation can have, by the number of its messages, calls and tools, so that one that
 * cannot fit is refused before it is rendered. Counted is what the template writes for each of them, as measured when
 * the model was loaded (worker/prompt/measure-template.ts).
 */
import type { ChatMessage, ChatRole } from "../../core/chat/request.js";
import type { Conversation, TemplateTokens } from "./messages.js";

export function fewestTokens({ messages, tools }: Conversation, template: TemplateTokens): number {
  // Where a template takes no system message in the middle, neighbours of the same role may be joined.
  const mayJoin = messages.some(({ role }, index) => role === "system" && index > 0);
  const repeated = (role: ChatRole) => (mayJoin ? 0 : template.repeated[role]);
  let tokens = tools.length * template.tool;
  let before: ChatMessage | undefined;
  for (const message of messages) {
    const { role, content, toolCalls } = message;
    if (toolCalls !== undefined) tokens += (toolCalls.length - 1) * template.call;
    // A template may pass over a message without text; one with calls is counted with their results.
    else if (content === "") continue;
    else if (role === "tool" && before?.role !== "tool") tokens += template.round;
    else if (role === before?.role) tokens += repeated(role);
    else if (isTurn(message) && isTurn(before)) tokens += template.turn;
    before = message;
  }
  return Math.floor(tokens);
}

const isTurn = (message: ChatMessage | undefined): boolean =>
  message !== undefined && message.toolCalls === undefined && /^(user|assistant)$/.test(message.role);
