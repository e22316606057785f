import type { FastifyRequest } from "fastify";

/**
 * The target that is routed for a request. One whose path the router could not decode would be answered by
 * the router itself, past authentication and with the path quoted; so its path is made into one that decodes,
 * and that no route has.
 */
export function routableTarget(target: string): string {
  // Most need no look at their parts.
  if (/^\/[\w/.-]*$/.test(target)) return target;
  const [, path = "", query = ""] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(.*)$/is.exec(target) ?? [];
  // `OPTIONS *` and bare hosts.
  if (!path.startsWith("/")) return `/${query}`;
  try {
    decodeURI(path);
    return path + query;
  } catch {
    return path.replaceAll("%", "%25") + query;
  }
}

/** A part of the path that varies, by its name in the route. */
export function pathParam({ params }: FastifyRequest, name: string): string {
  const value: unknown = new Map(Object.entries(params ?? {})).get(name);
  if (typeof value !== "string") throw new Error(`This route has no :${name}.`);
  return value;
}

/** From the address as it was sent: what is routed has no query. */
export const queryText = ({ originalUrl }: Pick<FastifyRequest, "originalUrl">): string =>
  originalUrl.includes("?") ? originalUrl.slice(originalUrl.indexOf("?") + 1) : "";

export const queryOf = (request: Pick<FastifyRequest, "originalUrl">): URLSearchParams =>
  new URLSearchParams(queryText(request));
