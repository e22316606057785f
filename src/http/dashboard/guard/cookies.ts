/**
 * Cookies of ours. Over TLS a name begins with `__Host-`, which browsers accept only when the cookie is Secure,
 * for the whole host and set by the host itself: a neighbouring subdomain or a plain-HTTP answer cannot plant
 * one. A cookie of the other name is ignored then.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

export interface CookieKind {
  name: string;
  sameSite: "Lax" | "Strict";
}

export function readCookie(request: FastifyRequest, kind: CookieKind): string | null {
  const name = nameOf(request, kind);
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

export function writeCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: CookieKind,
  { value, expiresAt }: { value: string; expiresAt: Date },
): void {
  set(request, reply, kind, value, `Expires=${expiresAt.toUTCString()}`);
}

export function clearCookie(request: FastifyRequest, reply: FastifyReply, kind: CookieKind): void {
  set(request, reply, kind, "", "Max-Age=0");
}

/** Fastify keeps the others that were set. */
function set(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: CookieKind,
  value: string,
  lifetime: string,
): void {
  const attributes = `Path=/; HttpOnly; SameSite=${kind.sameSite}`;
  const secure = isSecure(request) ? "; Secure" : "";
  reply.header("set-cookie", `${nameOf(request, kind)}=${value}; ${attributes}; ${lifetime}${secure}`);
}

const nameOf = (request: FastifyRequest, { name }: CookieKind): string =>
  isSecure(request) ? `__Host-${name}` : name;

/** As a proxy says, if it is a trusted one. */
const isSecure = (request: FastifyRequest): boolean => request.protocol === "https";
