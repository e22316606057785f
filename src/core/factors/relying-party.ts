import { isIP } from "node:net";
import type { RelyingParty } from "./ports.js";

/**
 * Passkeys are bound to the host name of the service's configured address, never to what a request calls it. Browsers
 * have them on secure pages only, and not for bare IP addresses: null there. A service that listens on this machine
 * alone has them at `localhost`.
 */
export function relyingPartyOf(url: string): RelyingParty | null {
  const { protocol, hostname, origin, port } = new URL(url);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (isLocal) return { id: "localhost", origin: `${protocol}//localhost${port === "" ? "" : `:${port}`}` };
  const isName = isIP(hostname) === 0 && !hostname.startsWith("[");
  return protocol === "https:" && isName ? { id: hostname, origin } : null;
}
