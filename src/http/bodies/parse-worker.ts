/** A thread that parses large request bodies, one after the other. It keeps nothing, and prints nothing. */
import { performTasks } from "../../adapters/worker-tasks.js";
import { type ErrorCode, ServiceError } from "../../core/errors.js";
import { parseJson } from "./json.js";
import type { ParsedRequest } from "../../protocol/dialect.js";
import { type DialectName, dialects } from "../../protocol/dialects.js";

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
  } finally {
    bytes.fill(0);
  }
}

performTasks(parse);

/** The same memory. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
