/** Every text of a conversation that comes from the client, wherever it occurs. */
import type { ChatMessage, Tool, ToolCall } from "../../../../core/chat/request.js";
import type { Conversation } from "../../messages.js";

type Change = (text: string) => string;

/**
 * The conversation with each of them changed, and nothing besides: a field that is not known here does not get as far
 * as the template. Ids are left as they are, since templates get others in their place (template-messages.ts).
 */
export const mapTexts = (
  { messages, tools, reasoningEffort }: Conversation,
  change: Change,
): Conversation => ({
  messages: messages.map((message) => mapMessage(message, change)),
  tools: tools.map((tool) => mapTool(tool, change)),
  reasoningEffort,
});

/** How many characters it has, without what a template adds. */
export function charsOf({ messages, tools }: Conversation): number {
  const ofMessages = messages.reduce(
    (sum, { content, reasoning = "", toolCalls = [] }) =>
      sum +
      content.length +
      reasoning.length +
      toolCalls.reduce((chars, call) => chars + call.name.length + call.arguments.length, 0),
    0,
  );
  return ofMessages + (tools.length === 0 ? 0 : JSON.stringify(tools).length);
}

function mapMessage(message: ChatMessage, change: Change): ChatMessage {
  const { role, content, reasoning, toolCalls, toolCallId } = message;
  return {
    role,
    content: change(content),
    ...(reasoning === undefined ? {} : { reasoning: change(reasoning) }),
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map((call) => mapCall(call, change)) }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

function mapCall({ id, name, arguments: text }: ToolCall, change: Change): ToolCall {
  const changed = { id, name: change(name) };
  try {
    return { ...changed, arguments: JSON.stringify(mapJson(JSON.parse(text), change)) };
  } catch {
    return { ...changed, arguments: change(text) };
  }
}

const mapTool = ({ name, description, parameters, strict }: Tool, change: Change): Tool => ({
  name: change(name),
  description: description === undefined ? undefined : change(description),
  parameters: parameters === undefined ? undefined : mapObject(parameters, change),
  strict,
});

/** Templates look at the types of a schema; what they can be is known. */
const knownTypes = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function mapJson(value: unknown, change: Change, name = ""): unknown {
  if (typeof value === "string") return name === "type" && knownTypes.has(value) ? value : change(value);
  if (Array.isArray(value)) return value.map((item) => mapJson(item, change, name));
  return typeof value === "object" && value !== null ? mapObject(value, change) : value;
}

const mapObject = (value: object, change: Change): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      schemaWords.has(key) ? key : change(key),
      mapJson(item, change, key),
    ]),
  );

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
