/**
 * Requests to identity providers. Their addresses come from admins and from the providers' own metadata, so none is
 * connected to that the address policy forbids, whatever its name resolves to; redirects are not followed; time and
 * bytes of every answer are limited, and so are the connections.
 */
import { Agent } from "undici";
import { guardedLookup, isAddressError, isForbiddenAddress, isForbiddenHost } from "../address-policy.js";
import { allOf } from "../download.js";
import { ProviderFailure } from "../../core/single-sign-on/ports.js";

/** Metadata and keys have a few kilobytes. */
const maxBytes = 512 * 1024;
const connectMs = 3_000;

interface RequestOptions {
  method?: string;
  headers?: Record<string, string> | undefined;
  body?: unknown;
}

export class ProviderRequests {
  readonly #agent = new Agent({
    connections: 8,
    connect: { timeout: connectMs, lookup: guardedLookup((address) => !isForbiddenAddress(address)) },
  });

  constructor(private readonly timeoutMs: number) {}

  /** As `fetch`, with the whole answer. Rejects with `ProviderFailure` when there is none. */
  readonly fetch = async (
    address: string,
    { method = "GET", headers, body }: RequestOptions = {},
  ): Promise<Response> => {
    const url = new URL(address);
    if (isForbiddenHost(url)) throw forbidden(url);
    const limit = AbortSignal.timeout(this.timeoutMs);
    try {
      const answer = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: method === "POST" ? "POST" : "GET",
        headers: { ...headers, "accept-encoding": "identity" },
        body: textOf(body),
        signal: limit,
      });
      const bytes = await allOf(answer.body, maxBytes, () => tooLarge(url));
      return new Response(bytes.length === 0 ? null : bytes, {
        status: answer.statusCode,
        headers: plainHeaders(answer.headers),
      });
    } catch (error) {
      if (error instanceof ProviderFailure) throw error;
      if (isAddressError(error)) throw forbidden(url);
      const why = limit.aborted ? "does not answer in time" : "cannot be reached";
      throw new ProviderFailure("unreachable", `${url.host} ${why}.`, { cause: error });
    }
  };

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function textOf(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("Requests to identity providers have forms as bodies.");
}

const plainHeaders = (headers: Record<string, string | string[] | undefined>): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );

const forbidden = ({ host }: URL): ProviderFailure =>
  new ProviderFailure("unreachable", `${host} leads to an address that this service never connects to.`);

const tooLarge = ({ host }: URL): ProviderFailure =>
  new ProviderFailure("unreachable", `${host} sends an answer that is too large.`);
