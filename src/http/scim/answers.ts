/** Answers as SCIM has them, and what a handler of it threw as one of its errors (RFC 7644, 3.12). */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { DashboardError } from "../../core/dashboard-error.js";
import { ServiceError } from "../../core/errors.js";
import type { Log } from "../../log.js";
import { scimError } from "../../protocol/scim/resources.js";
import { answers, toldOf } from "../dashboard/errors.js";

export const sendScim = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply
    .code(status)
    .header("content-type", "application/scim+json; charset=utf-8")
    .send(JSON.stringify(body));

/** For `setErrorHandler`. */
export function answerScimError(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const told = toldOf(error, request, log);
    if (told === null) {
      reply.hijack();
      return;
    }
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
