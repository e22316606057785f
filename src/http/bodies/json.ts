/**
 * From bytes to a JSON value. The error message of JSON.parse is never passed on: it quotes its input.
 */
import { isUtf8 } from "node:buffer";
import { ServiceError } from "../../core/errors.js";

const maxDepth = 64;
/** Each costs many times its bytes. A request of 2048 messages with large schemas has a tenth of it. */
const maxValues = 100_000;
const comma = 0x2c;
const [quote, backslash] = [0x22, 0x5c];
const [openBracket, openBrace, closeBracket, closeBrace] = [0x5b, 0x7b, 0x5d, 0x7d];
const byteOrderMark = "\ufeff";

export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) {
    throw new ServiceError("invalid_json", { message: "The request body is empty. Send one JSON object." });
  }
  if (!isUtf8(bytes)) throw isCompressed(bytes) ? compressedBody() : new ServiceError("invalid_json");
  const { depth, values } = shapeOf(bytes, maxDepth, maxValues);
  if (depth > maxDepth) {
    throw new ServiceError("invalid_json", {
      message: `The request body is nested too deeply: at most ${maxDepth} levels of objects and arrays.`,
    });
  }
  if (values > maxValues) {
    throw new ServiceError("invalid_json", {
      message: `The request body has too many values: at most ${maxValues} fields and items in all.`,
    });
  }
  const text = bytes.toString();
  try {
    return JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  } catch {
    throw new ServiceError("invalid_json");
  }
}

export const compressedBody = (): ServiceError =>
  new ServiceError("unsupported_content_type", {
    message:
      "Compressed request bodies are not supported. Send the body uncompressed, without 'Content-Encoding'.",
  });

/** gzip, zlib and zstd, by their first bytes. */
const compressions = ["1f8b", "7801", "789c", "78da", "28b52ffd"];

function isCompressed(bytes: Buffer): boolean {
  const start = bytes.toString("hex", 0, 4);
  return compressions.some((magic) => start.startsWith(magic));
}

/**
 * How deep the text nests and how many fields and items it has, each counted until it is past its limit. Looks at
 * the bytes before anything is built from them. What is inside strings does not count.
 */
export function shapeOf(
  bytes: Uint8Array,
  maxDepth: number,
  maxValues: number,
): { depth: number; values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let i = 0; i < bytes.length && deepest <= maxDepth && values <= maxValues; i++) {
    const byte = bytes[i];
    if (byte === quote) {
      i = endOfString(bytes, i + 1);
    } else if (byte === comma) {
      values += 1;
    } else if (byte === openBracket || byte === openBrace) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1;
    }
  }
  return { depth: deepest, values };
}

/** Where the quote is that ends the string which begins here. An image is one of megabytes: the search is native. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let escapes = end;
    while (escapes > start && bytes[escapes - 1] === backslash) escapes -= 1;
    // A backslash that is itself escaped does not escape the quote.
    if ((end - escapes) % 2 === 0) return end;
  }
  return bytes.length;
}
