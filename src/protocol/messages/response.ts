/** The wire shapes of a whole reply, and those that it shares with a stream. */
import type { ChatRequest, ToolCall } from "../../core/chat/request.js";
import type { ReplyChoice, Usage } from "../../core/chat/reply.js";
import type { ReplyHead } from "../dialect.js";
import { isObject, type JsonObject } from "../read-json.js";

export type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use";

export type ContentBlock =
  /** Reasoning is not signed here, and no signature is checked when it comes back. */
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: JsonObject };

export interface Message {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: ContentBlock[];
  stop_reason: StopReason | null;
  stop_sequence: string | null;
  usage: WireUsage;
}

export function message(
  { id, model }: ReplyHead,
  chat: ChatRequest,
  [choice]: readonly ReplyChoice[],
  usage: Usage,
): Message {
  if (choice === undefined) throw new Error("A reply has one choice.");
  return {
    ...emptyMessage(id, model),
    content: contentOf(choice, showsReasoning(chat)),
    ...ending(choice),
    usage: wireUsage(usage),
  };
}

export const emptyMessage = (id: string, model: string): Omit<Message, "usage"> => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

/** Reasoning that was not requested is not shown. */
export const showsReasoning = ({ reasoningEffort }: ChatRequest): boolean => reasoningEffort !== "none";

const contentOf = ({ parts }: ReplyChoice, withReasoning: boolean): ContentBlock[] =>
  parts.flatMap((part) => {
    switch (part.type) {
      case "text":
        return [textBlock(part.text)];
      case "reasoning":
        return withReasoning ? [thinkingBlock(part.text)] : [];
      case "call":
        return [callBlock(part)];
    }
  });

export const thinkingBlock = (thinking: string): ContentBlock => ({
  type: "thinking",
  thinking,
  signature: "",
});
export const textBlock = (text: string): ContentBlock => ({ type: "text", text });

/** Invalid arguments become an empty input, so that the client reports the error to the model. */
function callBlock({ id, name, arguments: text }: ToolCall): ContentBlock {
  const input = parsed(text);
  return { type: "tool_use", id, name, input: isObject(input) ? input : {} };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function ending({ finishReason, stopSequence }: Pick<ReplyChoice, "finishReason" | "stopSequence">): {
  stop_reason: StopReason;
  stop_sequence: string | null;
} {
  if (finishReason === "length") return { stop_reason: "max_tokens", stop_sequence: null };
  if (finishReason === "tool_calls") return { stop_reason: "tool_use", stop_sequence: null };
  return stopSequence === undefined
    ? { stop_reason: "end_turn", stop_sequence: null }
    : { stop_reason: "stop_sequence", stop_sequence: stopSequence };
}

export const wireUsage = (usage: Usage) => ({
  /** Without those that came from the cache. */
  input_tokens: usage.promptTokens - usage.cachedTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: usage.cachedTokens,
  output_tokens: usage.completionTokens,
  output_tokens_details: { thinking_tokens: usage.reasoningTokens },
});

export type WireUsage = ReturnType<typeof wireUsage>;
