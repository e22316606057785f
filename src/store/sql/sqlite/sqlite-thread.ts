/**
 * A database thread, from the server's side. Statements are posted as they come and answered in order; the thread
 * takes them in groups. What may go wrong, and what the caller gets then:
 *
 * - The thread has more statements to answer than it may queue: EAGAIN, and the statement is not sent.
 * - No answer within the time limit: ETIMEDOUT. A statement that had not begun by then never will; one that is running
 *   goes on, since native code cannot be interrupted from here (see native-gate.ts).
 * - The thread ends: ECONNRESET for all that wait. The next statement starts another, at most one each second.
 */
import type { Worker } from "node:worker_threads";
import { withTimeLimit } from "../../../core/time-limit.js";
import { programFile } from "../../../adapters/program-files.js";
import { newWorker } from "../../../adapters/worker-thread.js";
import {
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
import { fromPlainError } from "./plain-error.js";

export interface ThreadLimits {
  /** Most statements that the thread has not answered, whether or not somebody still waits for them. */
  queued: number;
  /** For one answer, the wait in the queue included. */
  answerMs: number;
  /** Between two starts of a thread that ended. */
  restartMs: number;
  /** A thread that has had no answer for this long counts as busy. */
  busyMs: number;
}

export interface SqliteThreadOptions extends ThreadLimits {
  path: string;
  readOnly: boolean;
  /** Where the thread begins. Passed in for tests. */
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

  /** Another number once the thread has ended: the next one knows nothing of its transactions. */
  get generation(): number {
    return this.#generation;
  }

  /** Sends it before it returns. `isAdmitted`: part of a transaction, which must not fail half-way by a full queue. */
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

  /** Sends what nobody waits for, and what is done however late: the end of a transaction that was given up. */
  tell(statement: Statement): void {
    this.#send({ ...statement, id: 0, beginsBeforeMs: null });
  }

  /** Before the first statement, to save it the wait. False when it is too early after the end of the last one. */
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
    // A thread that is stuck is left to itself: it does not keep the program running.
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
      if (message.type === "answers") for (const { id, outcome } of message.answers) this.#settle(id, outcome);
    });
    // `exit` follows. What it died of may quote a row.
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
    // Whoever waits for an answer has a timer that keeps the program running meanwhile. Last: listening undoes it.
    worker.unref();
    return { worker, exited };
  }

  #settle(id: number, outcome: Outcome): void {
    this.#unanswered -= 1;
    const waiting = this.#waiting.get(id);
    switch (outcome.type) {
      case "done":
        waiting?.resolve(outcome.result);
        return;
      case "failed":
        waiting?.reject(fromPlainError(outcome.error));
        return;
      case "expired":
        waiting?.reject(tooSlow());
    }
  }
}

const ended = (): Error => unavailable("ECONNRESET", "The database thread ended.");
const tooSlow = (): Error => unavailable("ETIMEDOUT", "The database took too long.");

/** For the operator, too: the system's codes are what the log shows as the cause. */
export const queueFull = (): Error => unavailable("EAGAIN", "Too many statements wait for the database.");
export const unavailable = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });
