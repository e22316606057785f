/**
 * Reads server-sent events as they arrive, however the network cuts them.
 *
 * Lines end with LF, CRLF or CR; comments and unknown fields are skipped; several `data` lines of one event are
 * joined by line breaks; a character that is split over two chunks is put together. What is kept between two
 * chunks is one unfinished line and the data of one unfinished event, each at most `maxLineChars`: an engine that
 * sends more is broken, and reading on would only fill the memory.
 *
 * Two habits of engines differ from the standard. llama-server up to late 2025 reports a failure in a field of
 * its own, `error:`; and some end the stream without the blank line that closes the last event, so the end of the
 * stream closes it.
 */
import { StringDecoder } from "node:string_decoder";

export interface SseEvent {
  data: string;
  /** The event says itself that it is a failure, by its name or by llama-server's field. */
  isError: boolean;
}

/** What reading and keeping an event takes besides its data: empty ones fill time and memory too. */
const charsAroundEvent = 64;

export const weightOf = ({ data }: SseEvent): number => data.length + charsAroundEvent;

export const maxLineChars = 1024 * 1024;

/** Thrown when the stream cannot be what an engine sends. Carries nothing of it. */
export class SseError extends Error {
  constructor() {
    super("A line or an event of the stream is too long.");
    this.name = "SseError";
  }
}

export class SseReader {
  readonly #decoder = new StringDecoder("utf8");
  /** The unfinished line. */
  #rest = "";
  /** Data of the unfinished event; null when it has none yet. */
  #data: string | null = null;
  #isError = false;
  #begun = false;
  /** The last character was CR: an LF right after it belongs to the same line end. */
  #afterCr = false;

  push(chunk: Buffer): SseEvent[] {
    return this.#read(this.#decoder.write(chunk));
  }

  /** The stream is over: what is unfinished is closed. */
  end(): SseEvent[] {
    return this.#read(`${this.#decoder.end()}\n\n`);
  }

  #read(chunk: string): SseEvent[] {
    let text = chunk;
    if (!this.#begun && text !== "") {
      this.#begun = true;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (this.#afterCr || text.includes("\r")) text = this.#withLineFeeds(text);

    const events: SseEvent[] = [];
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      const line = this.#rest === "" ? text.slice(from, at) : this.#rest + text.slice(from, at);
      this.#rest = "";
      from = at + 1;
      if (line === "") this.#close(events);
      else this.#take(line);
    }
    if (from < text.length) this.#rest += from === 0 ? text : text.slice(from);
    if (this.#rest.length > maxLineChars) throw new SseError();
    return events;
  }

  #withLineFeeds(text: string): string {
    const body = this.#afterCr && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") this.#afterCr = text.endsWith("\r");
    return body.replace(/\r\n?/g, "\n");
  }

  #take(line: string): void {
    if (line.length > maxLineChars) throw new SseError();
    if (line.startsWith("data:")) this.#addData(valueAfter(line, 5));
    else if (line.startsWith("error:")) {
      this.#isError = true;
      this.#addData(valueAfter(line, 6));
    } else if (line.startsWith("event:")) this.#isError ||= valueAfter(line, 6) === "error";
    else if (line === "data") this.#addData("");
  }

  #addData(value: string): void {
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    if (this.#data.length > maxLineChars) throw new SseError();
  }

  #close(events: SseEvent[]): void {
    if (this.#data !== null) events.push({ data: this.#data, isError: this.#isError });
    this.#data = null;
    this.#isError = false;
  }
}

/** One space after the colon is not part of the value. */
const valueAfter = (line: string, colon: number): string =>
  line.slice(line.charCodeAt(colon) === 0x20 ? colon + 1 : colon);
