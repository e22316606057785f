/**
 * Images as requests bring them: a data URL of a kind that engines know, base64 without a URL, or an address. Whether
 * an address may be used is decided later (src/http/api/images.ts). Only the first bytes of an image are read: they
 * say what it is, whatever the client says, and engines refuse one of the wrong type.
 */
import { imagesIn } from "../core/chat/images.js";
import type { ChatMessage, ContentPart, Image } from "../core/chat/request.js";
import type { JsonObject, Reader } from "./read-json.js";
import * as json from "./read-json.js";

/** Of one image, before base64. */
export const maxImageBytes = 20 * 1024 * 1024;
/** Of one request, whose every turn brings those of all turns before it. */
const maxImages = 100;
const maxAddressLength = 4096;

const kinds = "PNG, JPEG, GIF or WebP";
const mediaType = /^image\/(?:png|jpe?g|gif|webp)$/i;
/** What each begins with, in base64. */
const beginnings = [
  ["iVBORw0KGg", "png"],
  ["/9j/", "jpeg"],
  ["R0lGOD", "gif"],
  ["UklGR", "webp"],
] as const;

/** `{ url, detail }`, as chat completions have it. */
export function imageUrlPart(part: JsonObject, path: string): ContentPart {
  const image = json.required(part, "image_url", json.object, path);
  return detailedImage(image, "url", `${path}.image_url`, path);
}

/** The URL and its detail side by side, as responses have it. */
export function inputImagePart(part: JsonObject, path: string): ContentPart {
  if (json.optional(part, "file_id", json.string, path) !== undefined) throw storedFile(`${path}.file_id`);
  return detailedImage(part, "image_url", path, path);
}

const detailedImage = (fields: JsonObject, name: string, place: string, path: string): ContentPart =>
  imagePart(
    json.required(fields, name, imageUrl, place),
    path,
    json.optional(fields, "detail", detail, place),
  );

/** A block with a `source`, as messages have it. */
export function imageBlock(block: JsonObject, path: string): ContentPart {
  const place = `${path}.source`;
  const source = json.required(block, "source", json.object, path);
  switch (json.required(source, "type", json.string, place)) {
    case "base64": {
      json.required(source, "media_type", knownType, place);
      return imagePart(json.required(source, "data", base64Image, place), path);
    }
    case "url":
      return imagePart(json.required(source, "url", imageUrl, place), path);
    case "file":
      throw storedFile(`${place}.type`);
    default:
      throw json.unsupportedValue(`${place}.type`, "expected 'base64' or 'url'");
  }
}

/** Undefined for bytes that are no image of a known kind. */
export function dataUrlOf(base64: string): string | undefined {
  const kind = beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1];
  return kind === undefined ? undefined : `data:image/${kind};base64,${base64}`;
}

export const isAddress = ({ url }: Image): boolean => !url.startsWith("data:");

/** How much of the request is images. Throws where there are too many. */
export function imageSizes(
  contents: readonly Pick<ChatMessage, "parts">[],
  path: string,
): { imageChars?: number } {
  const images = imagesIn(contents);
  if (images.length === 0) return {};
  if (images.length > maxImages) {
    const message = `'${path}' has too many images: expected at most ${maxImages}, but got ${images.length}.`;
    throw json.refusal("array_above_max_length", path, message);
  }
  return { imageChars: images.reduce((sum, { url }) => sum + url.length, 0) };
}

export const imagePart = (url: string, path: string, detail?: Image["detail"]): ContentPart => ({
  type: "image",
  url,
  path,
  ...(detail === undefined ? {} : { detail }),
});

/** Codex sends `original`, which engines do not know. */
const detail = json.mapped<NonNullable<Image["detail"]>>({
  auto: "auto",
  low: "low",
  high: "high",
  original: "high",
});

const imageUrl: Reader<string> = (value, path) => {
  const url = json.string(value, path);
  if (/^https?:\/\//i.test(url) && url.length <= maxAddressLength && URL.canParse(url)) return url;
  const [header, type = ""] = /^data:([^;,]{1,100});base64,/i.exec(url) ?? [];
  if (header === undefined) {
    throw json.invalidValue(
      path,
      "expected a data URL such as 'data:image/png;base64,…', or an http address",
    );
  }
  knownType(type, path);
  return base64Image(url.slice(header.length), path);
};

const knownType: Reader<string> = (value, path) => {
  const type = json.string(value, path);
  if (mediaType.test(type)) return type;
  throw json.unsupportedValue(
    path,
    `only ${kinds} images are supported: image/png, image/jpeg, image/gif, image/webp`,
  );
};

/** As a data URL. */
export const base64Image: Reader<string> = (value, path) => {
  const data = json.string(value, path);
  if (!isBase64(data)) throw json.invalidValue(path, "expected base64 without line breaks, padded with '='");
  if ((data.length * 3) / 4 > maxImageBytes + 2) {
    throw json.invalidValue(path, `the image is too large: expected at most ${maxImageBytes} bytes`);
  }
  const url = dataUrlOf(data);
  if (url === undefined) throw json.invalidValue(path, `expected a ${kinds} image`);
  return url;
};

function isBase64(data: string): boolean {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return (
    data.length > 0 && data.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding))
  );
}

const storedFile = (path: string) =>
  json.unsupportedValue(path, "this service stores no files. Send the image itself, as base64");
