/**
 * Enforces the limit on connections. A connection beyond it replaces the one that has been idle the longest. Where
 * none is idle, its first request is answered 503 and it is closed, at the latest after `lingerMs`; probes are
 * answered all the same, since a full server should not be restarted. While `refusals` such connections are open, the
 * next one is sent the same 503 before it has sent a request and is closed at once: most clients read it, some see a
 * reset, and no file stays open for it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { finished } from "node:stream/promises";
import { errorBody } from "../../protocol/error-body.js";
import { ServiceError } from "../../core/errors.js";
import type { PendingResponses } from "./pending-responses.js";
import { newRequestId } from "./ids.js";
import { recordRefusal } from "./record.js";
import type { HttpParts } from "../parts.js";

const probe = /^\/(healthz|readyz|metrics)\/?(\?|$)/;
const retryAfterSeconds = 5;

interface ConnectionsOptions {
  limit: number;
  /** How many may be open beyond it, to be answered. */
  refusals: number;
  lingerMs: number;
  /** Answers a connection that has sent no request. */
  refuse: (socket: Socket, error: ServiceError) => void;
}

export class Connections {
  #admitted = 0;
  #refusing = 0;
  /** The longest idle first. */
  readonly #idle = new Set<Socket>();
  readonly #refused = new WeakSet<Socket>();
  readonly #leaving = new WeakMap<Socket, () => void>();

  constructor(
    private readonly parts: Pick<HttpParts, "log" | "metrics">,
    private readonly pending: PendingResponses,
    private readonly options: ConnectionsOptions,
  ) {}

  /** For `connection`. */
  open(socket: Socket): void {
    if (this.#admitted >= this.options.limit) this.#closeLongestIdle();
    if (this.#admitted >= this.options.limit) this.#refuse(socket);
    else this.#admit(socket);
  }

  /** For every request; false when it was answered here. */
  begin(message: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = message;
    this.#idle.delete(socket);
    response.on("close", () => {
      if (this.#isIdle(socket) && this.#leaving.has(socket)) this.#idle.add(socket);
    });
    if (!this.#refused.has(socket)) return true;
    response.shouldKeepAlive = false;
    if (probe.test(message.url ?? "")) return true;
    void this.#answerRefusal(message, response);
    return false;
  }

  #admit(socket: Socket): void {
    this.#admitted += 1;
    const leave = () => {
      if (!this.#leaving.delete(socket)) return;
      this.#admitted -= 1;
      this.#idle.delete(socket);
    };
    this.#leaving.set(socket, leave);
    socket.once("close", leave);
  }

  #refuse(socket: Socket): void {
    const { lingerMs, refuse, refusals } = this.options;
    if (this.#refusing >= refusals) {
      refuse(socket, noRoom());
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    this.#refusing += 1;
    const silent = setTimeout(() => {
      if (this.#isIdle(socket)) refuse(socket, noRoom());
    }, lingerMs);
    socket.once("close", () => {
      this.#refusing -= 1;
      clearTimeout(silent);
    });
  }

  #isIdle(socket: Socket): boolean {
    return this.pending.on(socket).size === 0;
  }

  #closeLongestIdle(): void {
    for (const socket of this.#idle) {
      this.#leaving.get(socket)?.();
      socket.destroy();
      return;
    }
  }

  /** The end of the response waits until the request has arrived: linger.ts says why. */
  async #answerRefusal(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const error = noRoom();
    const requestId = newRequestId();
    const body = JSON.stringify(errorBody(error));
    // A write that fails means that the client is gone.
    response.on("error", () => undefined);
    response
      .writeHead(error.status, {
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(body),
        "retry-after": String(retryAfterSeconds),
        "x-request-id": requestId,
      })
      .write(body);
    recordRefusal(this.parts, requestId, error);
    message.resume();
    await finished(message, { signal: AbortSignal.timeout(this.options.lingerMs) }).catch(() => undefined);
    response.end();
  }
}

const noRoom = (): ServiceError =>
  new ServiceError("overloaded", {
    message: "The server has reached its limit of connections. Try again after the time in Retry-After.",
    retryAfterSeconds,
  });
