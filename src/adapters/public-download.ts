/**
 * Downloads that a caller asks for, which must reach nothing but the public internet: no address of this machine or a
 * private network, however it is written and whatever its name resolves to, no redirect, no port but the usual. Time
 * and bytes are limited. Nothing of an address or an answer gets into an error.
 */
import { Agent } from "undici";
import { guardedLookup, isAddressError, isPublicAddress, literalAddress } from "./address-policy.js";
import { allOf, type Download, DownloadError } from "./download.js";

const timeoutMs = 10_000;
const connectMs = 3_000;

export class PublicDownloads {
  readonly #agent: Agent;

  constructor(
    private readonly isAllowed: (address: string) => boolean = isPublicAddress,
    /** Only the usual ones unless a test says otherwise. */
    private readonly anyPort = false,
  ) {
    this.#agent = new Agent({
      connections: 8,
      // A connection of one caller's is not used for another's.
      pipelining: 0,
      connect: { timeout: connectMs, lookup: guardedLookup(isAllowed) },
    });
  }

  readonly download: Download = async (address, maxBytes, signal) => {
    const url = this.#checked(address);
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const { statusCode, body } = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers: { accept: "image/*", "accept-encoding": "identity" },
        signal: AbortSignal.any([signal, limit]),
      });
      if (statusCode !== 200) {
        body.on("error", () => undefined).destroy();
        throw new DownloadError(`its server answers with status ${statusCode}`);
      }
      return await allOf(body, maxBytes, () => new DownloadError("it is too large"));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DownloadError) throw error;
      if (isAddressError(error)) throw notAllowed();
      throw new DownloadError(limit.aborted ? "it takes too long" : "its server cannot be reached");
    }
  };

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #checked(address: string): URL {
    if (!URL.canParse(address)) throw new DownloadError("it is no address");
    const url = new URL(address);
    const literal = literalAddress(url);
    const isUsual = url.port === "" || this.anyPort;
    if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" || !isUsual)
      throw notAllowed();
    if (literal !== null && !this.isAllowed(literal)) throw notAllowed();
    return url;
  }
}

const notAllowed = (): DownloadError =>
  new DownloadError("only public http and https addresses on their usual ports are allowed");
