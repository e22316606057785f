/**
 * The target that is routed for a request. One whose path the router could not decode would be answered by
 * the router itself, past authentication and with the path quoted; so its path is made into one that decodes,
 * and that no route has.
 */
export function routableTarget(target: string): string {
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
