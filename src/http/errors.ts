/** The one place where a thrown error becomes a response. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { StoreUnavailable } from "../core/store.js";
import type { Log } from "../log.js";
import { ServiceError } from "../core/errors.js";
import { dialectOf } from "./api/request-dialect.js";
import { ClientHungUp } from "./connection/exchange.js";

const defaultRetryAfterSeconds = 5;

/** For `setErrorHandler`: anything thrown before the response has begun. */
export function answerError(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const shown = errorOf(error, request, log);
    if (shown === null) {
      reply.hijack();
      return;
    }
    if (shown.status === 401) reply.header("www-authenticate", "Bearer");
    if (!shown.shouldRetry) reply.header("x-should-retry", "false");
    if (shown.status === 429 || shown.status === 503) reply.header("retry-after", retryAfter(shown));
    reply.code(shown.status);
    if (shown.code === "encryption_key_mismatch") answerKeyMismatch(shown, reply);
    else reply.send(dialectOf(request).error(shown, request.id));
  };
}

/** In the form of the protocol for encrypted bodies, by which its clients know to fetch the key again. */
function answerKeyMismatch({ message }: ServiceError, reply: FastifyReply): void {
  const problem = { type: "urn:ietf:params:ehbp:error:key-config", title: message };
  reply.header("content-type", "application/problem+json").send(Buffer.from(JSON.stringify(problem)));
}

/** The error to show, noted on the exchange; null when the client is gone. */
export function errorOf(error: unknown, request: FastifyRequest, log: Log): ServiceError | null {
  if (error instanceof ClientHungUp) return null;
  const shown = known(error) ?? unexpected(error, request, log);
  request.exchange.code = shown.code;
  return shown;
}

function known(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof StoreUnavailable) {
    return new ServiceError("overloaded", { message: "The database is unreachable. Try again shortly." });
  }
  // Fastify looks at the content type before any parser does, and refuses what it cannot read.
  const isContentTypeError =
    error instanceof Error && "code" in error && /^FST_ERR_CTP_/.test(String(error.code));
  return isContentTypeError ? new ServiceError("unsupported_content_type") : undefined;
}

function unexpected(error: unknown, request: FastifyRequest, log: Log): ServiceError {
  log.unexpected(error, { requestId: request.id });
  return new ServiceError("internal_error");
}

/**
 * The OpenAI and Anthropic libraries for Python ignore more than 60 s and retry soon instead; those for Node sleep
 * for as long as it says. None of them retries where it is told not to.
 */
function retryAfter({ retryAfterSeconds = defaultRetryAfterSeconds, shouldRetry }: ServiceError): number {
  const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
  return shouldRetry ? Math.min(59, seconds) : seconds;
}
