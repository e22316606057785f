/** The turns of a conversation as the messages of a request. */
import type { SentMessage } from "../../../service/chat-stream.ts";
import type { ReplyTurn, Turn } from "./conversation.ts";

export function messagesOf(turns: readonly Turn[]): SentMessage[] {
  return turns.flatMap((turn, place) => messagesOfTurn(turn, turns[place + 1]));
}

function messagesOfTurn(turn: Turn, next: Turn | undefined): SentMessage[] {
  if (turn.role === "user") return [{ role: "user", content: turn.text }];
  if (turn.role === "tool") {
    return turn.results.map(({ callId, text }) => ({ role: "tool", tool_call_id: callId, content: text }));
  }
  if (next?.role === "tool") return [callingMessage(turn)];
  // Calls that were never answered are left out: engines refuse a history in which results are missing. A reply that
  // failed or was stopped before its first word is empty.
  return turn.text === "" ? [] : [{ role: "assistant", content: turn.text }];
}

/** With its reasoning: models that reason between calls continue from it. */
function callingMessage({ text, reasoning, calls }: ReplyTurn): SentMessage {
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    tool_calls: calls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    })),
  };
}
