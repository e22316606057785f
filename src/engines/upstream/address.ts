/**
 * Where an engine may be. Conversations leave this process for it, so by default only this machine and private
 * networks will do, and link-local addresses never: cloud machines answer with their secrets there.
 *
 * A name is resolved and every address it has must be allowed: once when the engine is set up, for a clear
 * message, and again by the socket itself at each connection, so that a name that changes later is of no use.
 */
import { lookup as resolveName, type LookupAddress, type LookupOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Thrown with a sentence for the operator. */
export class AddressFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AddressFault";
  }
}

const privateRanges = new BlockList();
privateRanges.addSubnet("127.0.0.0", 8, "ipv4");
privateRanges.addSubnet("10.0.0.0", 8, "ipv4");
privateRanges.addSubnet("172.16.0.0", 12, "ipv4");
privateRanges.addSubnet("192.168.0.0", 16, "ipv4");
// Shared address space: carriers' networks, and the overlay networks that join an operator's machines.
privateRanges.addSubnet("100.64.0.0", 10, "ipv4");
privateRanges.addAddress("::1", "ipv6");
privateRanges.addSubnet("fc00::", 7, "ipv6");

const neverRanges = new BlockList();
neverRanges.addSubnet("0.0.0.0", 8, "ipv4");
neverRanges.addSubnet("169.254.0.0", 16, "ipv4");
neverRanges.addSubnet("224.0.0.0", 3, "ipv4");
neverRanges.addAddress("::", "ipv6");
neverRanges.addSubnet("fe80::", 10, "ipv6");
neverRanges.addSubnet("ff00::", 8, "ipv6");

export function isAllowedAddress(address: string, allowPublic: boolean): boolean {
  const plain = withoutMapping(address);
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  if (isIP(plain) === 0 || neverRanges.check(plain, family)) return false;
  return allowPublic || privateRanges.check(plain, family);
}

/** IPv4 inside IPv6 is judged as what it is: `::ffff:127.0.0.1`, also written `::ffff:7f00:1`. */
function withoutMapping(address: string): string {
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address);
  if (mapped === null) return address;
  const [, dotted, high = "", low = ""] = mapped;
  if (dotted !== undefined) return dotted;
  const [h, l] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [h >> 8, h & 255, l >> 8, l & 255].join(".");
}

export type Resolve = (host: string) => Promise<readonly string[]>;

export interface AddressRules {
  allowPublic?: boolean | undefined;
  resolve?: Resolve;
}

/** The address of an engine without a `/v1` at its end, or an `AddressFault`. */
export async function checkAddress(text: string, rules: AddressRules = {}): Promise<URL> {
  const url = parseAddress(text);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await resolved(host, rules.resolve ?? allAddresses) : [host];
  const allowPublic = rules.allowPublic ?? false;
  const refused = addresses.find((address) => !isAllowedAddress(address, allowPublic));
  if (refused !== undefined) throw new AddressFault(whyRefused(host, refused, allowPublic));
  return url;
}

/** What can be said of an address without asking anyone. */
export function parseAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new AddressFault("The address of an engine looks like http://gpu-1:8000/v1.");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressFault("The address of an engine begins with http:// or https://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new AddressFault(
      "Leave user name and password out of the address; give the engine's key by itself.",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    throw new AddressFault("The address of an engine has neither '?' nor '#'.");
  }
  url.pathname = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return url;
}

/** For sockets: like the system's own, but it fails when any address is not allowed. */
export function guardedLookup(allowPublic: boolean): LookupFunction {
  return (host, options, callback) => {
    const given: LookupOptions = { ...options, all: true };
    resolveName(host, given, (error, found) => {
      const addresses: LookupAddress[] = Array.isArray(found) ? found : [];
      if (error !== null) {
        callback(error, []);
        return;
      }
      if (
        addresses.length === 0 ||
        addresses.some(({ address }) => !isAllowedAddress(address, allowPublic))
      ) {
        callback(new AddressFault("This name leads to an address that is not allowed."), []);
        return;
      }
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else if (first !== undefined) callback(null, first.address, first.family);
    });
  };
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    const addresses = await resolve(host);
    if (addresses.length > 0) return addresses;
  } catch {
    // Said below, the same for a name that does not exist and for one without an address.
  }
  throw new AddressFault(`No address was found for '${host}'.`);
}

const allAddresses: Resolve = (host) =>
  new Promise((resolve, reject) => {
    resolveName(host, { all: true }, (error, found) => {
      if (error === null) resolve(found.map(({ address }) => address));
      else reject(error);
    });
  });

function whyRefused(host: string, address: string, allowPublic: boolean): string {
  const named = host === address ? host : `${host} (${address})`;
  if (allowPublic) return `${named} can be no engine: it is a link-local, multicast or unspecified address.`;
  return `${named} is not on this machine or a private network. Conversations would leave it; allow public addresses for this engine if that is meant.`;
}
