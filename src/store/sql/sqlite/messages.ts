/** The messages between a server and its database threads. */
import Database from "libsql";
import type { Gate } from "./native-gate.js";

/** What a thread is started with. */
export interface ThreadSetup {
  path: string;
  readOnly: boolean;
  gate: Gate;
}

export type Parameter = string | number | bigint | null | undefined | Uint8Array;

export interface Statement {
  sql: string;
  parameters: readonly Parameter[];
  /** May share a commit with others: a single statement that writes, outside a transaction. */
  isGroupable: boolean;
}

export interface Task extends Statement {
  id: number;
  /** By `monotonicMs`: the caller has given up by then, so it is not begun later. Null: never expires. */
  beginsBeforeMs: number | null;
}

export type ToThread = Task | "close";

/** An error that can be posted: structured cloning would lose its class and code. SQLite's messages name tables and columns, never values. */
export interface PlainError {
  name: string;
  message: string;
  code: string | null;
  rawCode: number | null;
}

export interface Result {
  rows: unknown[];
  /** Null for statements that return rows. */
  changes: number | null;
}

export type Outcome =
  | { type: "done"; result: Result }
  | { type: "failed"; error: PlainError }
  /** It was never begun. */
  | { type: "expired" };

export interface Answer {
  id: number;
  outcome: Outcome;
}

export type FromThread =
  | { type: "opened" }
  /** The thread ends after it. */
  | { type: "unopened"; error: PlainError }
  /** To all statements of a group. */
  | { type: "answers"; answers: Answer[] };

/** The same clock in all threads of a process, unlike `performance.now()`. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

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
