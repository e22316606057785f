/** Turns what a handler of the dashboard threw into the response for its pages. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { DashboardError, type DashboardErrorCode } from "../../core/dashboard-error.js";
import { type ErrorCode, ServiceError } from "../../core/errors.js";
import { StoreUnavailable } from "../../core/store.js";
import { ClientHungUp } from "../connection/exchange.js";
import type { Log } from "../../log.js";
import type { DashboardErrorBody } from "../../protocol/dashboard/api.js";

interface Answer {
  status: number;
  /** What log and metrics call it: they know one set of codes. */
  code: ErrorCode;
}

export const answers: Record<DashboardErrorCode, Answer> = {
  bad_request: { status: 400, code: "invalid_value" },
  signed_out: { status: 401, code: "invalid_api_key" },
  forbidden: { status: 403, code: "insufficient_permissions" },
  confirmation_required: { status: 403, code: "insufficient_permissions" },
  factor_required: { status: 403, code: "insufficient_permissions" },
  not_found: { status: 404, code: "unknown_url" },
  conflict: { status: 409, code: "invalid_value" },
  limit_reached: { status: 409, code: "rate_limit_exceeded" },
  throttled: { status: 429, code: "rate_limit_exceeded" },
  unavailable: { status: 503, code: "overloaded" },
  internal: { status: 500, code: "internal_error" },
};

/** For `setErrorHandler`. */
export function answerDashboardError(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const told = toldOf(error, request, log);
    if (told === null) reply.hijack();
    else if (told instanceof ServiceError) answerServiceError(told, request, reply);
    else {
      const { status, code } = answers[told.code];
      request.exchange.code = code;
      send(reply, status, told);
    }
  };
}

/** What is said of whatever a handler threw; null when the client is gone. */
export function toldOf(
  error: unknown,
  request: FastifyRequest,
  log: Log,
): ServiceError | DashboardError | null {
  if (error instanceof ClientHungUp) return null;
  if (error instanceof ServiceError || error instanceof DashboardError) return error;
  if (error instanceof StoreUnavailable) return storeUnavailable;
  log.unexpected(error, { requestId: request.id });
  return new DashboardError("internal", "Something went wrong on our side. Try again.");
}

/** Not a bug: the database is unreachable, or its disk is full. */
const storeUnavailable = new DashboardError(
  "unavailable",
  "The database is unreachable or cannot be written to. Try again shortly.",
  { retryAfterSeconds: 5 },
);

/** The playground and the reading of bodies speak the API's language, and keep its statuses. */
function answerServiceError(error: ServiceError, request: FastifyRequest, reply: FastifyReply): void {
  request.exchange.code = error.code;
  const { message, param, retryAfterSeconds } = error;
  const details = {
    ...(param === null ? {} : { field: param }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  const code = codesByStatus.get(error.status) ?? (error.status < 500 ? "bad_request" : "internal");
  send(reply, error.status, new DashboardError(code, message, details));
}

const codesByStatus = new Map<number, DashboardErrorCode>([
  [401, "signed_out"],
  [403, "forbidden"],
  [404, "not_found"],
  [429, "limit_reached"],
  [503, "unavailable"],
]);

function send(reply: FastifyReply, status: number, error: DashboardError): void {
  const { code, message, field, retryAfterSeconds } = error;
  const body: DashboardErrorBody = { error: { code, message, ...(field === undefined ? {} : { field }) } };
  if (retryAfterSeconds !== undefined) reply.header("retry-after", Math.ceil(retryAfterSeconds));
  reply.code(status).send(body);
}
