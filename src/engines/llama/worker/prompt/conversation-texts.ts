/** Every text of a conversation that somebody outside may have written, wherever it stands. */
import type { ChatMessage, Tool, ToolCall } from "../../../../protocol/chat.js";
import type { Conversation } from "../../messages.js";

type Change = (text: string) => string;

/** The conversation with each of them changed. Names of functions have no characters that could mean anything. */
export function mapTexts(conversation: Conversation, change: Change): Conversation {
  return {
    ...conversation,
    messages: conversation.messages.map((message) => mapMessage(message, change)),
    tools: conversation.tools.map((tool) => mapTool(tool, change)),
  };
}

/** How many characters it has, without what a template adds. */
export function charsOf({ messages, tools }: Conversation): number {
  const ofMessages = messages.reduce(
    (sum, { content, reasoning = "", toolCalls = [] }) =>
      sum +
      content.length +
      reasoning.length +
      toolCalls.reduce((chars, call) => chars + call.arguments.length, 0),
    0,
  );
  return ofMessages + (tools.length === 0 ? 0 : JSON.stringify(tools).length);
}

function mapMessage(message: ChatMessage, change: Change): ChatMessage {
  const { reasoning, toolCalls } = message;
  return {
    ...message,
    content: change(message.content),
    ...(reasoning === undefined ? {} : { reasoning: change(reasoning) }),
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map((call) => mapCall(call, change)) }),
  };
}

function mapCall(call: ToolCall, change: Change): ToolCall {
  try {
    const value = JSON.parse(call.arguments) as unknown;
    return { ...call, arguments: JSON.stringify(mapJson(value, change)) };
  } catch {
    return { ...call, arguments: change(call.arguments) };
  }
}

const mapTool = (tool: Tool, change: Change): Tool => ({
  ...tool,
  description: tool.description === undefined ? undefined : change(tool.description),
  parameters:
    tool.parameters === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(tool.parameters).map(([name, value]) => [name, mapJson(value, change, name)]),
        ),
});

/** Templates look at the types of a schema; what they can be is known. */
const knownTypes = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function mapJson(value: unknown, change: Change, name = ""): unknown {
  if (typeof value === "string") return name === "type" && knownTypes.has(value) ? value : change(value);
  if (Array.isArray(value)) return value.map((item) => mapJson(item, change, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      schemaWords.has(key) ? key : change(key),
      mapJson(item, change, key),
    ]),
  );
}

/** Names that templates look for in a schema. They hold no special text. */
const schemaWords = new Set([
  "type",
  "properties",
  "required",
  "items",
  "enum",
  "description",
  "title",
  "default",
  "anyOf",
  "oneOf",
  "allOf",
  "additionalProperties",
  "nullable",
  "format",
]);
