/** Turns what a handler of SCIM threw into an error of SCIM (RFC 7644, 3.12). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { DashboardError } from "../../core/dashboard-error.js";
import { ServiceError } from "../../core/errors.js";
import { StoreUnavailable } from "../../core/store.js";
import type { Log } from "../../log.js";
import { scimError } from "../../protocol/scim/resources.js";
import { ClientHungUp } from "../connection/exchange.js";
import { answers, storeUnavailable } from "../dashboard/errors.js";
import { sendScim } from "./send.js";

/** For `setErrorHandler`. */
export function answerScimError(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (error instanceof ClientHungUp) {
      reply.hijack();
      return;
    }
    const known = error instanceof StoreUnavailable ? storeUnavailable : error;
    const isTold = known instanceof ServiceError || known instanceof DashboardError;
    if (!isTold) log.unexpected(error, { requestId: request.id });
    const told = isTold
      ? known
      : new DashboardError("internal", "Something went wrong on our side. Try again.");
    const { status, code } = told instanceof ServiceError ? told : answers[told.code];
    const scimType = told instanceof ServiceError ? null : scimTypeOf(told);
    request.exchange.code = code;
    if (told.retryAfterSeconds !== undefined) reply.header("retry-after", Math.ceil(told.retryAfterSeconds));
    sendScim(reply, status, scimError(status, told.message, scimType));
  };
}

function scimTypeOf({ code, field }: DashboardError): string | null {
  if (code === "conflict") return field === undefined ? null : "uniqueness";
  if (code !== "bad_request") return null;
  if (field === undefined) return "invalidSyntax";
  return field === "filter" ? "invalidFilter" : field === "path" ? "invalidPath" : "invalidValue";
}
