/**
 * Which addresses an engine may have. Conversations leave this process for it, so by default only this machine and
 * private networks are allowed; some addresses never are (adapters/address-policy.ts).
 *
 * A name is resolved and every address it has must be allowed: once when the engine is set up, for a clear
 * message, and again by the socket itself at each connection, so that DNS rebinding does not help.
 */
import { lookup } from "node:dns/promises";
import {
  AddressError,
  isAllowedAddress,
  isForbiddenAddress,
  literalAddress,
} from "../../../adapters/address-policy.js";

export type Resolve = (host: string) => Promise<readonly string[]>;

/** The address of an engine without a `/v1` at its end, or an `AddressError`. */
export async function checkAddress(
  text: string,
  rules: { allowPublic?: boolean | undefined; resolve?: Resolve } = {},
): Promise<URL> {
  const url = parseAddress(text);
  const literal = literalAddress(url);
  const host = literal ?? url.hostname;
  const addresses = literal === null ? await resolved(host, rules.resolve ?? allAddresses) : [literal];
  const allowPublic = rules.allowPublic ?? false;
  const refused = addresses.find((address) => !isAllowedAddress(address, allowPublic));
  if (refused !== undefined) throw new AddressError(whyRefused(host, refused));
  return url;
}

/** Checks that need no name resolution. */
export function parseAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new AddressError("The address of an engine looks like http://gpu-1:8000/v1.");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressError("The address of an engine begins with http:// or https://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new AddressError(
      "Leave user name and password out of the address; give the engine's key by itself.",
    );
  }
  if (url.search !== "" || url.hash !== "") {
    throw new AddressError("The address of an engine has neither '?' nor '#'.");
  }
  url.pathname = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return url;
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    const addresses = await resolve(host);
    if (addresses.length > 0) return addresses;
  } catch {
    // The same message for a name that does not exist and for one without an address.
  }
  throw new AddressError(`No address was found for '${host}'.`);
}

const allAddresses: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export function whyRefused(host: string, address: string): string {
  const named = host === address ? host : `${host} (${address})`;
  if (isForbiddenAddress(address)) {
    return `${named} cannot be an engine: it is a link-local, multicast or unspecified address, or one where clouds keep credentials.`;
  }
  return `${named} is not on this machine or a private network. Conversations would leave it; allow public addresses for this engine if that is meant.`;
}
