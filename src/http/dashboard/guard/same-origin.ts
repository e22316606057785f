/**
 * Refuses requests that another site made a browser send (CSRF). What changes something must be JSON, which
 * no form can send, and must come from our own pages: the browser says so in `Sec-Fetch-Site`, and where it
 * does not (an old one, or plain HTTP to another machine) in `Origin`.
 */
import type { FastifyRequest } from "fastify";
import { DashboardError } from "../../../core/dashboard-error.js";

const safeMethods = new Set(["GET", "HEAD"]);

/** For the `onRequest` hook. `publicUrl` is the configured address, if any. */
export function requireSameOrigin(publicUrl: string | undefined) {
  const configured = publicUrl === undefined ? null : new URL(publicUrl).origin;
  return async (request: FastifyRequest): Promise<void> => {
    if (safeMethods.has(request.method)) return;
    const isJson = /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "");
    if (isJson && isSameOrigin(request, configured)) return;
    throw new DashboardError("forbidden", "This request did not come from the dashboard.");
  };
}

function isSameOrigin(request: FastifyRequest, configured: string | null): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin } = request.headers;
  if (origin === undefined) return false;
  return origin === configured || origin === `${request.protocol}://${request.host}`;
}
