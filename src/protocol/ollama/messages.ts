/**
 * `messages` of `/api/chat`. Calls need no ids there, and results name their tool or nothing: a result without the id of
 * a call answers the first open call of its tool, or else the first open one.
 */
import type { ChatMessage, ToolCall } from "../../core/chat/request.js";
import { maxMessages, speakers } from "../chat-completions/messages.js";
import {
  array,
  atMost,
  invalidValue,
  isObject,
  mapped,
  nonEmptyString,
  object,
  optional,
  required,
  string,
  wrongType,
  type JsonObject,
  type Reader,
} from "../read-json.js";
import { functionName } from "../tools.js";
import { imageList, withImages } from "./images.js";

const roles = mapped({ ...speakers, tool: "tool" as const });

/** In any letter case. */
const role: Reader<ChatMessage["role"]> = (value, path) => roles(string(value, path).toLowerCase(), path);

export const readMessages: Reader<ChatMessage[]> = (value, path) => {
  const openCalls: ToolCall[] = [];
  return atMost(maxMessages, array(value, path), path).map((item, index) => {
    const place = `${path}[${index}]`;
    const fields = object(item, place);
    const turn = required(fields, "role", role, place);
    const content = optional(fields, "content", string, place) ?? "";
    switch (turn) {
      case "assistant": {
        const toolCalls = optional(fields, "tool_calls", calls(`call_${index}_`), place) ?? [];
        const reasoning = optional(fields, "thinking", string, place) ?? "";
        openCalls.push(...toolCalls);
        return {
          role: turn,
          content,
          ...(toolCalls.length > 0 ? { toolCalls } : {}),
          ...(reasoning === "" ? {} : { reasoning }),
        };
      }
      case "tool":
        return { role: turn, content, toolCallId: answeredBy(fields, place, openCalls) };
      case "system":
      case "user":
        return { role: turn, ...withImages(content, optional(fields, "images", imageList, place) ?? []) };
    }
  });
};

/** Takes the call that a result answers from those that are open. */
function answeredBy(fields: JsonObject, path: string, openCalls: ToolCall[]): string {
  const id = optional(fields, "tool_call_id", string, path);
  const name = optional(fields, "tool_name", string, path) ?? optional(fields, "name", string, path);
  const call =
    openCalls.find((open) => open.id === id) ?? openCalls.find((open) => open.name === name) ?? openCalls[0];
  if (call === undefined) {
    throw invalidValue(path, "it is a tool's result, and no assistant message before it has an open call");
  }
  openCalls.splice(openCalls.indexOf(call), 1);
  return call.id;
}

const calls =
  (idPrefix: string): Reader<ToolCall[]> =>
  (value, path) =>
    array(value, path).map((item, index) => {
      const place = `${path}[${index}]`;
      const fields = object(item, place);
      const called = required(fields, "function", object, place);
      return {
        id: optional(fields, "id", nonEmptyString, place) ?? `${idPrefix}${index}`,
        name: required(called, "name", functionName, `${place}.function`),
        arguments: optional(called, "arguments", jsonText, `${place}.function`) ?? "{}",
      };
    });

/** An object there; some clients send its JSON. */
const jsonText: Reader<string> = (value, path) => {
  if (isObject(value)) return JSON.stringify(value);
  if (typeof value !== "string") throw wrongType(path, "an object", value);
  return string(value, path);
};
