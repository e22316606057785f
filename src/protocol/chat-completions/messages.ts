/** `messages`: the conversation so far, calls of tools and their results included. */
import type { ChatMessage, ChatRole, ToolCall } from "../../core/chat/request.js";
import {
  array,
  atMost,
  invalidValue,
  mapped,
  nonEmptyArray,
  nonEmptyString,
  object,
  optional,
  required,
  string,
  textIn,
  unsupportedValue,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { contentIn, textPart, type Content } from "../content.js";
import { imageUrlPart } from "../images.js";
import { functionName } from "../tools.js";
import { requireFunctionType } from "./tools.js";

/** OpenAI's own bound. A template is run over every message, and a hundred thousand empty ones hold an engine up. */
export const maxMessages = 2048;

export const readMessages: Reader<ChatMessage[]> = (value, path) => {
  const items = atMost(maxMessages, nonEmptyArray(value, path), path);
  const callIds = new Set<string>();
  return items.map((item, index) => {
    const read = message(item, `${path}[${index}]`);
    if (read.toolCallId !== undefined && !callIds.has(read.toolCallId)) {
      throw invalidValue(`${path}[${index}].tool_call_id`, "no assistant message before it has such a call");
    }
    for (const { id } of read.toolCalls ?? []) callIds.add(id);
    return read;
  });
};

const message: Reader<ChatMessage> = (value, path) => {
  const fields = object(value, path);
  const messageRole = required(fields, "role", role, path);
  switch (messageRole) {
    case "assistant":
      return assistant(fields, path);
    case "tool":
      return {
        role: "tool",
        ...required(fields, "content", resultContent, path),
        toolCallId: required(fields, "tool_call_id", nonEmptyString, path),
      };
    case "system":
      return { role: "system", content: required(fields, "content", text, path) };
    case "user":
      return { role: "user", ...required(fields, "content", content, path) };
  }
};

function assistant(fields: JsonObject, path: string): ChatMessage {
  const toolCalls = optional(fields, "tool_calls", calls, path) ?? [];
  const reasoning = optional(fields, "reasoning_content", string, path);
  // An assistant's turn that only called tools has no text, and some clients leave the field out then.
  const said =
    toolCalls.length > 0
      ? (optional(fields, "content", text, path) ?? "")
      : required(fields, "content", textOrNull, path);
  return {
    role: "assistant",
    content: said,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

const calls: Reader<ToolCall[]> = (value, path) =>
  array(value, path).map((item, index) => {
    const place = `${path}[${index}]`;
    const fields = object(item, place);
    // Some clients leave out the type, which is always the same.
    if (fields.type !== undefined) requireFunctionType(fields, place);
    const called = required(fields, "function", object, place);
    return {
      id: required(fields, "id", nonEmptyString, place),
      name: required(called, "name", functionName, `${place}.function`),
      arguments: optional(called, "arguments", string, `${place}.function`) ?? "",
    };
  });

/** Some client versions send `developer` for any model whose id starts with "o". */
export const speakers = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
} as const;
export const speaker = mapped<(typeof speakers)[keyof typeof speakers]>(speakers);
const role = mapped<ChatRole>({ ...speakers, tool: "tool" });

const onlyText: Reader<string> = (value, path) => {
  const part = object(value, path);
  if (required(part, "type", string, path) === "text") return required(part, "text", string, path);
  throw unsupportedValue(`${path}.type`, "only parts of type 'text' are supported");
};

const text = textIn(onlyText);

const textOrNull: Reader<string> = (value, path) => (value === null ? "" : text(value, path));

const content = contentIn((value, path) => {
  const part = object(value, path);
  switch (required(part, "type", string, path)) {
    case "text":
      return textPart(required(part, "text", string, path));
    case "image_url":
      return imageUrlPart(part, path);
    default:
      throw unsupportedValue(`${path}.type`, "only parts of type 'text' and 'image_url' are supported");
  }
});

/** A tool may have nothing to say, and some clients send no parts then. */
const resultContent: Reader<Content> = (value, path) =>
  Array.isArray(value) && value.length === 0 ? { content: "" } : content(value, path);
