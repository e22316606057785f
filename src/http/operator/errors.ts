/** Turns what a handler of the dashboard threw into an error in the form of the model API's. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { DashboardError } from "../../core/dashboard-error.js";
import type { Log } from "../../log.js";
import { answers } from "../dashboard/errors.js";
import { answerError } from "../errors.js";

/** Those of the model API, and one for its own status. */
const types = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "invalid_request_error"],
  [409, "conflict_error"],
  [429, "rate_limit_error"],
]);

/** Statuses that the model API does not have, or has with another meaning. */
const ownCodes = new Set(["not_found", "conflict", "limit_reached"]);

/** For `setErrorHandler`. */
export function answerOperatorError(log: Log) {
  const answerOthers = answerError(log);
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (!(error instanceof DashboardError)) {
      answerOthers(error, request, reply);
      return;
    }
    const { status, code } = answers[error.code];
    request.exchange.code = code;
    if (error.retryAfterSeconds !== undefined) {
      reply.header("retry-after", Math.ceil(error.retryAfterSeconds));
    }
    reply.code(status).send({
      error: {
        message: error.message,
        type: types.get(status) ?? "server_error",
        param: error.field ?? null,
        code: ownCodes.has(error.code) ? error.code : code,
      },
    });
  };
}
