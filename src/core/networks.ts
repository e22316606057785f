/**
 * Lists of networks in CIDR notation, IPv4 and IPv6, and whether an address is in one of them. A bare address is a network
 * of one. IPv4 written as IPv6 (`::ffff:192.0.2.1`), in a list or as an address, is the IPv4 address.
 */
import { BlockList, isIP } from "node:net";
import { mostNetworks } from "./bounds.js";

export const howToWriteNetworks = `Write up to ${mostNetworks} networks such as 192.0.2.0/24 or 2001:db8::/32, or single addresses.`;

/** The usual notation of a network, without the bits that do not count; null when it is none. */
export function parseNetwork(text: string): string | null {
  const [address = "", length, ...rest] = text.trim().toLowerCase().split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || rest.length > 0) return null;
  const bits = family === 4 ? 32 : 128;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return null;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return null;
  const bytes = bytesOf(address);
  const isMapped = family === 6 && prefix >= 96 && isMappedIpv4(bytes);
  const masked = masking(isMapped ? bytes.slice(12) : bytes, isMapped ? prefix - 96 : prefix);
  return `${textOf(masked)}/${isMapped ? prefix - 96 : prefix}`;
}

/** Each network once; null when one of them is none. */
export function parseNetworks(texts: readonly string[]): string[] | null {
  const networks = [...new Set(texts.map(parseNetwork))].filter((network) => network !== null);
  return texts.every((text) => parseNetwork(text) !== null) ? networks : null;
}

/** Each list is compiled once: the array is kept with the key or team it belongs to. */
const compiled = new WeakMap<readonly string[], BlockList>();

/** `networks` as `parseNetwork` writes them. False for what is no address. */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const plain = address.replace(/%.*$/s, "");
  const family = isIP(plain);
  if (family === 0) return false;
  let list = compiled.get(networks);
  if (list === undefined) compiled.set(networks, (list = compile(networks)));
  // It takes mapped addresses for what they are.
  return list.check(plain, family === 4 ? "ipv4" : "ipv6");
}

function compile(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", length] = network.split("/");
    list.addSubnet(address, Number(length), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

function bytesOf(address: string): number[] {
  if (isIP(address) === 4) return address.split(".").map(Number);
  // URLs have one way of writing each address: hexadecimal, with at most one `::`.
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const groups = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return all.flatMap((group) => [group >> 8, group & 255]);
}

const isMappedIpv4 = (bytes: readonly number[]): boolean =>
  bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;

const masking = (bytes: readonly number[], prefix: number): number[] =>
  bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * at))) & 255);

function textOf(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
}
