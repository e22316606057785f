/**
 * The content of one turn: a string, or blocks of text, images, reasoning, tool calls and their results. Adjacent
 * blocks of text are paragraphs. Citations and `cache_control` on them mean nothing here.
 */
import type { ContentPart, ToolCall } from "../../core/chat/request.js";
import type { ServiceError } from "../../core/errors.js";
import { contentOf, textPart, type Content } from "../content.js";
import { imageBlock } from "../images.js";
import type { JsonObject, Reader } from "../read-json.js";
import * as json from "../read-json.js";
import { toolName } from "./tools.js";

interface ToolResult extends Content {
  callId: string;
  path: string;
}

export interface UserContent {
  /** Null for results alone. */
  said: Content | null;
  results: ToolResult[];
}

export interface AssistantContent {
  text: string;
  reasoning: string;
  calls: ToolCall[];
}

/** As paragraphs; also the turns of one role. */
export const joined = (texts: readonly string[]): string => texts.filter((text) => text !== "").join("\n\n");

/** The same of blocks, some of which are images. */
const paragraphs = (parts: readonly ContentPart[]): Content =>
  contentOf(
    parts.filter((part) => part.type !== "text" || part.text !== ""),
    "\n\n",
  );

export const userContent: Reader<UserContent> = (value, path) => {
  if (typeof value === "string") return { said: { content: json.string(value, path) }, results: [] };
  const parts: ContentPart[] = [];
  const results: ToolResult[] = [];
  for (const { type, block, place } of blocks(value, path)) {
    if (type === "text") parts.push(textPart(json.required(block, "text", json.string, place)));
    else if (type === "image") parts.push(imageBlock(block, place));
    else if (type === "tool_result") results.push(toolResult(block, place));
    else if (type === "document") parts.push(textPart(documentText(block, place)));
    else if (type === "search_result")
      parts.push(textPart(json.required(block, "content", plainText, place)));
    else throw unsupportedBlock(place, "'text', 'image', 'tool_result' and plain-text 'document'");
  }
  return { said: parts.length === 0 ? null : paragraphs(parts), results };
};

export const assistantContent: Reader<AssistantContent> = (value, path) => {
  if (typeof value === "string") return { text: json.string(value, path), reasoning: "", calls: [] };
  // A reply may have had nothing in it, and comes back as it was.
  if (Array.isArray(value) && value.length === 0) return { text: "", reasoning: "", calls: [] };
  const texts: string[] = [];
  const reasoning: string[] = [];
  const calls: ToolCall[] = [];
  for (const { type, block, place } of blocks(value, path)) {
    if (type === "text") texts.push(json.required(block, "text", json.string, place));
    else if (type === "thinking") reasoning.push(json.required(block, "thinking", json.string, place));
    else if (type === "tool_use") calls.push(toolUse(block, place));
    else if (!isForeign(type)) {
      throw unsupportedBlock(place, "'text', 'thinking', 'redacted_thinking' and 'tool_use'");
    }
  }
  return { text: joined(texts), reasoning: joined(reasoning), calls };
};

/** Encrypted by another service, or about tools that it ran, whose results its text repeats. */
const isForeign = (type: string): boolean =>
  /^(?:redacted_thinking|server_tool_use|mcp_tool_use|compaction|container_upload|\w+_tool_result)$/.test(
    type,
  );

/** A document that is text, under its title. */
function documentText(block: JsonObject, path: string): string {
  const place = `${path}.source`;
  const source = json.required(block, "source", json.object, path);
  const title = json.optional(block, "title", json.string, path) ?? "";
  switch (json.required(source, "type", json.string, place)) {
    case "text":
      return joined([title, json.required(source, "data", json.string, place)]);
    case "content":
      return joined([title, json.required(source, "content", plainText, place)]);
    default:
      throw json.unsupportedValue(
        `${place}.type`,
        "only documents of plain text are supported ('text' and 'content'). Send the text of the document",
      );
  }
}

/** A string or blocks of text. */
export const plainText: Reader<string> = (value, path) => {
  if (typeof value === "string") return json.string(value, path);
  if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array of text blocks", value);
  return joined(textBlocks(value, path));
};

export function textBlocks(value: unknown, path: string): string[] {
  return json.each(json.array(value, path), path, (item, place) => {
    const block = json.object(item, place);
    if (json.required(block, "type", json.string, place) !== "text") throw unsupportedBlock(place, "'text'");
    return json.required(block, "text", json.string, place);
  });
}

function toolResult(block: JsonObject, path: string): ToolResult {
  const callId = json.required(block, "tool_use_id", json.nonEmptyString, path);
  const result = json.optional(block, "content", resultContent, path) ?? { content: "" };
  const isError = json.optional(block, "is_error", json.boolean, path) ?? false;
  return { ...(isError ? asError(result) : result), callId, path: `${path}.tool_use_id` };
}

/** A string, or blocks of text and images. */
const resultContent: Reader<Content> = (value, path) => {
  if (!Array.isArray(value)) return { content: plainText(value, path) };
  if (value.length === 0) return { content: "" };
  return paragraphs(
    [...blocks(value, path)].map(({ type, block, place }) => {
      if (type === "text") return textPart(json.required(block, "text", json.string, place));
      if (type === "image") return imageBlock(block, place);
      throw unsupportedBlock(place, "'text' and 'image'");
    }),
  );
};

/** Chat templates have no place for it but the text. */
function asError({ content, parts }: Content): Content {
  if (parts !== undefined) return paragraphs([textPart("Error:"), ...parts]);
  if (content === "") return { content: "Error" };
  return { content: /^\W*(?:\w+[_ ])*error/i.test(content) ? content : `Error: ${content}` };
}

function toolUse(block: JsonObject, path: string): ToolCall {
  return {
    id: json.required(block, "id", json.nonEmptyString, path),
    name: json.required(block, "name", toolName, path),
    arguments: JSON.stringify(json.optional(block, "input", json.object, path) ?? {}),
  };
}

interface Block {
  type: string;
  block: JsonObject;
  place: string;
}

function* blocks(value: unknown, path: string): Generator<Block> {
  if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array of blocks", value);
  for (const [index, item] of json.nonEmptyArray(value, path).entries()) {
    const place = `${path}[${index}]`;
    const block = json.object(item, place);
    yield { type: json.required(block, "type", json.string, place), block, place };
  }
}

const unsupportedBlock = (path: string, supported: string): ServiceError =>
  json.unsupportedValue(`${path}.type`, `only ${supported} blocks are supported here`);
