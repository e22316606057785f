/**
 * The host's end of one generation: what the child reports goes in as it comes, the consumer takes it out in
 * its own time. The child is not held up, since it computes all sequences together; so what waits here is bounded,
 * and a consumer that falls that far behind loses its reply with `ReaderTooSlow`.
 *
 * The bound is memory, measured as what the events take up. A token with its twenty alternatives takes hundreds of
 * times as much as its text, so the bound is large enough for two thousand of them: more than a client is behind
 * that reads at all. At most as many of these streams exist as the engine has sequences.
 *
 * Text that waits is joined, up to a size that any client reads as one event.
 */
import type { GenerationEvent } from "../../../core/serving/engine-port.js";

const mostWaitingBytes = 8 * 1024 * 1024;
const mostJoinedBytes = 64 * 1024;

/** What objects take up, roughly: an event itself, and a token with its bytes and its number. */
const bytesOfEvent = 128;
const bytesOfLogprob = 192;
const bytesOfChar = 2;

interface Waiting {
  event: GenerationEvent;
  bytes: number;
}

export class ReplyStream {
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #end: { error: Error | null } | undefined;
  #wake: () => void = () => undefined;

  /** False when more waits than may. */
  push(event: GenerationEvent): boolean {
    const bytes = bytesOf(event);
    const last = this.#waiting.at(-1);
    const whole =
      last !== undefined && last.bytes + bytes <= mostJoinedBytes ? joined(last.event, event) : null;
    if (last !== undefined && whole !== null) {
      last.event = whole;
      last.bytes += bytes;
      this.#waitingBytes += bytes;
    } else {
      this.#waiting.push({ event, bytes: bytes + bytesOfEvent });
      this.#waitingBytes += bytes + bytesOfEvent;
    }
    this.#wake();
    return this.#waitingBytes <= mostWaitingBytes;
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

  /** The next one, once it has come; null when all were read. */
  async next(): Promise<GenerationEvent | null> {
    while (this.#waiting.length === 0 && this.#end === undefined)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#waitingBytes -= next.bytes;
      return next.event;
    }
    const error = this.#end?.error ?? null;
    if (error !== null) throw error;
    return null;
  }
}

function bytesOf(event: GenerationEvent): number {
  if (event.type === "call") return event.name.length * bytesOfChar;
  if (!("text" in event)) return 0;
  const logprobs = event.type === "text" ? event.logprobs : undefined;
  const tokens = (logprobs ?? []).reduce((sum, { top }) => sum + 1 + top.length, 0);
  return event.text.length * bytesOfChar + tokens * bytesOfLogprob;
}

/** Both as one event; null when they are not text of the same kind and choice. */
function joined(first: GenerationEvent, second: GenerationEvent): GenerationEvent | null {
  if (!("text" in first) || !("text" in second) || first.choice !== second.choice) return null;
  if (first.type !== second.type) return null;
  if (first.type !== "text" || second.type !== "text") return { ...first, text: first.text + second.text };
  const { choice } = first;
  const text = first.text + second.text;
  // Text that is held back for a stop sequence comes without the tokens that were named before it.
  const logprobs = [...(first.logprobs ?? []), ...(second.logprobs ?? [])];
  return { type: "text", choice, text, ...(logprobs.length === 0 ? {} : { logprobs }) };
}
