/**
 * Images in the form that engines share: content as a list of parts. Most chat templates have no place for an image in
 * a tool's result, so it comes with the user's turn that follows, or in one of its own.
 */
import { imagesIn } from "../../core/chat/images.js";
import type { ChatMessage, ContentPart, Image } from "../../core/chat/request.js";

/** Stands in a tool's result, where the image was. */
const belowNote = "[image: see the next message]";
const fromTools: ContentPart = { type: "text", text: "[images of the tool results above]" };

/** With images in turns of the user only. */
export function imagesToUser(messages: readonly ChatMessage[]): ChatMessage[] {
  const moved: ChatMessage[] = [];
  let pending: ContentPart[] = [];
  const asTurn = (parts: readonly ContentPart[]): ChatMessage => ({ role: "user", content: "", parts });
  for (const message of messages) {
    if (message.role === "tool" && message.parts !== undefined) {
      const { parts, ...result } = message;
      moved.push({ ...result, content: parts.map(textOrNote).join("\n\n") });
      pending.push(...imagesIn([message]).map((image): ContentPart => ({ type: "image", ...image })));
      continue;
    }
    if (pending.length > 0 && message.role !== "tool") {
      const taken = [fromTools, ...pending];
      pending = [];
      if (message.role === "user") {
        moved.push({ ...message, parts: [...taken, ...partsOf(message)] });
        continue;
      }
      moved.push(asTurn(taken));
    }
    moved.push(message);
  }
  if (pending.length > 0) moved.push(asTurn([fromTools, ...pending]));
  return moved;
}

export const wireParts = (parts: readonly ContentPart[]): object[] =>
  parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: part.url, detail: part.detail } },
  );

/** Between what small and large images come to on common models. The engine's usage settles it. */
export const estimateImages = (images: readonly Image[]): number =>
  images.reduce((sum, { detail }) => sum + (detail === "low" ? 256 : 1024), 0);

const partsOf = ({ content, parts }: ChatMessage): readonly ContentPart[] =>
  parts ?? [{ type: "text", text: content }];

const textOrNote = (part: ContentPart): string => (part.type === "text" ? part.text : belowNote);
