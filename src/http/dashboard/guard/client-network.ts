import { isIPv6 } from "node:net";

/**
 * The network that attempts from an address are counted against. A household or a server has at least a /64 of
 * IPv6, all of it equally its own; IPv4 written as IPv6 is one address.
 */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail = ""] = address.replace(/%.*$/, "").split("::");
  const left = head.split(":").filter((part) => part !== "");
  const right = tail.split(":").filter((part) => part !== "");
  const zeros = address.includes("::") ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...new Array<string>(zeros).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
