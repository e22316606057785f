/**
 * The session's cookie. Over TLS its name begins with `__Host-`, which browsers accept only when it is Secure,
 * for the whole host and set by the host itself: a neighbouring subdomain or a plain-HTTP answer cannot plant
 * one. A cookie of the other name is not looked at then.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { StartedSession } from "../../core/sessions.js";

const plainName = "sotto_session";
const attributes = "Path=/; HttpOnly; SameSite=Lax";

export function readSessionCookie(request: FastifyRequest): string | null {
  const name = cookieName(request);
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

export function writeSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, expiresAt }: StartedSession,
): void {
  reply.header("set-cookie", cookie(request, token, `Expires=${expiresAt.toUTCString()}`));
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("set-cookie", cookie(request, "", "Max-Age=0"));
}

const cookie = (request: FastifyRequest, value: string, lifetime: string): string =>
  `${cookieName(request)}=${value}; ${attributes}; ${lifetime}${isSecure(request) ? "; Secure" : ""}`;

const cookieName = (request: FastifyRequest): string =>
  isSecure(request) ? `__Host-${plainName}` : plainName;

/** Believes a proxy's word only when the server was told to trust it. */
const isSecure = (request: FastifyRequest): boolean => request.protocol === "https";
