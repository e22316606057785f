/** `messages`: the conversation so far, calls of tools and their results included. */
import type { ChatMessage, ChatRole, ToolCall } from "../../core/chat/request.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { contentIn, textPart, type Content } from "../content.js";
import { imageUrlPart } from "../images.js";
import { functionName } from "../tools.js";
import { requireFunctionType } from "./tools.js";

/** OpenAI's own bound. A template is run over every message, and a hundred thousand empty ones hold an engine up. */
export const maxMessages = 2048;

export const readMessages: Reader<ChatMessage[]> = (value, path) => {
  const items = json.atMost(maxMessages, json.nonEmptyArray(value, path), path);
  const callIds = new Set<string>();
  return json.each(items, path, (item, place) => {
    const read = message(item, place);
    if (read.toolCallId !== undefined && !callIds.has(read.toolCallId)) {
      throw json.invalidValue(`${place}.tool_call_id`, "no assistant message before it has such a call");
    }
    for (const { id } of read.toolCalls ?? []) callIds.add(id);
    return read;
  });
};

const message: Reader<ChatMessage> = (value, path) => {
  const fields = json.object(value, path);
  const messageRole = json.required(fields, "role", role, path);
  switch (messageRole) {
    case "assistant":
      return assistant(fields, path);
    case "tool":
      return {
        role: "tool",
        ...json.required(fields, "content", resultContent, path),
        toolCallId: json.required(fields, "tool_call_id", json.nonEmptyString, path),
      };
    case "system":
      return { role: "system", content: json.required(fields, "content", text, path) };
    case "user":
      return { role: "user", ...json.required(fields, "content", content, path) };
  }
};

function assistant(fields: JsonObject, path: string): ChatMessage {
  const toolCalls = json.optional(fields, "tool_calls", calls, path) ?? [];
  const reasoning = json.optional(fields, "reasoning_content", json.string, path);
  // An assistant's turn that only called tools has no text, and some clients leave the field out then.
  const said =
    toolCalls.length > 0
      ? (json.optional(fields, "content", text, path) ?? "")
      : json.required(fields, "content", textOrNull, path);
  return {
    role: "assistant",
    content: said,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

const calls: Reader<ToolCall[]> = (value, path) =>
  json.each(json.array(value, path), path, (item, place) => {
    const fields = json.object(item, place);
    // Some clients leave out the type, which is always the same.
    if (fields.type !== undefined) requireFunctionType(fields, place);
    const called = json.required(fields, "function", json.object, place);
    return {
      id: json.required(fields, "id", json.nonEmptyString, place),
      name: json.required(called, "name", functionName, `${place}.function`),
      arguments: json.optional(called, "arguments", json.string, `${place}.function`) ?? "",
    };
  });

/** Some client versions send `developer` for any model whose id starts with "o". */
export const speakers = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
} as const;
export const speaker = json.mapped<(typeof speakers)[keyof typeof speakers]>(speakers);
const role = json.mapped<ChatRole>({ ...speakers, tool: "tool" });

const onlyText: Reader<string> = (value, path) => {
  const part = json.object(value, path);
  if (json.required(part, "type", json.string, path) === "text")
    return json.required(part, "text", json.string, path);
  throw json.unsupportedValue(`${path}.type`, "only parts of type 'text' are supported");
};

const text = json.textIn(onlyText);

const textOrNull: Reader<string> = (value, path) => (value === null ? "" : text(value, path));

const content = contentIn((value, path) => {
  const part = json.object(value, path);
  switch (json.required(part, "type", json.string, path)) {
    case "text":
      return textPart(json.required(part, "text", json.string, path));
    case "image_url":
      return imageUrlPart(part, path);
    default:
      throw json.unsupportedValue(`${path}.type`, "only parts of type 'text' and 'image_url' are supported");
  }
});

/** A tool may have nothing to say, and some clients send no parts then. */
const resultContent: Reader<Content> = (value, path) =>
  Array.isArray(value) && value.length === 0 ? { content: "" } : content(value, path);
