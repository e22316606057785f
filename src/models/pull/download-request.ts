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
import { WeightsError } from "../weights-error.js";

export interface DownloadSettings {
  endpoint: string;
  /** For models that ask for one. */
  token?: string | undefined;
  /** The only hosts that are asked, see `allowedHosts`; undefined for any. */
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
      const answer = await undici
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
      const { statusCode: status, body } = answer;
      const header = (name: string): string | undefined => [answer.headers[name]].flat()[0];
      linkedSha256 ??= sha256In(header("x-linked-etag"));
      linkedBytes ??= sizeIn(header("x-linked-size"));
      const location = header("location");
      const isRedirect = status >= 301 && status <= 308 && URL.canParse(location ?? "", url.href);
      if (!isRedirect || location === undefined) return { status, header, body, linkedSha256, linkedBytes };
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

/**
 * Throws for an address that is not to be asked, be it the one that was asked for or one it redirects to. Weights sent
 * unencrypted could be modified on the way.
 */
export function requireDownloadable(url: URL, asked: URL, allowed: readonly string[] | undefined): void {
  const literal = literalAddress(url);
  if (literal !== null && isForbiddenAddress(literal)) throw notAllowed(url, asked);
  // No server elsewhere may have this machine's own services asked.
  const isLocal = url.protocol === "http:" && isLoopback(url.hostname) && isLoopback(asked.hostname);
  if (url.protocol !== "https:" && !isLocal)
    throw new WeightsError(
      `${whereOf(url, asked)} is not https: weights are only downloaded over an encrypted connection.`,
    );
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

/** Where the endpoint's own redirects go: Hugging Face keeps its files on hosts of these domains. */
const huggingFaceHosts = ["huggingface.co", "*.huggingface.co", "hf.co", "*.hf.co"];

/**
 * The hosts that weights may be downloaded from when somebody asks from the dashboard: names as in addresses, with a
 * port where it is not the usual one, or `*.example.com` for everything below a domain. `hosts` is as configured;
 * undefined for the default.
 */
export const allowedHosts = ({
  hfEndpoint,
  hosts,
}: {
  hfEndpoint: string;
  hosts: readonly string[] | undefined;
}): string[] => [...new Set(hosts ?? [new URL(hfEndpoint).host, ...huggingFaceHosts])];

function isAllowedHost(url: URL, allowed: readonly string[]): boolean {
  const host = url.host.toLowerCase();
  return allowed.some((entry) =>
    entry.startsWith("*.") ? host.endsWith(entry.slice(1).toLowerCase()) : host === entry.toLowerCase(),
  );
}

/** The same URL will never serve the file: no retry, and the partial file is removed. */
export class FinalDownloadError extends WeightsError {}

/** The error for a response with this status to a request for `what`. */
export function statusError(status: number, what: string): FinalDownloadError {
  if (status === 404) return new FinalDownloadError(`There is no ${what} (404). Check the spelling.`);
  if (status === 401 || status === 403) {
    return new FinalDownloadError(
      `${what} is private or gated (${status}): accept its licence on its page and set SOTTO_HF_TOKEN to a token that may read it. An address with a signature may have expired: get a new one.`,
    );
  }
  return new FinalDownloadError(
    `${what} cannot be downloaded: the server answered ${status}. Check the address, or try another source.`,
  );
}
