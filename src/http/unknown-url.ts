/**
 * The answer to a path that does not exist, or not with this method: which endpoints there are, and the likely one
 * where a usual mistake is recognised: a base address without `/v1` or with two of them, with a whole endpoint or
 * with another service's prefix, a double slash, an endpoint of the same APIs that this service does not offer. Only
 * names of ours are shown, never the path itself: it may hold anything.
 */
import { ServiceError } from "../core/errors.js";
import type { ApiRoute } from "./routes.js";

const prefix = "/v1";

/**
 * Endpoints that clients of these APIs know, by how their path begins; in order, so that the last that fits is the
 * narrowest.
 */
const notOffered = [
  "assistants",
  "audio",
  "batches",
  "files",
  "fine_tuning",
  "images",
  "messages/batches",
  "moderations",
  "realtime",
  "responses/compact",
  "responses/input_tokens",
  "threads",
  "uploads",
  "vector_stores",
];
/** Replies by the ids that they were given. */
const storedReply = /^\/(?:chat\/completions\/chatcmpl|responses\/resp)/;
/** What does the same job. */
const instead: Partial<Record<string, string>> = {
  "responses/compact": "shorten the conversation in the client, and send what is left in 'input'",
  "responses/input_tokens": "every reply says in 'usage' how many tokens its prompt had",
};

interface Endpoint {
  method: ApiRoute["method"];
  url: string;
  /** As it is shown: `GET /v1/models/{id}`. */
  name: string;
  pattern: RegExp;
}

export type UnknownUrl = (request: { url: string }) => ServiceError;

export function unknownUrlOf(routes: readonly Pick<ApiRoute, "method" | "url">[]): UnknownUrl {
  const endpoints = routes.map(({ method, url }): Endpoint => ({
    method,
    url,
    name: `${method} ${prefix}${url.replace(/:(\w+)/g, "{$1}")}`,
    pattern: new RegExp(`^${url.replace(/:\w+/g, "[^/]+")}$`),
  }));
  const names = endpoints.map(({ name }) => name);
  const list = `The endpoints are ${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}.`;
  const explain = (message: string) => new ServiceError("unknown_url", { message: `${message} ${list}` });

  return ({ url }) => {
    const [path = ""] = url.split(/[?#]/);
    const known = endpoints.find(({ pattern }) => pattern.test(withoutPrefix(path)));
    if (known !== undefined) {
      return new ServiceError("unknown_url", {
        message: `This endpoint does not accept this method: use ${known.name}.`,
      });
    }
    const wanted = wantedBy(path);
    if (storedReply.test(wanted)) {
      return explain("This service stores no replies, so there is none to retrieve.");
    }
    const foreign = notOffered.findLast((name) => wanted === `/${name}` || wanted.startsWith(`/${name}/`));
    const likely =
      endpoints.find(({ pattern }) => pattern.test(wanted)) ??
      endOf(wanted, endpoints) ??
      (foreign?.includes("/") === true ? undefined : similarTo(wanted, endpoints));
    if (likely !== undefined) return explain(`There is no such endpoint. Did you mean ${likely.name}?`);
    if (foreign !== undefined) {
      const advice = instead[foreign];
      return explain(
        `This service does not offer ${prefix}/${foreign}${advice === undefined ? "" : `: ${advice}`}.`,
      );
    }
    return isBelowPrefix(path) ? explain("There is no such endpoint.") : new ServiceError("unknown_url");
  };
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
const endOf = (wanted: string, endpoints: readonly Endpoint[]): Endpoint | undefined =>
  endpoints.find(({ method, url }) => method === "POST" && wanted.endsWith(url));

const similarTo = (wanted: string, endpoints: readonly Endpoint[]): Endpoint | undefined =>
  endpoints.find(({ url }) => {
    const [, first = ""] = url.split("/");
    return new RegExp(`^/${first.replace(/s$/, "")}s?(/|$)`).test(wanted);
  });
