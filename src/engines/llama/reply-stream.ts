/**
 * The host's end of one reply: what the child reports goes in as it comes, the consumer takes it out in its own
 * time. Text that waits is joined; a reply is limited in length, so it needs no other limit.
 */
import type { GenerationEvent } from "../../core/ports.js";

type Done = Extract<GenerationEvent, { type: "done" }>;

export class ReplyStream {
  #text = "";
  #end: { done: Done } | { error: Error } | undefined;
  #wake: () => void = () => undefined;

  push(text: string): void {
    this.#text += text;
    this.#wake();
  }

  finish(done: Done): void {
    this.#end ??= { done };
    this.#wake();
  }

  fail(error: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<GenerationEvent, void, undefined> {
    const onAbort = () => {
      this.#wake();
    };
    signal.addEventListener("abort", onAbort);
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.#text !== "") {
          const text = this.#text;
          this.#text = "";
          yield { type: "text", text };
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        } else if ("done" in this.#end) {
          yield this.#end.done;
          return;
        } else {
          throw this.#end.error;
        }
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}
