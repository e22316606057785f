/** Which API a client speaks, and so in which shape it reads errors, by its path and headers. */
import type { FastifyRequest } from "fastify";
import type { Dialect } from "../../protocol/dialect.js";
import { dialects } from "../../protocol/dialects.js";
import { hasPath } from "../../protocol/endpoints.js";
import { isOllamaPath } from "../../protocol/ollama/paths.js";

type Addressed = Pick<FastifyRequest, "url" | "raw">;

/**
 * Unknown paths below an API's own count, too: a refusal must be readable before it is known whether there is such an
 * endpoint.
 */
export function dialectOf(request: Addressed): Dialect {
  if (speaksMessages(request)) return dialects.messages;
  if (/^\/v1\/completions(?:[/?#]|$)/.test(request.url)) return dialects.completions;
  if (isOllamaPath(request.url)) return dialects.ollamaChat;
  return /^\/v1\/responses(?:[/?#]|$)/.test(request.url) ? dialects.responses : dialects.chatCompletions;
}

/** On the Messages API's own paths, and on those that two APIs have, such as that of the models, by its header. */
export const speaksMessages = ({ url, raw }: Addressed): boolean =>
  /^\/v1\/messages(?:[/?#]|$)/.test(url) ||
  (raw.headers["anthropic-version"] !== undefined && hasPath("Anthropic", url.split(/[?#]/)[0] ?? ""));
