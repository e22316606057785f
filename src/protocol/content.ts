/** The content of a message: text, or text with images in order. */
import type { ChatMessage, ContentPart } from "../core/chat/request.js";
import type { Reader } from "./read-json.js";
import * as json from "./read-json.js";

export type Content = Pick<ChatMessage, "content" | "parts">;

const omittedImage = "[image omitted: this model reads text only]";

/** Content, whole or in parts, of which `part` reads one. */
export const contentIn =
  (part: Reader<ContentPart>): Reader<Content> =>
  (value, path) => {
    if (typeof value === "string") return { content: json.string(value, path) };
    if (!Array.isArray(value)) throw json.wrongType(path, "a string or an array of parts", value);
    return contentOf(json.each(json.nonEmptyArray(value, path), path, part));
  };

export const textPart = (text: string): ContentPart => ({ type: "text", text });

/** `between` comes between adjacent texts. An image is a paragraph of its own. */
export function contentOf(parts: readonly ContentPart[], between = ""): Content {
  const merged: ContentPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.type === "text" && last?.type === "text") {
      merged[merged.length - 1] = textPart(last.text + between + part.text);
    } else merged.push(part);
  }
  const content = merged.map((part) => (part.type === "text" ? part.text : omittedImage)).join("\n\n");
  return merged.some(({ type }) => type === "image") ? { content, parts: merged } : { content };
}

/** Two contents as the paragraphs of one. */
export function joinContents(first: Content, second: Content): Content {
  return contentOf([...partsOf(first), ...partsOf(second)], "\n\n");
}

const partsOf = ({ content, parts }: Content): readonly ContentPart[] =>
  parts ?? (content === "" ? [] : [textPart(content)]);
