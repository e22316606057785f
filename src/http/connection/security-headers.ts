/**
 * Headers on everything a browser may show, which is every answer outside the API. Scripts, styles, fonts and
 * requests come from this origin or not at all; nothing runs from inside a page's text; no other site may
 * frame it, open a handle to it or read from it. The page that checks services may ask others, too.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { isOllamaPath } from "../../protocol/ollama/paths.js";

const policy = (connections: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connections}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");

const headers = {
  "content-security-policy": policy("'self'"),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/** The page that checks a service, which may be another one. */
const verifier = { ...headers, "content-security-policy": policy("'self' https:") };

export function writeSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (/^\/v1(\/|$)/.test(request.url) || isOllamaPath(request.url)) return;
  reply.headers(/^\/verify\/?(\?|$)/.test(request.url) ? verifier : headers);
}
