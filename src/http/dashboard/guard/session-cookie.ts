/** The session's cookie: who is signed in here. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { StartedSession } from "../../../core/sign-in/sessions.js";
import { clearCookie, readCookie, writeCookie, type CookieKind } from "./cookies.js";

const kind: CookieKind = { name: "sotto_session", sameSite: "Lax" };

export const readSessionCookie = (request: FastifyRequest): string | null => readCookie(request, kind);

export function writeSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, expiresAt }: StartedSession,
): void {
  writeCookie(request, reply, kind, { value: token, expiresAt });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  clearCookie(request, reply, kind);
}
