/**
 * Which network addresses this service never connects to, no matter who configured them: link-local and multicast
 * ones, and those where clouds hand out credentials to any program on the machine.
 *
 * An IPv6 address can lead to an IPv4 address (mapped, translated by NAT64 or SIIT, tunnelled by 6to4, Teredo or
 * ISATAP), and is refused when that one is. A name is checked by what it resolves to: `guardedLookup` goes into the
 * socket itself, so the address that was checked is the one that is connected to, however quickly its DNS records
 * change.
 */
import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Thrown with a sentence for the operator. */
export class AddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AddressError";
  }
}

/** Whether a connection failed because of `guardedLookup`. */
export const isAddressError = (error: unknown): boolean =>
  error instanceof AddressError || (error instanceof Error && error.cause instanceof AddressError);

const privateRanges = blockList(
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  // Shared address space: carriers' networks, and the overlay networks that join an operator's machines.
  "100.64.0.0/10",
  "::1/128",
  "fc00::/7",
);

const forbidden = blockList(
  ...["0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "fe80::/10", "ff00::/8"],
  // Clouds' metadata outside the link-local range: Alibaba, Azure, Oracle (in a range for protocols, never a host).
  ...["100.100.100.200/32", "168.63.129.16/32", "192.0.0.0/24"],
  // The same on IPv6, inside ranges that are private elsewhere: AWS, Google, Oracle, Scaleway.
  ...["fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128", "fd00:42::42/128"],
  // NAT64 with a prefix of the operator's choice inside: its destination is unknown.
  "64:ff9b:1::/48",
);

/** Made when it is first asked: few services connect to anything. */
function blockList(...ranges: string[]): () => BlockList {
  let list: BlockList | undefined;
  return () => {
    if (list !== undefined) return list;
    list = new BlockList();
    for (const range of ranges) {
      const [network = "", bits] = range.split("/");
      list.addSubnet(network, Number(bits), familyOf(network));
    }
    return list;
  };
}

/** Private: this machine and networks of the operator's own. Others are allowed where `allowPublic` says so. */
export function isAllowedAddress(address: string, allowPublic: boolean): boolean {
  if (isForbiddenAddress(address)) return false;
  return allowPublic || isPrivate(withoutMapping(address));
}

/** Neither forbidden nor private, nor an IPv6 address that leads to one that is. */
export function isPublicAddress(address: string): boolean {
  const plain = withoutMapping(address);
  if (isForbiddenAddress(plain) || isPrivate(plain)) return false;
  const groups = groupsOf(plain);
  return groups === null || !embeddedIpv4(groups).some(isPrivate);
}

/** Also true for what is no address at all. */
export function isForbiddenAddress(address: string): boolean {
  const plain = withoutMapping(address);
  if (isIP(plain) === 4) return forbidden().check(plain, "ipv4");
  const groups = groupsOf(plain);
  if (groups === null || forbidden().check(textOf(groups), "ipv6")) return true;
  // IPv4-compatible addresses are of the past; `::` is unspecified. Only loopback is left of that range.
  if (groups.slice(0, 6).every((group) => group === 0)) return !isPrivate(plain);
  return embeddedIpv4(groups).some((inside) => forbidden().check(inside, "ipv4"));
}

/** The host of a URL, when it is an address that is written out. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? null : host;
}

/** Where the host of a URL is an address; what a name leads to is known when it is connected to. */
export function isForbiddenHost(url: URL): boolean {
  const literal = literalAddress(url);
  return literal !== null && isForbiddenAddress(literal);
}

/** As `dns.lookup` with `all`. */
export type LookupAll = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** For sockets: like the system's own, but it fails when any address of the name is not allowed. */
export function guardedLookup(
  isAllowed: (address: string) => boolean,
  lookupAll: LookupAll = systemLookup,
): LookupFunction {
  return (host, options, callback) => {
    lookupAll(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const [first] = found;
      if (first === undefined || found.some(({ address }) => !isAllowed(address))) {
        callback(new AddressError("This name leads to an address that is not allowed."), []);
        return;
      }
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

const isPrivate = (plain: string): boolean => privateRanges().check(plain, familyOf(plain));

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/**
 * IPv4-mapped addresses reach the IPv4 address itself, so they are checked as that, in any notation. Other IPv6 ones
 * are written with all of their groups.
 */
export function withoutMapping(address: string): string {
  const groups = groupsOf(address);
  if (groups === null) return address;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? ipv4At(groups, 6) : textOf(groups);
}

/** IPv4 addresses that packets to this one may end up at. */
function embeddedIpv4(groups: readonly number[]): string[] {
  const [a = 0, b = 0, , , e = 0, f = 0] = groups;
  const isZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  if (a === 0x2002) return [ipv4At(groups, 1)];
  const inverted = groups.map((group) => group ^ 0xffff);
  if (a === 0x2001 && b === 0) return [ipv4At(groups, 2), ipv4At(inverted, 6)];
  if (a === 0x64 && b === 0xff9b && isZero(2, 6)) return [ipv4At(groups, 6)];
  if (isZero(0, 4) && e === 0xffff && f === 0) return [ipv4At(groups, 6)];
  if ((e === 0 || e === 0x200) && f === 0x5efe) return [ipv4At(groups, 6)];
  return [];
}

function ipv4At(groups: readonly number[], at: number): string {
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight groups of an IPv6 address, in whatever form it is written; null for anything else. */
function groupsOf(address: string): number[] | null {
  const withoutZone = address.replace(/%.*$/s, "");
  if (isIP(withoutZone) !== 6) return null;
  // URLs have one way of writing each address: hexadecimal, with at most one `::`.
  const [head = "", tail] = new URL(`http://[${withoutZone}]/`).hostname.slice(1, -1).split("::");
  const parse = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [parse(head), parse(tail ?? "")];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

const textOf = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(":");
