/** The two steps before anything else under /v1: who is calling, and whether the rate limit allows it. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KeyRecord } from "../../core/entities.js";
import { ServiceError } from "../../core/errors.js";
import { isInNetworks } from "../../core/networks.js";
import type { Admission } from "../../core/limits/admission.js";
import { writeRates } from "./rate-headers.js";
import { callerOf } from "../connection/caller.js";
import { headerValues } from "../connection/headers.js";
import type { HttpParts } from "../parts.js";

/** Needs the headers only: a refusal does not wait for the body. One hook, since each that waits takes time. */
export function authenticateAndCount(parts: HttpParts) {
  const count = countRequest(parts);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const key = keyIn(request.raw.rawHeaders);
    if (key === null) throw new ServiceError("invalid_api_key");
    const caller = await parts.keys.verify(key);
    request.exchange.caller = caller;
    if (!mayCallFrom(caller, request)) throw new ServiceError("ip_not_allowed");
    return count(request, reply);
  };
}

/** From the address as `trust_proxy` gives it. */
const mayCallFrom = ({ key, teamAllowFrom }: KeyRecord, request: FastifyRequest): boolean =>
  [key.allowFrom, teamAllowFrom].every((networks) => networks == null || isInNetworks(networks, request.ip));

/** `mayDefer`: whether the handler counts it at the latest (`countedFirst`). */
export function countRequest(
  { limits }: HttpParts,
  mayDefer: (request: FastifyRequest) => boolean = (request) =>
    request.routeOptions.config.countsRequests === true,
) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const admission = limits.enter(callerOf(request), { onRates: (rates) => writeRates(reply, rates) });
    request.exchange.admission = admission;
    if (admission.isDeferred && mayDefer(request)) return undefined;
    return admission.count().then((refusal) => {
      if (refusal !== null) throw refusal;
    });
  };
}

/** A bearer token, or a key in the header that clients of the Messages API send; both at once must agree. */
export function keyIn(rawHeaders: readonly string[]): string | null {
  const [value, second] = headerValues(rawHeaders, "x-api-key");
  if (value === undefined) return bearerToken(rawHeaders);
  const key = value.trim();
  const isAlone = headerValues(rawHeaders, "authorization").length === 0;
  return second === undefined && (isAlone || bearerToken(rawHeaders) === key) ? key : null;
}

/**
 * For handlers that may count a request late: an error is answered after the request was counted, and a refusal by
 * the rate limit takes precedence over it.
 */
export async function countedFirst<T>(admission: Admission, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw (await admission.count()) ?? error;
  }
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its handler counts the request (`countedFirst`), so that may be put off. */
    countsRequests?: boolean;
  }
}

/** Null unless there is exactly one Authorization header and it is of the Bearer scheme. */
export function bearerToken(rawHeaders: readonly string[]): string | null {
  const [value, second] = headerValues(rawHeaders, "authorization");
  if (value === undefined || second !== undefined) return null;
  return /^bearer +([^\s]+)$/i.exec(value)?.[1] ?? null;
}
