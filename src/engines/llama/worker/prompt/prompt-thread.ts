/**
 * The thread that turns conversations into tokens, from here. They are answered in the order in which they are given; the
 * host gives one at a time. A thread that ends, or takes longer than any conversation can, is not replaced: the process
 * is, since native code may be the cause.
 */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { programFile } from "../../../../adapters/program-files.js";
import { newWorker } from "../../../../adapters/worker-thread.js";
import type { Conversation, PrepareResult } from "../../messages.js";
import type { FromPromptWorker, PromptFacts, PromptSetup } from "./prompt-worker.js";

/** For one conversation. The longest take a second. */
const longestMs = 60_000;
const closeMs = 1_000;

interface Asked {
  resolve: (result: PrepareResult) => void;
  timer: NodeJS.Timeout;
}

export class PromptThread {
  readonly #asked: Asked[] = [];
  #isClosing = false;

  private constructor(
    readonly facts: PromptFacts,
    private readonly worker: Worker,
    private readonly onBroken: () => void,
  ) {
    worker.on("message", (message: FromPromptWorker) => {
      if (message.type === "built") this.#answered(message.result);
    });
    worker.on("exit", () => {
      if (!this.#isClosing) onBroken();
    });
  }

  /** Rejects when the vocabulary or the template cannot be read. */
  static async start(setup: PromptSetup, onBroken: () => void): Promise<PromptThread> {
    const options = { workerData: setup, stdout: true, stderr: true };
    const worker = newWorker(programFile("engines/llama/worker/prompt/prompt-worker"), options);
    const facts = await new Promise<PromptFacts>((resolve, reject) => {
      worker.once("message", (message: FromPromptWorker) => {
        if (message.type === "ready") resolve(message.facts);
        else reject(new Error(message.type === "failed" ? message.reason : "unexpected message"));
      });
      worker.once("error", reject);
      worker.once("exit", () => {
        reject(new Error("The thread that reads prompts ended."));
      });
    });
    // `exit` follows, and is what counts.
    worker.on("error", () => undefined);
    return new PromptThread(facts, worker, onBroken);
  }

  build(conversation: Conversation): Promise<PrepareResult> {
    return new Promise((resolve) => {
      this.#asked.push({ resolve, timer: setTimeout(this.onBroken, longestMs) });
      this.worker.postMessage(conversation);
    });
  }

  /** Resolves when the thread has ended, or is busy for longer than is worth waiting for. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { timer } of this.#asked) clearTimeout(timer);
    // Not `terminate`: in the middle of native code that aborts the whole process.
    const ended = once(this.worker, "exit");
    this.worker.postMessage(null);
    await Promise.race([ended, sleep(closeMs, undefined, { ref: false })]);
  }

  #answered(result: PrepareResult): void {
    const first = this.#asked.shift();
    clearTimeout(first?.timer);
    first?.resolve(result);
  }
}
