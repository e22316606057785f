/**
 * One request to an engine whose response is a stream of events.
 *
 * It handles undici's callbacks itself rather than through a Node stream: events wait in a short queue, and when
 * the reader is slower than the engine the socket is paused until half of the queue is read, so that at most
 * `pauseAtChars` and one event wait here and the rest in the engine. An engine may close a connection that is
 * not read for long; `wasStalled` says that this may be why it failed.
 *
 * `next()` gives one event, null at the end, or throws an error without the engine's message. Its time limits count
 * only while it waits: a slow reader is not a failure of the engine. `settled` is called once, when the request
 * has ended for whatever reason, also when nobody reads any more.
 */
import type { Dispatcher } from "undici";
import type { Clock } from "../../core/clock.js";
import { causeOf, errorOfResponse, unavailable } from "./failures.js";
import type { UpstreamTimeouts } from "./options.js";
import { SseReader, weightOf, type SseEvent } from "./sse-reader.js";

const pauseAtChars = 256 * 1024;
/** Engines, and proxies before them, have write timeouts at least this long. */
const shortestWriteTimeoutMs = 5_000;
/** Of a response that is not a stream, enough to classify the failure. */
const maxFailureChars = 64 * 1024;
/** For an engine that does not end its response after the last event. */
const lingerMs = 1000;

type Head = { status: number; retryAfter: string | undefined; isStream: boolean };

export class StreamCall implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | null = null;
  #head: Head | null = null;
  readonly #reader = new SseReader();
  readonly #events: SseEvent[] = [];
  #nextEvent = 0;
  #queuedChars = 0;
  #failure = "";
  #ended = false;
  #error: Error | undefined;
  #settled = false;
  #wake: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #hadEvent = false;
  #pausedAtMs: number | undefined;
  #longestPauseMs = 0;

  constructor(
    private readonly limits: Pick<UpstreamTimeouts, "firstTokenMs" | "nextTokenMs">,
    private readonly contextTokens: () => number,
    private readonly settled: () => void,
    private readonly clock: Pick<Clock, "monotonicMs">,
  ) {}

  /** The reader was so slow that the engine's write may have timed out. */
  get wasStalled(): boolean {
    return Math.max(this.#longestPauseMs, this.#pauseMs()) >= shortestWriteTimeoutMs;
  }

  /** An event that has arrived already; undefined when there is none. */
  take(): SseEvent | undefined {
    const event = this.#events[this.#nextEvent];
    if (event === undefined || this.#error !== undefined) return undefined;
    this.#nextEvent += 1;
    this.#queuedChars -= weightOf(event);
    if (this.#nextEvent === this.#events.length) {
      this.#events.length = 0;
      this.#nextEvent = 0;
    }
    if (this.#controller?.paused === true && this.#queuedChars < pauseAtChars / 2) this.#resume();
    return event;
  }

  async next(): Promise<SseEvent | null> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const event = this.take();
      if (event !== undefined) {
        this.#startNextTokenLimit();
        return event;
      }
      if (this.#ended) return null;
      this.#armTimer();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Ends the request; a pending `next()` rejects with `reason`. */
  abort(reason: unknown): void {
    this.#error ??= asError(reason);
    if (!this.#ended) this.#controller?.abort(this.#error);
    this.#settle();
  }

  /** Everything needed has arrived. The response may still end by itself, so that its connection can be reused. */
  finish(): void {
    this.#settle();
    if (this.#ended || this.#error !== undefined) return;
    const controller = this.#controller;
    setTimeout(() => {
      if (!this.#ended) controller?.abort(new Error("The response did not end."));
    }, lingerMs).unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error !== undefined) controller.abort(this.#error);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    const type = oneOf(headers["content-type"]) ?? "";
    const isStream = status === 200 && /^text\/event-stream\b/i.test(type);
    this.#head = { status, retryAfter: oneOf(headers["retry-after"]), isStream };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#head?.isStream !== true) {
      this.#failure += chunk.toString("utf8");
      if (this.#failure.length > maxFailureChars) this.#failResponse();
      return;
    }
    this.#queue(() => this.#reader.push(chunk));
    if (this.#queuedChars > pauseAtChars && !controller.paused) {
      this.#pausedAtMs = this.clock.monotonicMs();
      controller.pause();
    }
  }

  onResponseEnd(): void {
    if (!this.#settled && this.#head?.isStream !== true) this.#failResponse();
    if (!this.#settled) this.#queue(() => this.#reader.end());
    this.#ended = true;
    this.#notify();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(unavailable(causeOf(error)));
  }

  #resume(): void {
    this.#longestPauseMs = Math.max(this.#longestPauseMs, this.#pauseMs());
    this.#pausedAtMs = undefined;
    this.#controller?.resume();
  }

  /** Of the current pause. */
  #pauseMs(): number {
    return this.#pausedAtMs === undefined ? 0 : this.clock.monotonicMs() - this.#pausedAtMs;
  }

  #queue(read: () => SseEvent[]): void {
    try {
      const events = read();
      for (const event of events) {
        this.#events.push(event);
        this.#queuedChars += weightOf(event);
      }
      // Bytes without an event are no progress: they must not renew the time limit of `next()`.
      if (events.length > 0) this.#notify();
    } catch (error) {
      this.#fail(unavailable(causeOf(error)));
    }
  }

  #failResponse(): void {
    const { status = 0, retryAfter } = this.#head ?? {};
    this.#fail(errorOfResponse({ status, retryAfter, body: this.#failure }, this.contextTokens()));
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#controller?.abort(new Error("The engine failed."));
    this.#settle();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    if (!this.#settled) {
      this.#settled = true;
      this.settled();
    }
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #startNextTokenLimit(): void {
    if (this.#hadEvent) return;
    this.#hadEvent = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #armTimer(): void {
    if (this.#timer !== undefined) {
      // The first limit counts from the start, whatever arrives that is not an event; the others from each wait.
      if (this.#hadEvent) this.#timer.refresh();
      return;
    }
    const { firstTokenMs, nextTokenMs } = this.limits;
    this.#timer = setTimeout(
      () => {
        if (this.#wake === null) return;
        this.#fail(unavailable(this.#hadEvent ? "NEXT_TOKEN_TIMEOUT" : "FIRST_TOKEN_TIMEOUT"));
      },
      this.#hadEvent ? nextTokenMs : firstTokenMs,
    );
  }
}

const oneOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error("aborted"));
