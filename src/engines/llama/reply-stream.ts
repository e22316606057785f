/**
 * The host's end of one generation: what the child reports goes in as it comes, the consumer takes it out in
 * its own time. Text that waits is joined. What waits is bounded: a consumer that falls so far behind is one that
 * does not read, and its generation is given up.
 */
import type { GenerationEvent } from "../../core/ports.js";

/** Characters of text, and as many for each token whose probability was asked for. */
const mostWaiting = 128 * 1024;
const charsOfLogprob = 64;

export class ReplyStream {
  #events: GenerationEvent[] = [];
  #waitingChars = 0;
  #end: { error: Error | null } | undefined;
  #wake: () => void = () => undefined;

  /** False when more waits than may. */
  push(event: GenerationEvent): boolean {
    this.#waitingChars += charsOf(event);
    const last = this.#events.at(-1);
    if (last?.type === "text" && event.type === "text" && last.choice === event.choice) {
      this.#events[this.#events.length - 1] = joined(last, event);
    } else {
      this.#events.push(event);
    }
    this.#wake();
    return this.#waitingChars <= mostWaiting;
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
          this.#waitingChars -= charsOf(event);
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

function charsOf(event: GenerationEvent): number {
  if (event.type !== "text") return 0;
  const tokens = (event.logprobs ?? []).reduce((sum, { top }) => sum + 1 + top.length, 0);
  return event.text.length + tokens * charsOfLogprob;
}

type TextEvent = Extract<GenerationEvent, { type: "text" }>;

function joined(first: TextEvent, second: TextEvent): TextEvent {
  const text = first.text + second.text;
  const { choice } = first;
  if (first.logprobs === undefined || second.logprobs === undefined) return { type: "text", choice, text };
  return { type: "text", choice, text, logprobs: [...first.logprobs, ...second.logprobs] };
}
