/**
 * Threads of this program. A thread starts without the loaders of its process, so where the program runs from its
 * sources, the file is compiled first, with the bundler that builds the program.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker, type ResourceLimits, type Transferable, type WorkerOptions } from "node:worker_threads";
import type * as Esbuild from "esbuild";
import { withTimeLimit } from "../core/time-limit.js";
import type { FromThread } from "./worker-tasks.js";

export function newWorker(file: URL, options: WorkerOptions = {}): Worker {
  // It has no use for the environment, which holds secrets, nor for the flags of this process.
  const settings = { env: {}, execArgv: [], ...options };
  if (!file.pathname.endsWith(".ts")) return new Worker(file, settings);
  return new Worker(compiled(fileURLToPath(file)), { ...settings, eval: true });
}

export interface WorkerThreadOptions {
  file: URL;
  workerData?: unknown;
  resourceLimits?: ResourceLimits;
  /** For the thread to be ready, which takes long on a busy machine. */
  startMs: number;
  taskMs: number;
  /** Terminating a thread inside native code aborts the whole process: this one is only asked to end. */
  runsNativeCode?: boolean;
}

/** The thread ended or was ended, and the task with it. */
export class TaskLost extends Error {
  constructor(readonly reason: "timed_out" | "thread_ended") {
    super(`A thread lost its task: ${reason}.`);
  }
}

interface Running<Result, Facts> {
  worker: Worker;
  ready: Promise<Facts>;
  exited: Promise<void>;
  task: { resolve: (result: Result) => void; reject: (error: Error) => void } | undefined;
}

const closeMs = 1_000;

/**
 * One thread that performs one task at a time (worker-tasks.ts). It is started by the first task, stays, and does not
 * keep the program running. A thread that ends or exceeds its time limit loses its task; the next task starts another.
 */
export class WorkerThread<Task, Result, Facts = undefined> {
  #running: Running<Result, Facts> | undefined;

  constructor(private readonly options: WorkerThreadOptions) {}

  /** Resolves to what the thread reports when it is ready. */
  async start(): Promise<Facts> {
    const { ready } = (this.#running ??= this.#launch());
    try {
      return await withTimeLimit(ready, this.options.startMs);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Rejects with `TaskLost`, or with another error when no thread can be started. */
  async run(task: Task, transfer: readonly Transferable[] = []): Promise<Result> {
    await this.start();
    const running = this.#running;
    if (running === undefined) throw new TaskLost("thread_ended");
    if (running.task !== undefined) throw new Error("The thread already has a task.");
    const result = new Promise<Result>((resolve, reject) => {
      running.task = { resolve, reject };
      running.worker.postMessage(task, transfer);
    });
    try {
      return await withTimeLimit(result, this.options.taskMs, () => new TaskLost("timed_out"));
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      running.task = undefined;
    }
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    if (this.options.runsNativeCode !== true) {
      await running.worker.terminate();
      return;
    }
    running.worker.postMessage(null);
    await withTimeLimit(running.exited, closeMs).catch(() => undefined);
  }

  #launch(): Running<Result, Facts> {
    const { file, workerData, resourceLimits = {} } = this.options;
    const worker = newWorker(file, { workerData, resourceLimits, stdout: true, stderr: true });
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    const ready = new Promise<Facts>((resolve, reject) => {
      worker.on("message", (message: FromThread<Facts, Result>) => {
        if (message.type === "ready") resolve(message.facts);
        else if (message.type === "failed") reject(new Error(message.reason));
        else running.task?.resolve(message.result);
      });
      // `exit` follows. The error may quote a task.
      worker.on("error", () => undefined);
      worker.once("exit", () => {
        if (this.#running === running) this.#running = undefined;
        reject(new Error("The thread ended before it was ready."));
        running.task?.reject(new TaskLost("thread_ended"));
      });
    });
    // It may end while nobody waits for it.
    ready.catch(() => undefined);
    const running: Running<Result, Facts> = { worker, ready, exited, task: undefined };
    // A task's time limit keeps the program running meanwhile. Last: listening undoes it.
    worker.unref();
    return running;
  }
}

/** By the path of the source. Many are started from the same one, in tests above all. */
const programs = new Map<string, string>();

function compiled(path: string): string {
  const known = programs.get(path);
  if (known !== undefined) return known;
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof Esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [path],
    bundle: true,
    write: false,
    platform: "node",
    packages: "external",
    format: "cjs",
  });
  const program = outputFiles.map(({ text }) => text).join("");
  programs.set(path, program);
  return program;
}
