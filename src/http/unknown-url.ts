/**
 * The answer to a path that does not exist, or not with this method: which endpoints there are, and the likely one
 * where a usual mistake is recognised: a base address without `/v1` or with two of them, with a whole endpoint or
 * with another service's prefix, a double slash, an endpoint of the same APIs that this service does not offer. Only
 * names of ours are shown, never the path itself: it may hold anything.
 */
import { ServiceError } from "../core/errors.js";
import { absence, endpointAt } from "../protocol/endpoints.js";
import { isOllamaPath } from "../protocol/ollama/paths.js";
import type { ApiRoute } from "./routes.js";

const prefix = "/v1";

/** Replies by the ids that they were given. */
const storedReply = /^\/(?:chat\/completions\/chatcmpl|responses\/resp)/;

interface Route {
  method: ApiRoute["method"];
  url: string;
  /** As it is shown: `GET /v1/models/{id}`. */
  name: string;
  pattern: RegExp;
}

export type UnknownUrl = (request: { url: string; method?: string }) => ServiceError;

export function unknownUrlOf(routes: readonly Pick<ApiRoute, "method" | "url">[]): UnknownUrl {
  const known = routes.map(({ method, url }): Route => ({
    url,
    method,
    name: `${method} ${prefix}${url.replace(/:(\w+)/g, "{$1}")}`,
    pattern: new RegExp(`^${url.replace(/:\w+/g, "[^/]+")}$`),
  }));
  const names = known.map(({ name }) => name);
  const list = `The endpoints are ${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}.`;
  const explain = (message: string) => new ServiceError("unknown_url", { message: `${message} ${list}` });

  return ({ url, method = "POST" }) => {
    const [path = ""] = url.split(/[?#]/);
    const here = known.find(({ pattern }) => pattern.test(withoutPrefix(path)));
    if (here !== undefined) return wrongMethod(here, method, path);
    if (isOllamaPath(path.slice(prefix.length))) return explain("Ollama's API is at /api, without /v1.");
    const wanted = wantedBy(path);
    const row = endpointAt(method, prefix + wanted) ?? endpointAt("POST", prefix + wanted);
    // What follows `/responses` need not be an id: the address may be wrong.
    const isClear = row !== undefined && (!row.path.includes("{") || storedReply.test(wanted));
    if (isClear && row.status === "refused") return explain(absence(row));
    const likely = known.find(({ pattern }) => pattern.test(wanted)) ?? endOf(wanted, known);
    if (likely === undefined && isClear && row.status === "not planned") return explain(absence(row));
    const similar = likely ?? similarTo(wanted, known);
    if (similar !== undefined) return explain(`There is no such endpoint. Did you mean ${similar.name}?`);
    return isBelowPrefix(path) ? explain("There is no such endpoint.") : new ServiceError("unknown_url");
  };
}

/** Some endpoints share their path with one that there is. */
function wrongMethod({ name }: Route, method: string, path: string): ServiceError {
  const row = endpointAt(method, path);
  const message =
    row?.method === method ? absence(row) : `This endpoint does not accept this method: use ${name}.`;
  return new ServiceError("unknown_url", { message });
}

const isBelowPrefix = (path: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** What follows the prefix, as the router reads it; nothing where the path is not below it. */
const withoutPrefix = (path: string): string =>
  isBelowPrefix(path) ? path.slice(prefix.length).replace(/\/$/, "") : "";

/** The same whatever the base address is that the path was appended to. */
const wantedBy = (path: string): string =>
  path
    .toLowerCase()
    .replace(/\/{2,}/g, "/")
    .replace(/^(?:\/(?:openai|anthropic|v\d+))*(?=\/|$)/, "")
    .replace(/\/$/, "");

/** Whatever it was appended to: another service's prefix, or an endpoint in place of the base address. */
const endOf = (wanted: string, routes: readonly Route[]): Route | undefined =>
  routes.find(({ method, url }) => method === "POST" && wanted.endsWith(url));

const similarTo = (wanted: string, routes: readonly Route[]): Route | undefined =>
  routes.find(({ url }) => {
    const [, first = ""] = url.split("/");
    return new RegExp(`^/${first.replace(/s$/, "")}s?(/|$)`).test(wanted);
  });
