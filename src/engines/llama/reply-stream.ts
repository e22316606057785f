/**
 * The host's end of one generation: what the child reports goes in as it comes, the consumer takes it out in
 * its own time. Text that waits is joined; replies are limited in length, so it needs no other limit.
 */
import type { GenerationEvent } from "../../core/ports.js";

export class ReplyStream {
  #events: GenerationEvent[] = [];
  #end: { error: Error | null } | undefined;
  #wake: () => void = () => undefined;

  push(event: GenerationEvent): void {
    const last = this.#events.at(-1);
    if (last?.type === "text" && event.type === "text" && last.choice === event.choice) {
      this.#events[this.#events.length - 1] = joined(last, event);
    } else {
      this.#events.push(event);
    }
    this.#wake();
  }

  /** Nothing follows what was pushed. */
  finish(): void {
    this.#end ??= { error: null };
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
        const event = this.#events.shift();
        if (event !== undefined) {
          yield event;
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        } else if (this.#end.error === null) {
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

type TextEvent = Extract<GenerationEvent, { type: "text" }>;

function joined(first: TextEvent, second: TextEvent): TextEvent {
  const text = first.text + second.text;
  const { choice } = first;
  if (first.logprobs === undefined || second.logprobs === undefined) return { type: "text", choice, text };
  return { type: "text", choice, text, logprobs: [...first.logprobs, ...second.logprobs] };
}
