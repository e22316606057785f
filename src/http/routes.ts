/** Every route, in one table. `HEAD` works wherever `GET` does. */
import type { RouteOptions } from "fastify";
import { complete } from "./api/complete.js";
import { healthz, readyz } from "./api/health.js";
import { guardedMetrics } from "./api/metrics.js";
import { listModels, retrieveModel } from "./api/models.js";
import { openApi } from "./api/openapi.js";
import type { HttpParts } from "./parts.js";

/** With one method, so that it can be named. */
export type ApiRoute = Pick<RouteOptions, "url" | "handler" | "config"> & { method: "GET" | "POST" };

/** Under `/v1`, for callers with a key. */
export const apiRoutes = (parts: HttpParts): ApiRoute[] => [
  {
    method: "POST",
    url: "/chat/completions",
    handler: complete(parts, "chatCompletions"),
    config: { countsRequests: true },
  },
  { method: "GET", url: "/models", handler: listModels(parts) },
  { method: "GET", url: "/models/:id", handler: retrieveModel(parts) },
];

/** For everyone. */
export const openRoutes = (parts: HttpParts): ApiRoute[] => [
  { method: "GET", url: "/healthz", handler: healthz },
  { method: "GET", url: "/readyz", handler: readyz(parts) },
  { method: "GET", url: "/openapi.json", handler: openApi() },
  { method: "GET", url: "/metrics", handler: guardedMetrics(parts) },
];
