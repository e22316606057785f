/** Every route, in one table. `HEAD` works wherever `GET` does. */
import type { RouteOptions } from "fastify";
import { packageFile } from "../adapters/program-files.js";
import { complete } from "./api/complete.js";
import { countTokens } from "./api/count-tokens.js";
import { healthz, readyz } from "./api/health.js";
import { describeKey } from "./api/key.js";
import { guardedMetrics } from "./api/metrics.js";
import { listModels, retrieveModel } from "./api/models.js";
import { listRunning, listTags, refuse, refuseMethod, showModel, version } from "./api/ollama.js";
import { openApi } from "./api/openapi.js";
import { hpkeKeys } from "./proof/hpke-keys.js";
import type { DialectName } from "../protocol/dialects.js";
import { endpoints } from "../protocol/endpoints.js";
import type { HttpParts } from "./parts.js";
import { proofRoutes } from "./proof/proof-routes.js";

/** With one method, so that it can be named. */
export type ApiRoute = Pick<RouteOptions, "url" | "handler" | "config"> & { method: "GET" | "POST" };

/** Under `/v1`, for callers with a key. */
export const apiRoutes = (parts: HttpParts): ApiRoute[] => [
  completion(parts, "/chat/completions", "chatCompletions"),
  completion(parts, "/responses", "responses"),
  completion(parts, "/responses/compact", "compactResponses"),
  completion(parts, "/messages", "messages"),
  completion(parts, "/completions", "completions"),
  { method: "POST", url: "/messages/count_tokens", handler: countTokens(parts) },
  completion(parts, "/embeddings", "embeddings"),
  completion(parts, "/rerank", "rerank"),
  { method: "GET", url: "/models", handler: listModels(parts) },
  { method: "GET", url: "/models/:id", handler: retrieveModel(parts) },
  { method: "GET", url: "/key", handler: describeKey(parts) },
];

/** Under `/api`, for callers with a key. */
export const ollamaRoutes = (parts: HttpParts): ApiRoute[] => [
  completion(parts, "/chat", "ollamaChat"),
  completion(parts, "/generate", "ollamaGenerate"),
  completion(parts, "/embed", "ollamaEmbed"),
  completion(parts, "/embeddings", "ollamaEmbeddings"),
  { method: "GET", url: "/tags", handler: listTags(parts) },
  { method: "POST", url: "/show", handler: showModel(parts) },
  { method: "GET", url: "/ps", handler: listRunning(parts) },
  { method: "GET", url: "/version", handler: version },
];

/**
 * The rest of Ollama's paths: what is not served, and methods that are not. They are routes since whatever no route of
 * `/api` has is the dashboard's.
 */
export function ollamaRefusals(parts: HttpParts): RouteOptions[] {
  const refusals = endpoints.flatMap((endpoint): RouteOptions[] => {
    if (endpoint.api !== "Ollama" || endpoint.status !== "refused") return [];
    const url = endpoint.path.replace("/api", "");
    const options = { method: methods, preParsing: refuse(endpoint), handler: refuse(endpoint) };
    return [{ ...options, url }, ...(endpoint.below === true ? [{ ...options, url: `${url}/*` }] : [])];
  });
  const otherMethods = ollamaRoutes(parts).map(({ method, url }): RouteOptions => {
    const refusal = refuseMethod({ method, path: `/api${url}` });
    return {
      method: methods.filter((other) => other !== method),
      url,
      preParsing: refusal,
      handler: refusal,
    };
  });
  return [...refusals, ...otherMethods];
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

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
  { method: "GET", url: "/openapi.json", handler: openApi(packageFile("docs/openapi.yaml")) },
  { method: "GET", url: "/metrics", handler: guardedMetrics(parts) },
  { method: "GET", url: "/.well-known/hpke-keys", handler: hpkeKeys(parts) },
  ...proofRoutes(parts),
];
