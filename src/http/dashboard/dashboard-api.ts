/**
 * Everything that people see: the dashboard's API under /api, its pages, its feeds. Registered on
 * the server beside /v1 and apart from it: another way to sign in, another shape of errors.
 */
import type { FastifyInstance } from "fastify";
import { DashboardError } from "../../core/dashboard-error.js";
import { feedRoutes } from "../pages/feed.js";
import { registerStatic } from "../pages/static.js";
import { answerDashboardError } from "./errors.js";
import { requireOwnHost } from "./guard/own-host.js";
import type { DashboardParts } from "./parts.js";
import { dashboardRoutes, serve } from "./routes.js";
import { requireSameOrigin } from "./guard/same-origin.js";

export type { DashboardParts } from "./parts.js";

export function registerDashboard(server: FastifyInstance, parts: DashboardParts): void {
  server.addHook("onRequest", requireOwnHost(parts));
  for (const route of feedRoutes(parts)) server.route(route);
  registerStatic(server, parts);

  void server.register(
    async (api) => {
      api.setErrorHandler(answerDashboardError(parts.http.log));
      api.setNotFoundHandler(() => {
        throw new DashboardError("not_found", "There is no such address.");
      });
      api.addHook("onRequest", async (request, reply) => {
        reply.header("cache-control", "no-store");
        // Before it is asked where the request came from: whoever looks for that API is no page of ours.
        if (request.is404 && ollamaPath.test(request.url)) throw noOllama();
      });
      api.addHook("onRequest", requireSameOrigin(parts.publicUrl));
      for (const route of dashboardRoutes(parts)) {
        const { method, path } = route;
        api.route({ method, url: path, handler: serve(route, parts.dashboard.sessions) });
      }
    },
    { prefix: "/api" },
  );
}

const ollamaPath =
  /^\/api\/(?:blobs|chat|copy|create|delete|embed|embeddings|generate|ps|pull|push|show|tags|version)(?:[/?]|$)/;

const noOllama = () =>
  new DashboardError(
    "not_found",
    "Ollama's API is not served here: use POST /v1/chat/completions, and GET /v1/models for the models. Set the client up for an OpenAI-compatible API; its base address ends in /v1.",
  );
