/**
 * From bytes to a JSON value. What JSON.parse says about a fault is never passed on: it quotes its input.
 */
import { isUtf8 } from "node:buffer";
import { ServiceError } from "../protocol/errors.js";

const maxDepth = 64;
const [quote, backslash] = [0x22, 0x5c];
const [openBracket, openBrace, closeBracket, closeBrace] = [0x5b, 0x7b, 0x5d, 0x7d];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) {
    throw new ServiceError("invalid_json", { message: "The request body is empty. Send one JSON object." });
  }
  if (!isUtf8(bytes)) throw new ServiceError("invalid_json");
  if (isDeeperThan(maxDepth, bytes)) {
    throw new ServiceError("invalid_json", {
      message: `The request body is nested too deeply: at most ${maxDepth} levels of objects and arrays.`,
    });
  }
  const start = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  try {
    return JSON.parse(bytes.toString("utf8", start));
  } catch {
    throw new ServiceError("invalid_json");
  }
}

/** Looks at the bytes before anything is built from them. Brackets inside strings do not count. */
export function isDeeperThan(limit: number, bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      // What a backslash escapes cannot end the string.
      if (byte === backslash) i += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) {
      inString = true;
    } else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1;
    }
  }
  return false;
}
