/**
 * Where a provider reports that someone signed out or was removed there. It has no session and no key: the signed token is
 * all that is believed. Answers are those of OpenID Connect Back-Channel Logout 1.0.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { DashboardError } from "../../../core/dashboard-error.js";
import { ProviderFailure } from "../../../core/single-sign-on/ports.js";
import { logoutPath } from "../../../core/single-sign-on/provider.js";
import { withTimeLimit } from "../../../core/time-limit.js";
import { readBytes } from "../../bodies/body.js";
import { pathParam } from "../../connection/paths.js";
import type { DashboardParts } from "../parts.js";

const bodyLimitBytes = 64 * 1024;
const bodyMs = 10_000;

export const backChannelRoutes = ({ http, dashboard }: DashboardParts): RouteOptions[] => [
  {
    method: "POST",
    url: logoutPath(":provider"),
    handler: async (request, reply) => {
      reply.header("cache-control", "no-store");
      try {
        await dashboard.providerLogout.receive(pathParam(request, "provider"), await readToken(request));
        return await reply.code(200).send();
      } catch (error) {
        if (error instanceof ProviderFailure && error.kind !== "unreachable") return refuse(reply, 400);
        if (error instanceof DashboardError) return refuse(reply, 400);
        if (!(error instanceof ProviderFailure)) http.log.unexpected(error, { requestId: request.id });
        return refuse(reply, 503);
      }
    },
  },
];

async function readToken(request: FastifyRequest): Promise<string> {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers["content-type"] ?? "");
  if (!isForm) throw new ProviderFailure("invalid", "A logout token comes in a form.");
  const reading = readBytes(request.raw, bodyLimitBytes, request.exchange.signal);
  const body = await withTimeLimit(reading, bodyMs);
  const token = new URLSearchParams(body.toString("utf8")).get("logout_token");
  if (token === null) throw new ProviderFailure("invalid", "The form has no logout token.");
  return token;
}

const refuse = (reply: FastifyReply, status: 400 | 503): FastifyReply =>
  reply.code(status).send({ error: status === 400 ? "invalid_request" : "temporarily_unavailable" });
