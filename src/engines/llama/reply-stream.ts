/**
 * The host's end of one reply: what the child reports goes in as it comes, the consumer takes it out in its own
 * time. Text that waits is joined; a reply is limited in length, so it needs no other limit.
 */
import type { GenerationEvent } from "../../core/ports.js";

export class ReplyStream {
  #text = "";
  #end: { ending: readonly GenerationEvent[] } | { error: Error } | undefined;
  #wake: () => void = () => undefined;

  push(text: string): void {
    this.#text += text;
    this.#wake();
  }

  /** `ending` is all that follows the text. */
  finish(ending: readonly GenerationEvent[]): void {
    this.#end ??= { ending };
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
          yield { type: "text", choice: 0, text };
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        } else if ("ending" in this.#end) {
          yield* this.#end.ending;
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
