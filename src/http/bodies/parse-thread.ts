/**
 * Parses large bodies in a thread of its own, one at a time: 4 MB of JSON take from 20 to some hundred milliseconds,
 * which would block the event loop. Only the parsed request comes back; unknown fields are dropped in the thread, so that
 * little has to be copied.
 */
import { programFile } from "../../adapters/program-files.js";
import { TaskLost, WorkerThread } from "../../adapters/worker-thread.js";
import { ServiceError } from "../../core/errors.js";
import type { ParseResult, ParseTask } from "./parse-worker.js";
import type { ParsedRequest } from "../../protocol/dialect.js";
import type { DialectName } from "../../protocol/dialects.js";

/** Far more than any body takes. */
const limitMs = 30_000;

export class ParseThread {
  readonly #thread: WorkerThread<ParseTask, ParseResult>;

  constructor(file = programFile("http/bodies/parse-worker")) {
    this.#thread = new WorkerThread({ file, startMs: limitMs, taskMs: limitMs });
  }

  /** The bytes are moved to the thread, and gone afterwards. */
  async parse(dialect: DialectName, bytes: Uint8Array<ArrayBuffer>): Promise<ParsedRequest> {
    const result = await this.#thread.run({ dialect, bytes }, [bytes.buffer]).catch((error: unknown) => {
      const isLate = error instanceof TaskLost && error.reason === "timed_out";
      throw isLate ? new ServiceError("overloaded") : error;
    });
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

  close(): Promise<void> {
    return this.#thread.close();
  }
}
