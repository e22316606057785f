/** The messages between a server and its database threads. */
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

/** An error that can be posted. SQLite's messages name tables and columns, never values. */
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
  lastInsertRowid: number | bigint | null;
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
