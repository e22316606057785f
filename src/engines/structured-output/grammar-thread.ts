/**
 * The thread that compiles schemas, from here: one schema at a time, under a time limit. A thread that takes longer
 * is ended, which frees all that it holds, and the next schema gets a new one. It is started when it is first
 * needed, and does not keep the program running.
 */
import type { Worker } from "node:worker_threads";
import { withTimeLimit } from "../../core/time-limit.js";
import { programFile } from "../../adapters/program-files.js";
import { newWorker } from "../../adapters/worker-thread.js";
import type { Compiled, FromGrammarWorker } from "./grammar-worker.js";

export interface GrammarThreadOptions {
  /** For one schema. Ordinary ones take a few milliseconds. */
  compileMs: number;
  /** For the thread to be there, which takes long on a busy machine. */
  startMs: number;
  /** Where the thread begins. Passed in for tests. */
  workerFile?: URL;
}

/** `exhausted`: it took too long, or more memory than the thread has. */
export type ThreadOutcome = Compiled | { type: "exhausted" };

interface Running {
  worker: Worker;
  ready: Promise<void>;
  /** For what comes of the next schema. */
  listen: (listener: (outcome: ThreadOutcome) => void) => void;
}

export class GrammarThread {
  #running: Running | undefined;

  constructor(private readonly options: GrammarThreadOptions) {}

  /** Never more than one at a time. Rejects when no thread can be had. */
  async compile(schemaText: string): Promise<ThreadOutcome> {
    const running = (this.#running ??= this.#start());
    try {
      await withTimeLimit(running.ready, this.options.startMs);
    } catch (error) {
      await this.close();
      throw error;
    }
    const outcome = new Promise<ThreadOutcome>((resolve) => {
      running.listen(resolve);
    });
    running.worker.postMessage(schemaText);
    try {
      return await withTimeLimit(outcome, this.options.compileMs);
    } catch {
      await this.close();
      return { type: "exhausted" };
    }
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.worker.terminate();
  }

  #start(): Running {
    const file = this.options.workerFile ?? programFile("engines/structured-output/grammar-worker");
    const worker = newWorker(file, { resourceLimits, stdout: true, stderr: true });
    let listener: (outcome: ThreadOutcome) => void = () => undefined;
    const ready = new Promise<void>((resolve, reject) => {
      const lost = () => {
        if (this.#running?.worker === worker) this.#running = undefined;
        reject(new Error("The thread that compiles schemas ended."));
        listener({ type: "exhausted" });
      };
      worker.on("message", (message: FromGrammarWorker) => {
        if (message.type === "ready") resolve();
        else listener(message);
      });
      // Out of memory is one; `exit` follows.
      worker.on("error", lost);
      worker.on("exit", lost);
    });
    // Nobody may be waiting for it when it ends.
    ready.catch(() => undefined);
    worker.unref();
    return { worker, ready, listen: (next) => (listener = next) };
  }
}

/** More than any schema within the bounds takes. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
