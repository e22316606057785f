/** Every route, in one table. `HEAD` works wherever `GET` does. */
import type { RouteOptions } from "fastify";
import { createChatCompletion } from "./api/chat.js";
import { healthz, readyz } from "./api/health.js";
import { guardedMetrics } from "./api/metrics.js";
import { listModels, retrieveModel } from "./api/models.js";
import { openApi } from "./api/openapi.js";
import type { HttpParts } from "./parts.js";

type Route = Pick<RouteOptions, "method" | "url" | "handler">;

/** Under `/v1`, for callers with a key. */
export const apiRoutes = (parts: HttpParts): Route[] => [
  { method: "POST", url: "/chat/completions", handler: createChatCompletion(parts) },
  { method: "GET", url: "/models", handler: listModels(parts) },
  { method: "GET", url: "/models/:id", handler: retrieveModel(parts) },
];

/** For everyone. */
export const openRoutes = (parts: HttpParts): Route[] => [
  { method: "GET", url: "/healthz", handler: healthz },
  { method: "GET", url: "/readyz", handler: readyz(parts) },
  { method: "GET", url: "/openapi.json", handler: openApi() },
  { method: "GET", url: "/metrics", handler: guardedMetrics(parts) },
];
