/** `images`: pictures in base64, without saying of what kind they are. */
import type { ChatMessage, ContentPart } from "../../core/chat/request.js";
import { array, invalidValue, string, type Reader } from "../read-json.js";

/** In the place of a picture, for models that read text only. */
const imagePlace = "[image omitted: this model reads text only]";

/** By how their base64 begins. */
const kinds = { iVBORw0KGgo: "png", "/9j/": "jpeg", R0lGOD: "gif", UklGR: "webp" };

/** As data URLs. */
export const imageList: Reader<string[]> = (value, path) =>
  array(value, path).map((item, index) => image(item, `${path}[${index}]`));

const image: Reader<string> = (value, path) => {
  const data = string(value, path).replace(/^data:[\w/+.-]{1,64};base64,/, "");
  const kind = Object.entries(kinds).find(([beginning]) => data.startsWith(beginning))?.[1];
  if (kind === undefined || !/^[\w+/-]+={0,2}$/.test(data)) {
    throw invalidValue(path, "expected a PNG, JPEG, GIF or WebP picture in base64");
  }
  return `data:image/${kind};base64,${data}`;
};

/** The pictures come before the text. */
export function withImages(text: string, urls: readonly string[]): Pick<ChatMessage, "content" | "parts"> {
  if (urls.length === 0) return { content: text };
  const texts: ContentPart[] = text === "" ? [] : [{ type: "text", text }];
  return {
    content: [...urls.map(() => imagePlace), text].filter((part) => part !== "").join("\n\n"),
    parts: [...urls.map((url) => ({ type: "image" as const, url })), ...texts],
  };
}
