/**
 * One GET of a download, with the rules for where it may go: https only, except to this machine itself when it was
 * asked for by hand; a few redirects at most; never to an address where clouds keep credentials; the token to its own
 * host and nowhere else. Every step has a time limit, silence included.
 */
import type { Agent, Dispatcher } from "undici";
import {
  AddressError,
  guardedLookup,
  isForbiddenAddress,
  literalAddress,
  type LookupAll,
} from "../../adapters/address-policy.js";
import { isAllowedHost } from "./allowed-hosts.js";
import { WeightsError } from "../weights-error.js";

export interface DownloadSettings {
  endpoint: string;
  /** For models that ask for one. */
  token?: string | undefined;
  /** The only hosts that are asked, see `allowed-hosts.ts`; undefined for any. */
  allowedHosts?: readonly string[] | undefined;
  connectTimeoutMs?: number;
  /** Longest silence, before the answer and within it. */
  stallTimeoutMs?: number;
  /** By default the system's resolver. */
  lookupAll?: LookupAll;
}

export interface Answer {
  status: number;
  header: (name: string) => string | undefined;
  body: Dispatcher.ResponseData["body"];
  /** SHA-256 and size as Hugging Face gives them on the way. */
  linkedSha256: string | null;
  linkedBytes: number | null;
}

const maxRedirects = 6;

export class DownloadClient {
  #agent: Agent | null = null;

  constructor(readonly settings: DownloadSettings) {}

  /** The final answer, whatever its status. The caller reads or destroys its body. */
  async get(address: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    // Loaded here, since most servers download nothing.
    const { default: undici } = await import("undici");
    this.#agent ??= new undici.Agent(connectionLimits(this.settings));
    const dispatcher = this.#agent;
    let url = address;
    let linkedSha256: string | null = null;
    let linkedBytes: number | null = null;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      requireDownloadable(url, address, this.settings.allowedHosts);
      const {
        statusCode,
        headers: received,
        body,
      } = await undici
        .request(url, {
          dispatcher,
          headers: {
            "user-agent": "sotto",
            "accept-encoding": "identity",
            ...headers,
            ...this.#authorization(url),
          },
          signal,
        })
        .catch((error: unknown) => {
          // Not worth another try.
          throw error instanceof AddressError ? notAllowed(url, address) : error;
        });
      const header = (name: string): string | undefined => [received[name]].flat()[0];
      linkedSha256 ??= sha256In(header("x-linked-etag"));
      linkedBytes ??= sizeIn(header("x-linked-size"));
      const location = header("location");
      if (
        statusCode < 301 ||
        statusCode > 308 ||
        location === undefined ||
        !URL.canParse(location, url.href)
      ) {
        return { status: statusCode, header, body, linkedSha256, linkedBytes };
      }
      await body.dump();
      url = new URL(location, url);
    }
    throw new WeightsError(`${shownAddress(address)} was redirected more than ${maxRedirects} times.`);
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  #authorization(url: URL): Record<string, string> {
    const { token, endpoint } = this.settings;
    return token !== undefined && url.origin === new URL(endpoint).origin
      ? { authorization: `Bearer ${token}` }
      : {};
  }
}

const connectionLimits = ({
  connectTimeoutMs = 15_000,
  stallTimeoutMs = 30_000,
  lookupAll,
}: DownloadSettings): Agent.Options => ({
  connect: {
    timeout: connectTimeoutMs,
    lookup: guardedLookup((address) => !isForbiddenAddress(address), lookupAll),
  },
  headersTimeout: stallTimeoutMs,
  bodyTimeout: stallTimeoutMs,
});

/** Throws for an address that is not to be asked, be it the one that was asked for or one it redirects to. */
export function requireDownloadable(url: URL, asked: URL, allowed: readonly string[] | undefined): void {
  requireSafe(url, asked);
  requireAllowedHost(url, asked, allowed);
}

/** Weights sent unencrypted could be modified on the way. */
export function requireSafe(url: URL, asked: URL): void {
  const literal = literalAddress(url);
  if (literal !== null && isForbiddenAddress(literal)) throw notAllowed(url, asked);
  if (url.protocol === "https:") return;
  // No server elsewhere may have this machine's own services asked.
  if (url.protocol === "http:" && isLoopback(url.hostname) && isLoopback(asked.hostname)) return;
  throw new WeightsError(
    `${whereOf(url, asked)} is not https: weights are only downloaded over an encrypted connection.`,
  );
}

/** Pulls that are started from the dashboard connect to allowed hosts only, redirects included. */
function requireAllowedHost(url: URL, asked: URL, allowed: readonly string[] | undefined): void {
  if (allowed === undefined || isAllowedHost(url, allowed)) return;
  throw new WeightsError(
    `${whereOf(url, asked)} is not a host that weights are downloaded from (${allowed.join(", ")}). Add it to SOTTO_DOWNLOAD_HOSTS, or pull it with sotto models pull.`,
  );
}

const notAllowed = (url: URL, asked: URL): WeightsError =>
  new WeightsError(
    `${whereOf(url, asked)} is at an address that nothing is downloaded from: it is link-local, multicast or unspecified, or one where clouds keep credentials.`,
  );

const whereOf = (url: URL, asked: URL): string =>
  url === asked ? url.origin : `${shownAddress(asked)} redirects to ${url.origin}, which`;

/** Without the query and the user info, which may be secret. */
export const shownAddress = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);

const sha256In = (etag: string | undefined): string | null =>
  /^"?([0-9a-f]{64})"?$/.exec(etag ?? "")?.[1] ?? null;

const sizeIn = (text: string | undefined): number | null =>
  /^\d{1,15}$/.test(text ?? "") ? Number(text) : null;
