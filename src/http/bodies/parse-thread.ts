/**
 * Parses large bodies in a thread of its own: 4 MB of JSON take from 20 to some hundred milliseconds, which would
 * block the event loop. Only the parsed request comes back; unknown fields are dropped in the thread, so that little
 * has to be copied.
 *
 * One body at a time. The thread is started by the first and stays. If it ends or takes too long, that request
 * fails and the next one gets a new thread.
 */
import type { Worker } from "node:worker_threads";
import { programFile } from "../../adapters/program-files.js";
import { newWorker } from "../../adapters/worker-thread.js";
import type { ParsedRequest } from "../../protocol/dialect.js";
import type { DialectName } from "../../protocol/dialects.js";
import { ServiceError } from "../../core/errors.js";
import type { ParseResult, ParseTask } from "./parse-worker.js";

/** Far more than any body takes. */
const limitMs = 30_000;

export class ParseThread {
  #worker: Worker | null = null;

  constructor(private readonly workerFile = programFile("http/bodies/parse-worker")) {}

  /** The bytes are moved to the thread, and gone afterwards. */
  async parse(dialect: DialectName, bytes: Uint8Array<ArrayBuffer>): Promise<ParsedRequest> {
    const result = await this.#ask(dialect, bytes);
    switch (result.type) {
      case "parsed":
        return result.request;
      case "refused": {
        const { code, message, param } = result;
        throw new ServiceError(code, { message, ...(param === null ? {} : { param }) });
      }
      case "failed":
        throw new Error("A body could not be parsed.");
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #ask(dialect: DialectName, bytes: Uint8Array<ArrayBuffer>): Promise<ParseResult> {
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        worker.off("message", onMessage).off("exit", onExit);
      };
      const onMessage = (result: ParseResult) => {
        settle();
        resolve(result);
      };
      const onExit = () => {
        settle();
        reject(new Error("The thread that parses bodies ended."));
      };
      const timer = setTimeout(() => {
        settle();
        reject(new ServiceError("overloaded"));
        void this.close();
      }, limitMs);
      worker.on("message", onMessage).on("exit", onExit);
      worker.postMessage({ dialect, bytes } satisfies ParseTask, [bytes.buffer]);
    });
  }

  #start(): Worker {
    const worker = newWorker(this.workerFile);
    worker.unref();
    // `exit` follows. What it died of may quote a body.
    worker.on("error", () => undefined);
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}
