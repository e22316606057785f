/**
 * Answers that are given before the request has arrived whole: a body over the limit, a refusal that does not
 * wait for the body.
 *
 * A small rest is simply dropped by Node and the connection lives on. Otherwise the connection is closed, and
 * the closing needs care: a socket closed with unread bytes in it is reset, and the reset can destroy the
 * answer before the client has read it. So the answer goes out whole at once, and the end of the response
 * waits, discarding what arrives, until the client has finished or `lingerMs` have passed.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { waitsForContinue } from "./headers.js";

/** For an answer that is complete, before it is sent. */
export function lingerOnUnreadBody(limitBytes: number, lingerMs: number) {
  return <Payload>(request: FastifyRequest, reply: FastifyReply, payload: Payload): Payload | Readable => {
    if (!hasUnboundedRest(request.raw, limitBytes)) return payload;
    reply.header("connection", "close");
    if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return payload;
    // Bytes that are encrypted are sent without their length.
    if (request.exchange.seal === null) reply.header("content-length", Buffer.byteLength(payload));
    return Readable.from(lingering(payload, request.raw, lingerMs));
  };
}

function hasUnboundedRest(message: IncomingMessage, limitBytes: number): boolean {
  if (message.complete) return false;
  const declared = message.headers["content-length"];
  return declared === undefined || Number(declared) > limitBytes || waitsForContinue(message);
}

async function* lingering(
  payload: string | Buffer,
  message: IncomingMessage,
  lingerMs: number,
): AsyncGenerator<string | Buffer> {
  yield payload;
  // Nobody reads it, but it is text that a user sent.
  message.on("data", (chunk: Buffer) => chunk.fill(0));
  // Whether the client finished, left or was still sending: the response ends now.
  await finished(message, { signal: AbortSignal.timeout(lingerMs) }).catch(() => undefined);
}
