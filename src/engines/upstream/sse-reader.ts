/**
 * Server-sent events from the bytes of an engine's response, parsed by `eventsource-parser`. Added here: a cap on what
 * is buffered, and two habits of engines that differ from the standard. llama-server up to late 2025 reports a failure
 * in a field of its own, `error:`; and some end the stream without the blank line that closes the last event, so the
 * end of the stream closes it.
 */
import { createParser } from "eventsource-parser";
import { unavailable } from "./failures.js";

export interface SseEvent {
  data: string;
  /** The event is marked as a failure, by its name or by llama-server's field. */
  isError: boolean;
}

/** Overhead of reading and keeping an event besides its data: empty ones take time and memory too. */
const eventOverheadChars = 64;

export const weightOf = ({ data }: SseEvent): number => data.length + eventOverheadChars;

/** Of an unfinished line and an unfinished event. An engine that sends more is broken: `EVENT_TOO_LONG`. */
export const maxEventChars = 1024 * 1024;

const tooLong = () => unavailable("EVENT_TOO_LONG");

export class SseReader {
  readonly #decoder = new TextDecoder();
  #events: SseEvent[] = [];
  readonly #parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: ({ event: name, data }) => {
      const event = { data, isError: name === "error" };
      // The parser checks its buffer between two chunks; an event within one chunk never was in the buffer.
      if (weightOf(event) > maxEventChars) throw tooLong();
      this.#events.push(event);
    },
    onError: ({ type, field, value = "" }) => {
      if (type === "max-buffer-size-exceeded") throw tooLong();
      if (field === "error") this.#events.push({ data: value, isError: true });
    },
  });

  push(chunk: Buffer): SseEvent[] {
    return this.#feed(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The stream is over: what is unfinished is closed. */
  end(): SseEvent[] {
    return this.#feed(`${this.#decoder.decode()}\n\n`);
  }

  #feed(text: string): SseEvent[] {
    this.#parser.feed(text);
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
