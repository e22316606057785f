/** Every route, in one table. `HEAD` works wherever `GET` does. */
import type { RouteOptions } from "fastify";
import { complete } from "./api/complete.js";
import { countTokens } from "./api/count-tokens.js";
import { healthz, readyz } from "./api/health.js";
import { describeKey } from "./api/key.js";
import { guardedMetrics } from "./api/metrics.js";
import { listModels, retrieveModel } from "./api/models.js";
import { openApi } from "./api/openapi.js";
import type { HttpParts } from "./parts.js";

/** With one method, so that it can be named. */
export type ApiRoute = Pick<RouteOptions, "url" | "handler"> & { method: "GET" | "POST" };

/** Under `/v1`, for callers with a key. */
export const apiRoutes = (parts: HttpParts): ApiRoute[] => [
  { method: "POST", url: "/chat/completions", handler: complete(parts, "chatCompletions") },
  { method: "POST", url: "/responses", handler: complete(parts, "responses") },
  { method: "POST", url: "/messages", handler: complete(parts, "messages") },
  { method: "POST", url: "/messages/count_tokens", handler: countTokens(parts) },
  { method: "GET", url: "/models", handler: listModels(parts) },
  { method: "GET", url: "/models/:id", handler: retrieveModel(parts) },
  { method: "GET", url: "/key", handler: describeKey(parts) },
];

/** For everyone. */
export const openRoutes = (parts: HttpParts): ApiRoute[] => [
  { method: "GET", url: "/healthz", handler: healthz },
  { method: "GET", url: "/readyz", handler: readyz(parts) },
  { method: "GET", url: "/openapi.json", handler: openApi() },
  { method: "GET", url: "/metrics", handler: guardedMetrics(parts) },
];
