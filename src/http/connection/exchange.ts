/**
 * One request and its response, from the first header to the last byte: who asks, what came of it, and the
 * signal that ends its work early.
 *
 * The signal aborts when the client hangs up. The socket's `close` is what shows it: `close` of a request comes
 * as soon as its body is read, and a pipelined response has no socket yet whose end it could report. It also
 * aborts when the server closes, with an error that the client is still shown.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KeyRecord } from "../../core/entities.js";
import type { ErrorCode } from "../../core/errors.js";
import type { Admission } from "../../core/limits/admission.js";
import type { ModelId } from "../../core/models.js";
import type { CompletionTrace } from "../../core/serving/completion.js";

/** Has the seal's nonce. */
export const sealHeader = "ehbp-response-nonce";

/** Encrypts the reply to an encrypted request. */
export interface ReplySeal {
  /** For the header that says that, and how, the reply is encrypted. */
  readonly nonce: string;
  /** What is written instead of this piece of the body, in the order in which they are written. */
  frame(text: string): Buffer;
}

/** What will be signed about a reply. */
export interface ReplyReceipt {
  noteRequest(body: Uint8Array): void;
  /** For all pieces of the reply, before they are encrypted. */
  add(text: string): void;
  /** Once, at the end. */
  sign(model: ModelId): string;
}

/** What is known of a request while it is served. */
export interface Exchange {
  readonly startedMs: number;
  /** What it aborts with is what its work ends with. */
  readonly abort: AbortController;
  readonly signal: AbortSignal;
  /** Null until authenticated. */
  caller: KeyRecord | null;
  /** How it passes the limits; null until it is known who asks. */
  admission: Admission | null;
  /** The error that the client was shown. */
  code: ErrorCode | "none";
  stream: boolean | undefined;
  /** Null while the reply is to be sent as it is. */
  seal: ReplySeal | null;
  /** Null unless the client wants one. */
  receipt: ReplyReceipt | null;
  /** Gives back the memory that the request's images hold; null without any. May be called more than once. */
  releaseImages: (() => void) | null;
  readonly trace: CompletionTrace;
}

declare module "fastify" {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/** Why the work of an exchange ended. There is no one left to answer. */
export class ClientHungUp extends Error {
  constructor() {
    super("The client closed the connection.");
    this.name = "ClientHungUp";
  }
}

export type OnEnd = (request: FastifyRequest, reply: FastifyReply) => void;

const ignore = (): void => undefined;

export class Exchanges {
  readonly #open = new Set<AbortController>();
  #onIdle: (() => void) | null = null;

  /** Calls `onEnd` once, when the response is complete or the connection is gone. */
  open(request: FastifyRequest, reply: FastifyReply, startedMs: number, onEnd: OnEnd): void {
    const controller = new AbortController();
    const response = reply.raw;
    const { socket } = request.raw;
    const end = () => {
      if (!this.#open.delete(controller)) return;
      socket.off("close", end);
      if (!response.writableFinished) controller.abort(new ClientHungUp());
      request.exchange.admission?.close();
      request.exchange.releaseImages?.();
      onEnd(request, reply);
      if (this.#open.size === 0) this.#onIdle?.();
    };
    response.on("close", end);
    socket.on("close", end);
    // A write that fails means that the socket is closing: `close` follows and is where it is dealt with.
    response.on("error", ignore);

    this.#open.add(controller);
    request.exchange = {
      startedMs,
      abort: controller,
      signal: controller.signal,
      caller: null,
      admission: null,
      code: "none",
      stream: undefined,
      seal: null,
      receipt: null,
      releaseImages: null,
      trace: {},
    };
  }

  /** Ends the work of all open exchanges with `reason`, and waits for their responses for at most `timeoutMs`. */
  async endAll(reason: Error, timeoutMs: number): Promise<void> {
    for (const controller of this.#open) controller.abort(reason);
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
