/**
 * The thread that compiles schemas, one at a time, under a time limit. A thread that takes longer is terminated, which
 * frees all that it holds.
 */
import { programFile } from "../../adapters/program-files.js";
import { TaskLost, WorkerThread } from "../../adapters/worker-thread.js";
import type { Compiled } from "./grammar-worker.js";

export interface GrammarThreadOptions {
  /** For one schema. Ordinary ones take a few milliseconds. */
  compileMs: number;
  startMs: number;
  /** Where the thread begins. Passed in for tests. */
  workerFile?: URL;
}

/** `exhausted`: it took too long, or more memory than the thread has. */
export type ThreadOutcome = Compiled | { type: "exhausted" };

/** More than any schema within the bounds takes. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

export class GrammarThread {
  readonly #thread: WorkerThread<string, Compiled>;

  constructor({ compileMs, startMs, workerFile }: GrammarThreadOptions) {
    const file = workerFile ?? programFile("engines/formats/grammar-worker");
    this.#thread = new WorkerThread({ file, startMs, taskMs: compileMs, resourceLimits });
  }

  /** Never more than one at a time. Rejects when no thread can be started. */
  async compile(schemaText: string): Promise<ThreadOutcome> {
    try {
      return await this.#thread.run(schemaText);
    } catch (error) {
      if (error instanceof TaskLost) return { type: "exhausted" };
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
