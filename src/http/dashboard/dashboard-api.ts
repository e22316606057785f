/**
 * Everything that people see: the dashboard's API under /api, its pages, its feeds. Registered on the server beside /v1
 * and apart from it: another way to sign in, another shape of errors. Ollama's API has paths of its own under /api, which
 * are registered with /v1.
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
import { backChannelRoutes } from "./single-sign-on/back-channel.js";
import { redirectRoutes } from "./single-sign-on/redirects.js";

export type { DashboardParts } from "./parts.js";

export function registerDashboard(server: FastifyInstance, parts: DashboardParts): void {
  server.addHook("onRequest", requireOwnHost(parts));
  for (const route of feedRoutes(parts)) server.route(route);
  for (const route of [...redirectRoutes(parts), ...backChannelRoutes(parts)]) server.route(route);
  registerStatic(server, parts);

  void server.register(
    async (api) => {
      api.setErrorHandler(answerDashboardError(parts.http.log));
      api.setNotFoundHandler(() => {
        throw new DashboardError("not_found", "There is no such address.");
      });
      api.addHook("onRequest", async (_request, reply) => {
        reply.header("cache-control", "no-store");
      });
      api.addHook("onRequest", requireSameOrigin(parts.publicUrl));
      for (const route of dashboardRoutes(parts)) {
        const { method, path } = route;
        // Nobody asks the others with HEAD, and a second route for each takes time at every start.
        const exposeHeadRoute = route.access === "anyone";
        api.route({ method, url: path, handler: serve(route, parts.dashboard), exposeHeadRoute });
      }
    },
    { prefix: "/api" },
  );
}
