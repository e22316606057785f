/**
 * Requests that are not HTTP: what Node's parser refuses (smuggling, giant headers), what does not arrive in
 * time, and requests for a tunnel. There is no request object, so the answer is written by hand; then
 * the connection ends, after a while in which what still arrives is discarded (linger.ts says why).
 */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errorBody } from "../../protocol/error-body.js";
import { ServiceError } from "../../core/errors.js";
import type { PendingResponses } from "./pending-responses.js";
import { headerValues } from "./headers.js";
import { newRequestId } from "./ids.js";
import { recordRefusal } from "./record.js";
import type { HttpParts } from "../parts.js";

/** An answer must not be written into the middle of another. */
export class BadHttp {
  constructor(
    private readonly parts: Pick<HttpParts, "log" | "metrics">,
    private readonly pending: PendingResponses,
    private readonly lingerMs: number,
  ) {}

  /** For `clientError`. Called again for each packet that arrives after the first refusal. */
  onClientError({ code }: NodeJS.ErrnoException, socket: Socket): void {
    // No TLS, or none that we speak: nothing can be said to it.
    if (code !== undefined && /^ERR_(SSL|TLS)_/.test(code)) socket.destroy();
    else if (code !== "ERR_HTTP_REQUEST_TIMEOUT") this.refuse(socket);
    // Opened in advance and never used: an answer could be taken for that to a request which is on its way.
    else if (socket.bytesRead === 0) socket.destroy();
    else this.refuse(socket, tooLate());
  }

  refuse(socket: Duplex, error = notHttp()): void {
    if (!socket.writable) return;
    const begun = [...this.pending.on(socket)].some(({ response }) => response.headersSent);
    if (begun) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    socket.on("error", () => undefined);
    socket.end(responseText(error, requestId));
    setTimeout(() => socket.destroy(), this.lingerMs).unref();
    recordRefusal(this.parts, requestId, error);
  }
}

/** What Node's parser lets pass, or would answer with an empty body. The connection is not used again. */
export function requireSoundHead({ raw }: FastifyRequest, reply: FastifyReply): void {
  const hosts = headerValues(raw.rawHeaders, "host").length;
  const hasOneHost = hosts === 1 || (hosts === 0 && raw.httpVersion !== "1.1");
  // Nothing here would decode a further coding inside the chunks.
  const codings = headerValues(raw.rawHeaders, "transfer-encoding");
  const isKnownCoding =
    codings.length === 0 || ["", "chunked"].includes(codings.join(",").trim().toLowerCase());
  // The parser also reads 0.9 and 2.0 in a request line. Neither has such a line and headers.
  const isKnownVersion = raw.httpVersion === "1.1" || raw.httpVersion === "1.0";
  if (hasOneHost && isKnownVersion && isKnownCoding) return;
  reply.header("connection", "close");
  throw notHttp();
}

const tooLate = () => new ServiceError("invalid_value", { message: "The request did not arrive in time." });

const notHttp = () => new ServiceError("invalid_value", { message: "The request is not valid HTTP." });

function responseText(error: ServiceError, requestId: string): string {
  const body = JSON.stringify(errorBody(error));
  const { status, retryAfterSeconds } = error;
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
