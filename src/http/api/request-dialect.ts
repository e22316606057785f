/** Which API a client speaks, and so in which shape it reads errors, by its path and headers. */
import type { FastifyRequest } from "fastify";
import type { Dialect } from "../../protocol/dialect.js";
import { dialects } from "../../protocol/dialects.js";

type Addressed = Pick<FastifyRequest, "url" | "raw">;

/**
 * Unknown paths below an API's own count, too: a refusal must be readable before it is known whether there is such an
 * endpoint.
 */
export function dialectOf(request: Addressed): Dialect {
  if (speaksMessages(request)) return dialects.messages;
  if (/^\/v1\/completions(?:[/?#]|$)/.test(request.url)) return dialects.completions;
  return /^\/v1\/responses(?:[/?#]|$)/.test(request.url) ? dialects.responses : dialects.chatCompletions;
}

/** On the Messages API's own paths, and where it asks for models, which two APIs have at the same address. */
export const speaksMessages = ({ url, raw }: Addressed): boolean =>
  /^\/v1\/messages(?:[/?#]|$)/.test(url) ||
  (/^\/v1\/models(?:[/?#]|$)/.test(url) && raw.headers["anthropic-version"] !== undefined);
