/**
 * What a child prints on its standard error while it loads: that a native library is missing, or the message of an
 * abort. No request has reached the child by then, so nothing of a conversation can be in it.
 *
 * Once the model has loaded, nothing is read any more. The child points its standard error at the null device before
 * it says so (`worker/worker.ts`), and this end of the pipe is closed.
 */
import { once } from "node:events";
import type { Readable } from "node:stream";
import { lastLine, informativeLine } from "../gpu/failures.js";

const keptChars = 16 * 1024;
/** A process that the child started may hold the pipe open after the child has exited. */
const longestWaitMs = 500;

export class StartupOutput {
  #stream: Readable | null;
  #text = "";

  constructor(stream: Readable | null) {
    this.#stream = stream;
    stream?.setEncoding("utf8").on("data", (text: string) => {
      this.#text = (this.#text + text).slice(-keptChars);
    });
    stream?.on("error", () => undefined);
  }

  get isClosed(): boolean {
    return this.#stream === null;
  }

  /** The line that explains a failure; null when nothing was printed. */
  get explanation(): string | null {
    return informativeLine(this.#text) ?? lastLine(this.#text);
  }

  /** Resolves when everything that was printed has been read, or after a short wait. */
  async untilRead(): Promise<void> {
    const stream = this.#stream;
    if (stream === null || stream.readableEnded || stream.destroyed) return;
    await once(stream, "close", { signal: AbortSignal.timeout(longestWaitMs) }).catch(() => undefined);
  }

  /** Reads nothing more and drops what was kept. */
  close(): void {
    this.#stream?.destroy();
    this.#stream = null;
    this.#text = "";
  }
}
