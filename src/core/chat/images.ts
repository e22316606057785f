/** The images of a conversation. */
import type { ChatMessage, ContentPart, Image } from "./request.js";

type WithParts = Pick<ChatMessage, "parts">;

export const imagesIn = (contents: readonly WithParts[]): Image[] =>
  // Most conversations have no parts at all.
  contents.some(({ parts }) => parts !== undefined)
    ? contents.flatMap(({ parts = [] }) => parts.filter(isImage))
    : [];

/** With the sentence in the place of each. */
export const withoutImages = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map((message) => {
    if (message.parts === undefined) return message;
    const { parts: _parts, ...text } = message;
    return text;
  });

export const withImages = (
  messages: readonly ChatMessage[],
  replace: (image: Image) => Image,
): ChatMessage[] =>
  messages.map((message) => {
    if (message.parts === undefined) return message;
    const parts = message.parts.map((part): ContentPart =>
      isImage(part) ? { type: "image", ...replace(part) } : part,
    );
    return { ...message, parts };
  });

const isImage = (part: ContentPart): part is ContentPart & { type: "image" } => part.type === "image";
