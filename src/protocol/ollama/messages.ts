/**
 * `messages` of `/api/chat`. Calls need no ids there, and results name their tool or nothing: a result without the id of
 * a call answers the first open call of its tool, or else the first open one.
 */
import type { ChatMessage, ContentPart, ToolCall } from "../../core/chat/request.js";
import { maxMessages, speakers } from "../chat-completions/messages.js";
import { contentOf, textPart, type Content } from "../content.js";
import { base64Image, imagePart } from "../images.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { functionName } from "../tools.js";

const roles = json.mapped({ ...speakers, tool: "tool" as const });

/** In any letter case. */
const role: Reader<ChatMessage["role"]> = (value, path) =>
  roles(json.string(value, path).toLowerCase(), path);

export const readMessages: Reader<ChatMessage[]> = (value, path) => {
  const openCalls: ToolCall[] = [];
  return json.atMost(maxMessages, json.array(value, path), path).map((item, index) => {
    const place = `${path}[${index}]`;
    const fields = json.object(item, place);
    const turn = json.required(fields, "role", role, place);
    const content = json.optional(fields, "content", json.string, place) ?? "";
    switch (turn) {
      case "assistant": {
        const toolCalls = json.optional(fields, "tool_calls", calls(`call_${index}_`), place) ?? [];
        const reasoning = json.optional(fields, "thinking", json.string, place) ?? "";
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
        return {
          role: turn,
          ...withImages(content, json.optional(fields, "images", imageList, place) ?? []),
        };
    }
  });
};

/** Takes the call that a result answers from those that are open. */
function answeredBy(fields: JsonObject, path: string, openCalls: ToolCall[]): string {
  const id = json.optional(fields, "tool_call_id", json.string, path);
  const name =
    json.optional(fields, "tool_name", json.string, path) ?? json.optional(fields, "name", json.string, path);
  const call =
    openCalls.find((open) => open.id === id) ?? openCalls.find((open) => open.name === name) ?? openCalls[0];
  if (call === undefined) {
    throw json.invalidValue(
      path,
      "it is a tool's result, and no assistant message before it has an open call",
    );
  }
  openCalls.splice(openCalls.indexOf(call), 1);
  return call.id;
}

const calls =
  (idPrefix: string): Reader<ToolCall[]> =>
  (value, path) =>
    json.array(value, path).map((item, index) => {
      const place = `${path}[${index}]`;
      const fields = json.object(item, place);
      const called = json.required(fields, "function", json.object, place);
      return {
        id: json.optional(fields, "id", json.nonEmptyString, place) ?? `${idPrefix}${index}`,
        name: json.required(called, "name", functionName, `${place}.function`),
        arguments: json.optional(called, "arguments", jsonText, `${place}.function`) ?? "{}",
      };
    });

/** An object there; some clients send its JSON. */
const jsonText: Reader<string> = (value, path) => {
  if (json.isObject(value)) return JSON.stringify(value);
  if (typeof value !== "string") throw json.wrongType(path, "an object", value);
  return json.string(value, path);
};

/** `images`: pictures in base64, without saying of what kind they are. They come before the text. */
export const imageList: Reader<ContentPart[]> = (value, path) =>
  json.each(json.array(value, path), path, (item, place) => {
    const data = json.string(item, place).replace(/^data:[\w/+.-]{1,64};base64,/, "");
    return imagePart(base64Image(data, place), place);
  });

export const withImages = (text: string, images: readonly ContentPart[]): Content =>
  contentOf(text === "" ? images : [...images, textPart(text)]);
