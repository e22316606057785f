/**
 * One item of `input`: a message, reasoning, a tool call or its output. Fields that only the service that wrote an item
 * understands (`id`, `status`, `encrypted_content` of reasoning) are ignored.
 */
import type { ContentPart, ToolCall } from "../../core/chat/request.js";
import { isSealedHere } from "../../core/serving/sealed-summaries.js";
import { speaker } from "../chat-completions/messages.js";
import { contentIn, textPart, type Content } from "../content.js";
import { inputImagePart } from "../images.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { functionName } from "../tools.js";

export type InputItem =
  | ({ type: "message"; role: "system" | "user" | "assistant" } & ItemContent)
  | { type: "reasoning"; text: string }
  | { type: "call"; call: ToolCall; namespace?: string | undefined }
  | ({ type: "output"; callId: string } & ItemContent)
  /** Of the conversation before it, as it was sealed for its account. */
  | { type: "summary"; sealed: string }
  /** An item of an earlier reply, by its id. */
  | { type: "reference"; id: string };

export interface ItemContent {
  /** With a sentence in the place of each image. */
  text: string;
  /** Undefined without an image. */
  parts?: readonly ContentPart[];
}

/** An item, and its path. */
export interface PlacedItem {
  item: InputItem;
  path: string;
}

/** Undefined for a type that this API does not write. */
export function readOwnItem(type: string, fields: JsonObject, path: string): InputItem | undefined {
  switch (type) {
    case "message":
      return message(fields, path);
    case "function_call":
      return call(fields, path);
    case "function_call_output":
      return output(fields, path);
    case "reasoning":
      return { type: "reasoning", text: reasoning(fields, path) };
    case "item_reference":
      return { type: "reference", id: json.required(fields, "id", json.nonEmptyString, path) };
    case "compaction":
      return summary(fields, path);
    default:
      return undefined;
  }
}

/** Undefined for one that another service sealed. */
function summary(fields: JsonObject, path: string): InputItem | undefined {
  const sealed = json.optional(fields, "encrypted_content", json.string, path) ?? "";
  return isSealedHere(sealed) ? { type: "summary", sealed } : undefined;
}

/** Messages may come without a type. */
export function typeOf(fields: JsonObject, path: string): string {
  const type = json.optional(fields, "type", json.string, path);
  if (type !== undefined) return type;
  return Object.hasOwn(fields, "role") ? "message" : json.required(fields, "type", json.string, path);
}

function message(fields: JsonObject, path: string): InputItem {
  const role = json.required(fields, "role", speaker, path);
  if (role === "user") return { type: "message", role, ...json.required(fields, "content", content, path) };
  const read = role === "assistant" ? possiblyEmptyText : text;
  return { type: "message", role, text: json.required(fields, "content", read, path) };
}

const call = (fields: JsonObject, path: string): InputItem => ({
  type: "call",
  call: {
    id: json.required(fields, "call_id", json.nonEmptyString, path),
    name: json.required(fields, "name", functionName, path),
    arguments: json.optional(fields, "arguments", json.string, path) ?? "",
  },
  namespace: json.optional(fields, "namespace", json.nonEmptyString, path),
});

export const output = (fields: JsonObject, path: string): InputItem => ({
  type: "output",
  callId: json.required(fields, "call_id", json.nonEmptyString, path),
  ...json.required(fields, "output", possiblyEmptyContent, path),
});

/** The reasoning itself, or else its summary. */
function reasoning(fields: JsonObject, path: string): string {
  const content = json.optional(fields, "content", parts("reasoning_text"), path) ?? [];
  const summary = json.optional(fields, "summary", parts("summary_text"), path) ?? [];
  return (content.length > 0 ? content : summary).join("\n\n");
}

const parts =
  (type: string): Reader<string[]> =>
  (value, path) =>
    json.each(json.array(value, path), path, (item, place) => {
      const part = json.object(item, place);
      if (json.required(part, "type", json.string, place) === type)
        return json.required(part, "text", json.string, place);
      throw json.unsupportedValue(`${place}.type`, `expected '${type}'`);
    });

const onlyText: Reader<string> = (value, path) => {
  const part = json.object(value, path);
  const found = textOf(part, path);
  if (found !== undefined) return found;
  throw json.unsupportedValue(
    `${path}.type`,
    "only text is supported, in parts of type 'input_text' and 'output_text'",
  );
};

const content: Reader<ItemContent> = (value, path) => itemContent(readContent(value, path));

const readContent = contentIn((value, path) => {
  const part = json.object(value, path);
  if (json.required(part, "type", json.string, path) === "input_image") return inputImagePart(part, path);
  const found = textOf(part, path);
  if (found !== undefined) return textPart(found);
  throw json.unsupportedValue(
    `${path}.type`,
    "only text and images are supported, in parts of type 'input_text', 'output_text' and 'input_image'",
  );
});

const itemContent = ({ content: text, ...images }: Content): ItemContent => ({ text, ...images });

/** Undefined for a part that is not text. */
function textOf(part: JsonObject, path: string): string | undefined {
  switch (json.required(part, "type", json.string, path)) {
    case "input_text":
    case "output_text":
    case "text":
      return json.required(part, "text", json.string, path);
    case "refusal":
      return json.required(part, "refusal", json.string, path);
    default:
      return undefined;
  }
}

const text = json.textIn(onlyText);

/** A reply may have been cut before its text. */
const possiblyEmptyText: Reader<string> = (value, path) =>
  Array.isArray(value) && value.length === 0 ? "" : text(value, path);

/** A tool may have nothing to say. */
const possiblyEmptyContent: Reader<ItemContent> = (value, path) =>
  Array.isArray(value) && value.length === 0 ? { text: "" } : content(value, path);
