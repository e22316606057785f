import type { FastifyRequest } from "fastify";
import type { KeyRecord } from "../../core/ports.js";

/** Who sent the request, on routes that authenticate. */
export function callerOf(request: FastifyRequest): KeyRecord {
  const { caller } = request.exchange;
  if (caller === null) throw new Error("This route is served without authentication.");
  return caller;
}
