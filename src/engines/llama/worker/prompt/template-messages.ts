/**
 * A conversation in the shape that chat templates read, which is OpenAI's. Ids of calls are replaced: they are the
 * client's own text, and some templates refuse any that do not have exactly nine letters and digits.
 */
import { createHash } from "node:crypto";
import type { ChatMessage, Tool, ToolCall } from "../../../../protocol/chat.js";

export interface TemplateMessage {
  role: string;
  content: string;
  reasoning_content?: string;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: unknown } }[];
  tool_call_id?: string;
  /** Of a result: the function that was called. */
  name?: string;
}

export interface TemplateTool {
  type: "function";
  function: { name: string; description: string; parameters: Readonly<Record<string, unknown>> };
}

/** Most templates write arguments out as JSON themselves, and some take them only as text. */
export type ArgumentsAs = "object" | "text";

export function templateMessages(
  messages: readonly ChatMessage[],
  argumentsAs: ArgumentsAs,
): TemplateMessage[] {
  const names = namesOfCalls(messages);
  return messages.map(({ role, content, toolCalls, toolCallId, reasoning }) => ({
    role,
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls.map((call) => templateCall(call, argumentsAs)) }),
    ...(toolCallId === undefined
      ? {}
      : { tool_call_id: shortId(toolCallId), name: names.get(toolCallId) ?? "" }),
  }));
}

export const templateTools = (tools: readonly Tool[]): TemplateTool[] =>
  tools.map(({ name, description = "", parameters = noParameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));

/** The function that each call named. */
export const namesOfCalls = (messages: readonly ChatMessage[]): ReadonlyMap<string, string> =>
  new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)));

/** What the text means as JSON; the text itself where it means nothing. */
export function argumentsValue({ arguments: text }: Pick<ToolCall, "arguments">): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const noParameters = { type: "object", properties: {} };

function templateCall(call: ToolCall, argumentsAs: ArgumentsAs) {
  const value = argumentsAs === "object" ? argumentsValue(call) : call.arguments;
  return {
    id: shortId(call.id),
    type: "function" as const,
    function: { name: call.name, arguments: value },
  };
}

/** Nine letters and digits, the same for the same id. */
function shortId(id: string): string {
  const number = createHash("sha256").update(id).digest().readBigUInt64BE();
  return number.toString(36).padStart(9, "0").slice(-9);
}
