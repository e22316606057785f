/**
 * A database thread, from the server's side. Statements are posted as they come and answered in order; the thread
 * takes them in groups. Failures:
 *
 * - The queue is full: EAGAIN, and the statement is not sent.
 * - No answer within the time limit: ETIMEDOUT. A statement that has not begun by then never will; one that is running
 *   continues, since native code cannot be interrupted from here (see native-gate.ts).
 * - The thread ends: ECONNRESET for all pending statements. The next one starts another thread, at most one each second.
 */
import type { Worker } from "node:worker_threads";
import { withTimeLimit } from "../../../core/time-limit.js";
import { programFile } from "../../../adapters/program-files.js";
import { newWorker } from "../../../adapters/worker-thread.js";
import {
  fromPlainError,
  monotonicMs,
  type FromThread,
  type Outcome,
  type PlainError,
  type Result,
  type Statement,
  type Task,
  type ThreadSetup,
  type ToThread,
} from "./messages.js";
import { newGate, shutAtExit } from "./native-gate.js";

export interface ThreadLimits {
  /** Maximum number of unanswered statements, including those whose callers have given up. */
  queued: number;
  /** For one answer, including the time in the queue. */
  answerMs: number;
  /** Between two starts of a thread that ended. */
  restartMs: number;
  /** A thread that has statements and has answered none for this long counts as busy. */
  busyMs: number;
}

export interface SqliteThreadOptions extends ThreadLimits {
  path: string;
  readOnly: boolean;
  /** Replaces the worker's file in tests. */
  workerFile?: URL | undefined;
}

interface Waiting {
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
}

interface Running {
  worker: Worker;
  exited: Promise<void>;
}

export class SqliteThread {
  readonly #waiting = new Map<number, Waiting>();
  #running: Running | null = null;
  #unanswered = 0;
  /** When it opened the database, last answered, or got its first statement since: whichever came last. */
  #progressMs = Infinity;
  #generation = 0;
  #nextStartMs = 0;
  #lastId = 0;
  #isClosed = false;

  constructor(private readonly options: SqliteThreadOptions) {}

  /** How many statements it has to answer. */
  get load(): number {
    return this.#unanswered;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** It works on a statement that takes long. Not while it starts: another thread would not start sooner. */
  get isBusy(): boolean {
    return this.#unanswered > 0 && monotonicMs() - this.#progressMs >= this.options.busyMs;
  }

  /** Incremented when the thread ends: the next one does not have its transactions. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Posts synchronously. `isAdmitted`: part of a transaction, which must not fail half-way because the queue is full.
   */
  ask(statement: Statement, { isAdmitted = false } = {}): Promise<Result> {
    if (this.#isClosed) return Promise.reject(unavailable("ECONNRESET", "The database is closed."));
    if (this.#unanswered >= this.options.queued && !isAdmitted) return Promise.reject(queueFull());
    if (!this.start()) return Promise.reject(ended());
    const { answerMs } = this.options;
    const id = ++this.#lastId;
    const answer = new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ ...statement, id, beginsBeforeMs: monotonicMs() + answerMs });
    });
    return withTimeLimit(answer, answerMs, tooSlow).finally(() => this.#waiting.delete(id));
  }

  /** Posts the rollback of an abandoned transaction: nobody waits for the answer, and it never expires. */
  post(statement: Statement): void {
    this.#send({ ...statement, id: 0, beginsBeforeMs: null });
  }

  /** In advance of the first statement. False when the last thread was started less than `restartMs` ago. */
  start(): boolean {
    if (this.#running !== null) return true;
    if (monotonicMs() < this.#nextStartMs) return false;
    this.#nextStartMs = monotonicMs() + this.options.restartMs;
    this.#running = this.#newThread();
    return true;
  }

  /** Answers what is queued, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    if (running === null) return;
    running.worker.postMessage("close" satisfies ToThread);
    // A thread that is stuck does not keep the process running.
    await withTimeLimit(running.exited, this.options.answerMs).catch(() => undefined);
  }

  #send(task: Task): void {
    if (this.#running === null) return;
    this.#running.worker.postMessage(task satisfies ToThread);
    if (this.#unanswered === 0 && this.#progressMs !== Infinity) this.#progressMs = monotonicMs();
    this.#unanswered += 1;
  }

  #newThread(): Running {
    const { path, readOnly, workerFile = programFile("store/sql/sqlite/sqlite-worker") } = this.options;
    const gate = newGate();
    const worker = newWorker(workerFile, { workerData: { path, readOnly, gate } satisfies ThreadSetup });
    const unwatch = shutAtExit(gate);
    let cause: PlainError | null = null;
    worker.on("message", (message: FromThread) => {
      if (message.type === "unopened") cause = message.error;
      else this.#progressMs = monotonicMs();
      if (message.type === "answers")
        for (const { id, outcome } of message.answers) this.#settle(id, outcome);
    });
    // `exit` follows. The error is dropped, since it may quote a row.
    worker.on("error", () => undefined);
    const exited = new Promise<void>((resolve) => {
      worker.once("exit", () => {
        unwatch();
        this.#running = null;
        this.#generation += 1;
        this.#unanswered = 0;
        this.#progressMs = Infinity;
        const error = cause === null ? ended() : fromPlainError(cause);
        for (const { reject } of this.#waiting.values()) reject(error);
        resolve();
      });
    });
    // Pending statements keep the process running by their timers. Last, since adding listeners refs the worker again.
    worker.unref();
    return { worker, exited };
  }

  #settle(id: number, outcome: Outcome): void {
    this.#unanswered -= 1;
    const waiting = this.#waiting.get(id);
    if (outcome.type === "done") waiting?.resolve(outcome.result);
    else waiting?.reject(outcome.type === "failed" ? fromPlainError(outcome.error) : tooSlow());
  }
}

const ended = (): Error => unavailable("ECONNRESET", "The database thread ended.");
const tooSlow = (): Error => unavailable("ETIMEDOUT", "The database took too long.");

/** With the system's codes, which the log shows as the cause. */
export const queueFull = (): Error => unavailable("EAGAIN", "Too many statements wait for the database.");
export const unavailable = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });
