/**
 * Headers on everything a browser may show, which is every answer outside /v1. Scripts, styles, fonts and
 * requests come from this origin or not at all; nothing runs from inside a page's text; no other site may
 * frame it, open a handle to it or read from it.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

export function writeSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (!/^\/v1(\/|$)/.test(request.url)) reply.headers(headers);
}
