/**
 * Whether a client speaks the Messages API, and so reads answers and errors of that shape: on that API's own paths, and
 * where it asks for models, which both APIs have at the same address. Unknown paths below its own count, too: a refusal
 * must be readable before it is known whether there is such an endpoint.
 */
import type { FastifyRequest } from "fastify";

export const speaksMessages = ({ url, raw }: Pick<FastifyRequest, "url" | "raw">): boolean =>
  /^\/v1\/messages(?:[/?#]|$)/.test(url) ||
  (/^\/v1\/models(?:[/?#]|$)/.test(url) && raw.headers["anthropic-version"] !== undefined);
