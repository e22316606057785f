/** The two steps before anything else under /v1: who is calling, and whether the rate limit allows it. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../protocol/errors.js";
import { callerOf } from "../connection/caller.js";
import { headerValues } from "../connection/headers.js";
import type { HttpParts } from "../parts.js";
import { isMessagesPath } from "./messages-path.js";
import { writeRates } from "./rate-headers.js";

/** Needs the headers only: a refusal does not wait for the body. */
export function authenticate({ keys }: HttpParts) {
  return async (request: FastifyRequest): Promise<void> => {
    const { rawHeaders } = request.raw;
    const key = isMessagesPath(request.url) ? keyOrBearerToken(rawHeaders) : bearerToken(rawHeaders);
    if (key === null) throw new ServiceError("invalid_api_key");
    request.exchange.caller = await keys.verify(key);
  };
}

export function countRequest({ limits }: HttpParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { rates, refusal } = await limits.countRequest(callerOf(request));
    writeRates(reply, rates);
    if (refusal !== null) throw refusal;
  };
}

/** The Messages API's own header comes before the usual one, which its clients may send as well. */
function keyOrBearerToken(rawHeaders: readonly string[]): string | null {
  const [value, second] = headerValues(rawHeaders, "x-api-key");
  if (value === undefined) return bearerToken(rawHeaders);
  return second === undefined ? value.trim() : null;
}

/** Null unless there is exactly one Authorization header and it is of the Bearer scheme. */
export function bearerToken(rawHeaders: readonly string[]): string | null {
  const [value, second] = headerValues(rawHeaders, "authorization");
  if (value === undefined || second !== undefined) return null;
  return /^bearer +([^\s]+)$/i.exec(value)?.[1] ?? null;
}
