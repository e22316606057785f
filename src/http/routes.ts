/** Every route, in one table. `HEAD` works wherever `GET` does. */
import type { RouteOptions } from "fastify";
import { complete } from "./api/complete.js";
import { countTokens } from "./api/count-tokens.js";
import { healthz, readyz } from "./api/health.js";
import { describeKey } from "./api/key.js";
import { guardedMetrics } from "./api/metrics.js";
import { listModels, retrieveModel } from "./api/models.js";
import { openApi } from "./api/openapi.js";
import { hpkeKeys } from "./proof/hpke-keys.js";
import type { DialectName } from "../protocol/dialects.js";
import type { HttpParts } from "./parts.js";
import { proofRoutes } from "./proof/proof-routes.js";

/** With one method, so that it can be named. */
export type ApiRoute = Pick<RouteOptions, "url" | "handler" | "config"> & { method: "GET" | "POST" };

/** Under `/v1`, for callers with a key. */
export const apiRoutes = (parts: HttpParts): ApiRoute[] => [
  completion(parts, "/chat/completions", "chatCompletions"),
  completion(parts, "/responses", "responses"),
  completion(parts, "/messages", "messages"),
  completion(parts, "/completions", "completions"),
  { method: "POST", url: "/messages/count_tokens", handler: countTokens(parts) },
  completion(parts, "/embeddings", "embeddings"),
  completion(parts, "/rerank", "rerank"),
  { method: "GET", url: "/models", handler: listModels(parts) },
  { method: "GET", url: "/models/:id", handler: retrieveModel(parts) },
  { method: "GET", url: "/key", handler: describeKey(parts) },
];

const completion = (parts: HttpParts, url: string, dialect: DialectName): ApiRoute => ({
  method: "POST",
  url,
  handler: complete(parts, dialect),
  config: { countsRequests: true },
});

/** For everyone. */
export const openRoutes = (parts: HttpParts): ApiRoute[] => [
  { method: "GET", url: "/healthz", handler: healthz },
  { method: "GET", url: "/readyz", handler: readyz(parts) },
  { method: "GET", url: "/openapi.json", handler: openApi() },
  { method: "GET", url: "/metrics", handler: guardedMetrics(parts) },
  { method: "GET", url: "/.well-known/hpke-keys", handler: hpkeKeys(parts) },
  ...proofRoutes(parts),
];
