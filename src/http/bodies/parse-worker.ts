/** A thread that parses large request bodies, one after the other. It keeps nothing, and prints nothing. */
import { parentPort } from "node:worker_threads";
import { parseChatRequest } from "../../protocol/chat-completions/request.js";
import { ServiceError, type ErrorCode } from "../../protocol/errors.js";
import type { ChatRequest } from "../../protocol/chat.js";
import { parseJson } from "./json.js";

export type ParseResult =
  | { type: "parsed"; request: ChatRequest }
  | { type: "refused"; code: ErrorCode; message: string; param: string | null }
  /** A bug. What was thrown may quote the body, and stays here. */
  | { type: "failed" };

function parse(bytes: Uint8Array): ParseResult {
  try {
    return { type: "parsed", request: parseChatRequest(parseJson(asBuffer(bytes))) };
  } catch (error) {
    if (!(error instanceof ServiceError)) return { type: "failed" };
    const { code, message, param } = error;
    return { type: "refused", code, message, param };
  }
}

parentPort?.on("message", (bytes: Uint8Array) => {
  parentPort?.postMessage(parse(bytes));
});

/** The same memory. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
