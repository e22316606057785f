/**
 * The connections to one engine: a bounded pool for replies, and a small separate one for control requests
 * (counting, health), which would otherwise wait behind replies that take minutes.
 *
 * No redirect is ever followed, and every connection goes to an allowed address (see address.ts).
 */
import { Pool } from "undici";
import { allOf } from "../../adapters/download.js";
import {
  AddressError,
  guardedLookup,
  isAllowedAddress,
  literalAddress,
  type LookupAll,
} from "../../adapters/address-policy.js";
import { parseAddress, whyRefused } from "./checks/address.js";
import { causeOf, errorOfResponse, unavailable } from "./failures.js";
import type { JsonObject } from "../../protocol/read-json.js";
import { parseObject } from "./json-value.js";
import { timeoutsOf, type UpstreamTimeouts } from "./options.js";
import { type Profile, profiles } from "./profiles.js";
import type { StreamCall } from "./stream-call.js";
import type { UpstreamSource } from "../../protocol/engine-member.js";

/** Tokenizing a prompt of a million tokens gives a response this large. */
const maxResponseBytes = 16 * 1024 * 1024;
const controlConnections = 8;

export interface EngineResponse {
  status: number;
  text: string;
}

interface RequestOptions {
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Sent as JSON, with POST. */
  body?: object | undefined;
}

export class Connection {
  readonly url: URL;
  readonly profile: Profile;
  readonly timeouts: UpstreamTimeouts;
  readonly #replies: Pool;
  readonly #control: Pool;
  readonly #headers: Record<string, string>;
  readonly #streamHeaders: Record<string, string>;
  readonly #basePath: string;
  #closed = false;

  constructor(
    readonly source: UpstreamSource,
    replyConnections: number,
    /** By default the system's resolver. */
    lookupAll?: LookupAll,
  ) {
    this.url = parseAddress(source.url);
    this.profile = profiles[source.profile];
    this.timeouts = timeoutsOf(source);
    const allowPublic = source.allowPublic ?? false;
    requireAllowedHost(this.url, allowPublic);
    const shared = {
      // Below the 5 s after which common servers close an idle connection, so that none is used as it closes.
      keepAliveTimeout: 4_000,
      connect: {
        timeout: this.timeouts.connectMs,
        lookup: guardedLookup((address) => isAllowedAddress(address, allowPublic), lookupAll),
      },
    };
    this.#replies = new Pool(this.url.origin, {
      ...shared,
      connections: replyConnections,
      // StreamCall has limits of its own; these only catch what it cannot see.
      headersTimeout: this.timeouts.firstTokenMs + 5_000,
      bodyTimeout: this.timeouts.nextTokenMs + 5_000,
    });
    this.#control = new Pool(this.url.origin, { ...shared, connections: controlConnections });
    this.#headers = source.key === undefined ? {} : { authorization: `Bearer ${source.key}` };
    this.#streamHeaders = {
      ...this.#headers,
      "content-type": "application/json",
      accept: "text/event-stream",
    };
    this.#basePath = this.url.pathname.replace(/\/$/, "");
  }

  /** The body is JSON. */
  stream(path: string, body: string | Buffer, call: StreamCall): void {
    const headers = this.#streamHeaders;
    this.#replies.dispatch({ method: "POST", path: this.#basePath + path, headers, body }, call);
  }

  /** A control request. Throws `engine_unavailable` when there is no response in time. */
  request(path: string, options: RequestOptions = {}): Promise<EngineResponse> {
    return this.#request(this.#control, path, { timeoutMs: this.timeouts.healthMs, ...options });
  }

  /** The same for a reply that comes whole. */
  requestReply(path: string, options: RequestOptions): Promise<EngineResponse> {
    return this.#request(this.#replies, path, { timeoutMs: this.timeouts.firstTokenMs, ...options });
  }

  async #request(
    pool: Pool,
    path: string,
    { timeoutMs, signal, body }: RequestOptions & { timeoutMs: number },
  ): Promise<EngineResponse> {
    if (this.#closed) throw unavailable("CLOSED");
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await pool.request({
        method: body === undefined ? "GET" : "POST",
        path: this.#basePath + path,
        headers:
          body === undefined ? this.#headers : { ...this.#headers, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      const bytes = await allOf(response.body, maxResponseBytes, () => unavailable("ANSWER_TOO_LARGE"));
      return { status: response.statusCode, text: bytes.toString("utf8") };
    } catch (error) {
      signal?.throwIfAborted();
      throw unavailable(causeOf(error));
    }
  }

  /** The same, for a response that is a JSON object. Any other is a failure of the engine. */
  async requestJson(path: string, options: RequestOptions = {}): Promise<JsonObject> {
    const { status, text } = await this.request(path, options);
    if (status !== 200) throw errorOfResponse({ status, retryAfter: undefined, body: text }, 0);
    const parsed = parseObject(text);
    if (parsed === null) throw unavailable("INVALID_ANSWER");
    return parsed;
  }

  /** The same where a failure says no more than that nothing is known: null. */
  optional(path: string, options?: RequestOptions): Promise<EngineResponse | null> {
    return this.request(path, options).catch(() => null);
  }

  /** What the engine reports there; empty where it does not. */
  report(path: string, body?: object): Promise<JsonObject> {
    return this.requestJson(path, { body }).catch(() => ({}));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#replies.destroy(null), this.#control.destroy(null)]);
  }
}

/** A name is checked when it is resolved; a literal address is never resolved. */
function requireAllowedHost(url: URL, allowPublic: boolean): void {
  const literal = literalAddress(url);
  if (literal !== null && !isAllowedAddress(literal, allowPublic)) {
    throw new AddressError(whyRefused(literal, literal));
  }
}
