/**
 * The path that is routed for a request target. Query strings mean nothing to this API. A target the router
 * could not decode would be answered by the router itself, past authentication and with the target quoted;
 * so it is made into a path that decodes, and that no route has.
 */
export function routablePath(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  // `OPTIONS *` and bare hosts.
  if (!path.startsWith("/")) return "/";
  try {
    decodeURI(path);
    return path;
  } catch {
    return path.replaceAll("%", "%25");
  }
}
