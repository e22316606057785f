/** What a reply that is not streamed passes through on its way out: its receipt, then its encryption. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sealHeader } from "../connection/exchange.js";
import { receiptHeader } from "../proof/receipt.js";

/** Sealed, it is bytes. */
export function sealWhole<Payload>(
  { exchange }: FastifyRequest,
  reply: FastifyReply,
  payload: Payload,
): Payload | Buffer {
  if (typeof payload !== "string") return payload;
  const { receipt, seal, trace } = exchange;
  if (receipt !== null && trace.model !== undefined && reply.statusCode === 200) {
    receipt.add(payload);
    reply.header(receiptHeader, receipt.sign(trace.model));
  }
  if (seal === null) return payload;
  reply.header(sealHeader, seal.nonce);
  return seal.frame(payload);
}

/** The protocol wants a sealed body in chunks, without its length: as a stream it is sent so. */
export const inChunks = <Payload>({ exchange }: FastifyRequest, payload: Payload): Payload | Readable =>
  exchange.seal !== null && Buffer.isBuffer(payload) ? Readable.from([payload]) : payload;
