/** Errors between threads: structured cloning would lose their class and code. */
import Database from "libsql";
import type { PlainError } from "./messages.js";

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error))
    return { name: "Error", message: "unknown error", code: null, rawCode: null };
  const { name, message } = error;
  const code = "code" in error && typeof error.code === "string" && error.code !== "" ? error.code : null;
  const rawCode = "rawCode" in error && typeof error.rawCode === "number" ? error.rawCode : null;
  return { name, message, code, rawCode };
}

export function fromPlainError({ name, message, code, rawCode }: PlainError): Error {
  if (name === "SqliteError" && code !== null) {
    return new Database.SqliteError(message, code, rawCode ?? undefined);
  }
  const error = name === "TypeError" ? new TypeError(message) : new Error(message);
  return code === null ? error : Object.assign(error, { code });
}
