/**
 * The responses that are not complete yet on each socket, in the order of their requests: with pipelining there
 * are several. What depends on them asks here: whether a connection is idle, whether a client that ended its side
 * has hung up, whether an error may still be written by hand, how long a client may take to read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../../core/clock.js";

interface PendingResponse {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** When its request had arrived, as far as it was read. */
  arrivedMs: number;
}

const none: ReadonlySet<PendingResponse> = new Set();

export class PendingResponses {
  readonly #bySocket = new WeakMap<Duplex, Set<PendingResponse>>();

  constructor(private readonly clock: Clock) {}

  /** For every request, before anything else looks at it. It is forgotten when the response closes. */
  begin(message: IncomingMessage, response: ServerResponse): void {
    const pending = { message, response, arrivedMs: this.clock.monotonicMs() };
    const all = this.#bySocket.get(message.socket) ?? new Set();
    this.#bySocket.set(message.socket, all.add(pending));
    // These come once, and `once` would cost a wrapper for each. Only HTTP/1.0 is asked when it arrived (half-close.ts).
    if (message.httpVersion === "1.0")
      message.on("end", () => (pending.arrivedMs = this.clock.monotonicMs()));
    response.on("close", () => all.delete(pending));
  }

  /** The oldest first. */
  on(socket: Duplex): ReadonlySet<PendingResponse> {
    return this.#bySocket.get(socket) ?? none;
  }

  /** The one that is sent after this one, if its request has arrived already. */
  after(socket: Duplex, response: ServerResponse): ServerResponse | undefined {
    let isNext = false;
    for (const pending of this.on(socket)) {
      if (isNext) return pending.response;
      isNext = pending.response === response;
    }
    return undefined;
  }
}
