/**
 * A conversation in the shape that chat templates read, which is OpenAI's. Ids of calls are replaced: they are the
 * client's own text, and some templates refuse any that do not have exactly nine letters and digits.
 */
import { createHash } from "node:crypto";
import type { ChatMessage, Tool, ToolCall } from "../../../../core/chat/request.js";
import type { CallForm } from "../../../chat-format/detection/probe.js";
import type {
  TemplateCall,
  TemplateMessage,
  TemplateTool,
} from "../../../chat-format/detection/template-render.js";

export function templateMessages(messages: readonly ChatMessage[], form: CallForm): TemplateMessage[] {
  const names = namesOfCalls(messages);
  return messages.map(({ role, content, toolCalls, toolCallId, reasoning }) => ({
    role,
    content: content === "" && toolCalls !== undefined ? form.emptyContent : content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls.map((call) => templateCall(call, form)) }),
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

export const namesOfCalls = (messages: readonly ChatMessage[]): ReadonlyMap<string, string> =>
  new Map(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => [id, name] as const)));

/** What the text means as a JSON object; null where it is none. */
export function argumentsObject({ arguments: text }: Pick<ToolCall, "arguments">): TemplateObject | null {
  if (text.trim() === "") return {};
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

type TemplateObject = Readonly<Record<string, unknown>>;

const noParameters = { type: "object", properties: {} };

function templateCall(call: ToolCall, { argumentsAs }: CallForm): TemplateCall {
  const given = argumentsAs === "object" ? argumentsObject(call) : null;
  return {
    id: shortId(call.id),
    type: "function",
    function: { name: call.name, arguments: given ?? call.arguments },
  };
}

/** Nine letters and digits, the same for the same id. */
function shortId(id: string): string {
  const number = createHash("sha256").update(id).digest().readBigUInt64BE();
  return number.toString(36).padStart(9, "0").slice(-9);
}
