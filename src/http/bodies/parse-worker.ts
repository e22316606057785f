/** A thread that parses large request bodies, one after the other. It keeps nothing, and prints nothing. */
import { parentPort } from "node:worker_threads";
import { ServiceError, type ErrorCode } from "../../core/errors.js";
import type { ParsedRequest } from "../../protocol/dialect.js";
import { dialects, type DialectName } from "../../protocol/dialects.js";
import { parseJson } from "./json.js";

export interface ParseTask {
  dialect: DialectName;
  bytes: Uint8Array;
}

export type ParseResult =
  | { type: "parsed"; request: ParsedRequest }
  | { type: "refused"; code: ErrorCode; message: string; param: string | null }
  /** A bug. What was thrown may quote the body, and stays here. */
  | { type: "failed" };

function parse({ dialect, bytes }: ParseTask): ParseResult {
  try {
    return { type: "parsed", request: dialects[dialect].read(parseJson(asBuffer(bytes))) };
  } catch (error) {
    if (!(error instanceof ServiceError)) return { type: "failed" };
    const { code, message, param } = error;
    return { type: "refused", code, message, param };
  }
}

parentPort?.on("message", (task: ParseTask) => {
  parentPort?.postMessage(parse(task));
});

/** The same memory. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
