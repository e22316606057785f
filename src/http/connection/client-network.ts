import { isIPv6 } from "node:net";
import { withoutMapping } from "../../adapters/address-policy.js";

/**
 * The network that attempts from an address are counted against. A household or a server has at least a /64 of
 * IPv6, all of it equally its own; IPv4 written as IPv6 is one address.
 */
export function clientNetwork(address: string): string {
  const plain = withoutMapping(address);
  return isIPv6(plain) ? `${plain.split(":").slice(0, 4).join(":")}::/64` : plain;
}
