import type { FastifyRequest } from "fastify";
import type { Admission } from "../../core/limits/admission.js";
import type { KeyRecord } from "../../core/entities.js";

/** How the request passes the limits, on routes that count it. */
export function admissionOf(request: FastifyRequest): Admission {
  const { admission } = request.exchange;
  if (admission === null) throw new Error("This route is served without limits.");
  return admission;
}

/** Who sent the request, on routes that authenticate. */
export function callerOf(request: FastifyRequest): KeyRecord {
  const { caller } = request.exchange;
  if (caller === null) throw new Error("This route is served without authentication.");
  return caller;
}
