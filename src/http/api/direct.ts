/**
 * Completions without the framework. A POST to exactly one of their paths is served here; anything else, also the same
 * path with a query string, goes through Fastify to the same handlers. The steps and their order are those of server.ts.
 *
 * A completion needs nothing of the framework, and would pay for its routing, hooks, content types and replies
 * (docs/decisions/0013-completions-beside-fastify.md).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { DialectName } from "../../protocol/dialects.js";
import { newRequestId } from "../connection/ids.js";
import type { ApiReply, ApiRequest, Exchange } from "../connection/call.js";
import type { HttpParts } from "../parts.js";
import { answerError } from "../errors.js";
import { completionPaths } from "../routes.js";
import { authenticate, countRequest } from "./auth.js";
import { complete } from "./complete.js";

/** What the server does with every request, whoever serves it. */
export interface Surroundings {
  /** Opens the exchange, and throws for a head that is not sound. */
  begin: (request: ApiRequest, reply: ApiReply) => void;
  announceMaintenance: (reply: ApiReply) => void;
  /** Adds what depends on the connection to an answer that is complete. */
  beforeSend: (request: ApiRequest, reply: ApiReply, text: string) => string | Readable;
}

type Handler = (request: ApiRequest, reply: ApiReply) => Promise<object | undefined>;

/** The returned function is true for what it serves. */
export function directCompletions(parts: HttpParts, around: Surroundings) {
  const identify = authenticate(parts);
  const count = countRequest(parts);
  const showError = answerError(parts.log);
  const handlers = new Map<string, Handler>();
  for (const [path, dialect] of Object.entries<DialectName>(completionPaths)) {
    handlers.set(`/v1${path}`, complete(parts, dialect));
  }

  const serve = async (request: DirectRequest, reply: DirectReply, handler: Handler): Promise<void> => {
    try {
      around.begin(request, reply);
      around.announceMaintenance(reply);
      await identify(request);
      await count(request, reply);
      reply.body = await handler(request, reply);
    } catch (error) {
      showError(error, request, reply);
    }
    if (reply.body === undefined) return;
    reply.header("content-type", "application/json; charset=utf-8");
    const text = JSON.stringify(reply.body);
    const payload = around.beforeSend(request, reply, text);
    if (typeof payload === "string") reply.end(payload);
    else await reply.pipe(payload);
  };

  return (message: IncomingMessage, response: ServerResponse): boolean => {
    const { url = "" } = message;
    const handler = message.method === "POST" ? handlers.get(url) : undefined;
    if (handler === undefined) return false;
    const request = new DirectRequest(message, url);
    serve(request, new DirectReply(response), handler).catch((error: unknown) => {
      parts.log.unexpected(error, { requestId: request.id });
      response.destroy();
    });
    return true;
  };
}

const config = { countsRequests: true };
const server = { prefix: "/v1" };

class DirectRequest implements ApiRequest {
  readonly id = newRequestId();
  readonly method = "POST";
  readonly routeOptions: ApiRequest["routeOptions"];
  readonly server = server;
  #exchange: Exchange | null = null;

  constructor(
    readonly raw: IncomingMessage,
    readonly url: string,
  ) {
    this.routeOptions = { url, config };
  }

  get exchange(): Exchange {
    if (this.#exchange === null) throw new Error("The exchange is not open.");
    return this.#exchange;
  }

  set exchange(exchange: Exchange) {
    this.#exchange = exchange;
  }
}

class DirectReply implements ApiReply {
  body: object | undefined;
  #status = 200;
  readonly #headers: Record<string, string | number> = {};

  constructor(readonly raw: ServerResponse) {}

  header(name: string, value: string | number): void {
    this.#headers[name] = value;
  }

  headers(values: Record<string, string>): void {
    Object.assign(this.#headers, values);
  }

  getHeaders(): Record<string, string | number> {
    return this.#headers;
  }

  hijack(): void {
    this.body = undefined;
  }

  code(status: number): { send: (body: object) => void } {
    this.#status = status;
    return {
      send: (body) => {
        this.body = body;
      },
    };
  }

  end(text: string): void {
    this.header("content-length", Buffer.byteLength(text));
    this.raw.writeHead(this.#status, this.#headers).end(text);
  }

  /** Never rejects: a client that leaves meanwhile needs no answer. */
  async pipe(payload: Readable): Promise<void> {
    this.raw.writeHead(this.#status, this.#headers);
    await pipeline(payload, this.raw).catch(() => undefined);
  }
}
