/** The content of one reply, assembled from the parts of its stream. */
import type { ToolCall } from "../../../../src/core/chat/request.js";
import type { ChatPart } from "../../../service/chat-stream.ts";

export interface ReplyContent {
  text: string;
  reasoning: string;
  calls: readonly ToolCall[];
}

export const noContent: ReplyContent = { text: "", reasoning: "", calls: [] };

/** With the next part added; the same object if the part has no content. */
export function withPart(content: ReplyContent, part: ChatPart): ReplyContent {
  switch (part.type) {
    case "text":
      return { ...content, text: content.text + part.text };
    case "reasoning":
      return { ...content, reasoning: content.reasoning + part.text };
    case "call":
      // Calls begin in the order of their numbers.
      return { ...content, calls: [...content.calls, { id: part.id, name: part.name, arguments: "" }] };
    case "arguments":
      return {
        ...content,
        calls: content.calls.map((call, index) =>
          index === part.index ? { ...call, arguments: call.arguments + part.text } : call,
        ),
      };
    case "end":
    case "usage":
      return content;
  }
}

export const isEmpty = ({ text, reasoning, calls }: ReplyContent): boolean =>
  text === "" && reasoning === "" && calls.length === 0;
