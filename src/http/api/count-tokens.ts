/**
 * `POST /v1/messages/count_tokens`: how many tokens the prompt of a message has. It counts as a request, and passes the
 * checks of a completion up to the prompt; as no reply is written, it takes no place in the queue and no tokens, but
 * while it runs it is one of the account's concurrent requests.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { admissionOf, callerOf } from "../connection/caller.js";
import type { HttpParts } from "../parts.js";
import { dialects } from "../../protocol/dialects.js";
import { skipHostedTools } from "./hosted-tools.js";
import { settleImages } from "./images.js";

export function countTokens(parts: HttpParts) {
  const { bodies, completions } = parts;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<{ input_tokens: number }> => {
    const read = await bodies.read("countTokens", request, reply);
    skipHostedTools(read, request, reply);
    const parsed = await settleImages(parts, dialects.countTokens, read, request, reply);
    const { signal, startedMs } = request.exchange;
    const [caller, admission] = [callerOf(request), admissionOf(request)];
    return { input_tokens: await completions.count(parsed.chat, caller, signal, startedMs, admission) };
  };
}
