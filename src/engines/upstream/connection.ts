/**
 * The connections to one engine: a bounded pool for replies, and a small one of its own for short questions
 * (counting, health), which would otherwise wait behind replies that take minutes.
 *
 * No redirect is ever followed, and every connection goes to an allowed address (see address.ts).
 */
import { Pool } from "undici";
import {
  AddressError,
  guardedLookup,
  isAllowedAddress,
  literalAddress,
  type LookupAll,
} from "../../adapters/address-policy.js";
import { parseAddress, whyRefused } from "./checks/address.js";
import { causeOf, errorOfResponse, unavailable } from "./failures.js";
import { parseObject, type JsonObject } from "./json-value.js";
import type { UpstreamSource, UpstreamTimeouts } from "./options.js";
import type { StreamCall } from "./stream-call.js";

/** The answer to counting a prompt of a million tokens is this large. */
const maxAnswerBytes = 16 * 1024 * 1024;
const questionConnections = 8;

export interface Answer {
  status: number;
  text: string;
}

export class Connection {
  readonly url: URL;
  readonly #replies: Pool;
  readonly #questions: Pool;
  readonly #headers: Record<string, string>;
  readonly #streamHeaders: Record<string, string>;
  readonly #basePath: string;
  #closed = false;

  constructor(
    source: UpstreamSource,
    replyConnections: number,
    timeouts: UpstreamTimeouts,
    /** By default the system's resolver. */
    lookupAll?: LookupAll,
  ) {
    this.url = parseAddress(source.url);
    const allowPublic = source.allowPublic ?? false;
    requireAllowedHost(this.url, allowPublic);
    const shared = {
      // Below the 5 s after which common servers close an idle connection, so that none is used as it closes.
      keepAliveTimeout: 4_000,
      connect: {
        timeout: timeouts.connectMs,
        lookup: guardedLookup((address) => isAllowedAddress(address, allowPublic), lookupAll),
      },
    };
    this.#replies = new Pool(this.url.origin, {
      ...shared,
      connections: replyConnections,
      // StreamCall has limits of its own; these only catch what it cannot see.
      headersTimeout: timeouts.firstTokenMs + 5_000,
      bodyTimeout: timeouts.nextTokenMs + 5_000,
    });
    this.#questions = new Pool(this.url.origin, { ...shared, connections: questionConnections });
    this.#headers = source.key === undefined ? {} : { authorization: `Bearer ${source.key}` };
    this.#streamHeaders = {
      ...this.#headers,
      "content-type": "application/json",
      accept: "text/event-stream",
    };
    this.#basePath = this.url.pathname.replace(/\/$/, "");
  }

  /** Sends a request whose answer `call` reads. */
  stream(path: string, body: object, call: StreamCall): void {
    this.#replies.dispatch(
      {
        method: "POST",
        path: this.#basePath + path,
        headers: this.#streamHeaders,
        body: JSON.stringify(body),
      },
      call,
    );
  }

  /** A short question. Throws `engine_unavailable` when there is no answer in time. */
  async ask(path: string, timeoutMs: number, signal?: AbortSignal, body?: object): Promise<Answer> {
    if (this.#closed) throw unavailable("CLOSED");
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.#questions.request({
        method: body === undefined ? "GET" : "POST",
        path: this.#basePath + path,
        headers:
          body === undefined ? this.#headers : { ...this.#headers, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of response.body) {
        const chunk: unknown = part;
        if (!Buffer.isBuffer(chunk)) continue;
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) throw unavailable("ANSWER_TOO_LARGE");
        parts.push(chunk);
      }
      return { status: response.statusCode, text: Buffer.concat(parts).toString("utf8") };
    } catch (error) {
      signal?.throwIfAborted();
      throw unavailable(causeOf(error));
    }
  }

  /** The same, for an answer that is a JSON object. Any other is a failure of the engine. */
  async askJson(path: string, timeoutMs: number, signal?: AbortSignal, body?: object): Promise<JsonObject> {
    const { status, text } = await this.ask(path, timeoutMs, signal, body);
    if (status !== 200) throw errorOfResponse({ status, retryAfter: undefined, body: text }, 0);
    const answer = parseObject(text);
    if (answer === null) throw unavailable("INVALID_ANSWER");
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#replies.destroy(null), this.#questions.destroy(null)]);
  }
}

/** A name is judged when it is resolved; an address that is written out is never resolved. */
function requireAllowedHost(url: URL, allowPublic: boolean): void {
  const literal = literalAddress(url);
  if (literal !== null && !isAllowedAddress(literal, allowPublic)) {
    throw new AddressError(whyRefused(literal, literal));
  }
}
