/**
 * The body of a request with images. JSON.stringify and the encoding as UTF-8 look at every character, which blocks the
 * event loop for 45 ms where an image has 10 MB. Base64 needs neither: it is copied to its place, in a third of that.
 */
import { randomUUID } from "node:crypto";
import type { Image } from "../../core/chat/request.js";

/** Stands for an image until it is copied. It leaves the process nowhere, so that no text can have it. */
const mark = randomUUID();

/** The images' URLs were checked when they were read: nothing in them has to be escaped. */
export function jsonBody(body: object, images: readonly Image[]): string | Buffer {
  if (images.length === 0) return JSON.stringify(body);
  const urls = new Set(images.map(({ url }) => url));
  const inOrder: string[] = [];
  const text = JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value !== "string" || !urls.has(value)) return value;
    inOrder.push(value);
    return mark;
  });
  const length = inOrder.reduce((sum, url) => sum + url.length - mark.length, Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [index, piece] of text.split(mark).entries()) {
    at += bytes.write(piece, at);
    at += bytes.write(inOrder[index] ?? "", at, "latin1");
  }
  return bytes;
}
