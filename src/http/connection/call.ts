/**
 * What the API's handlers need of a request and its response. Fastify's have it, and so have those of completions that
 * are served without it (api/direct.ts).
 */
import type { FastifyContextConfig } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Admission } from "../../core/serving/admission.js";
import type { CompletionTrace } from "../../core/serving/completion.js";
import type { KeyRecord } from "../../core/ports.js";
import type { ErrorCode } from "../../protocol/errors.js";

export interface ApiRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly raw: IncomingMessage;
  exchange: Exchange;
  readonly routeOptions: { readonly url?: string | undefined; readonly config: FastifyContextConfig };
  readonly server: { readonly prefix: string };
}

/** What is known of a request while it is served; exchange.ts opens and ends it. */
export interface Exchange {
  readonly startedMs: number;
  /** What it aborts with is what its work ends with. */
  readonly abort: AbortController;
  readonly signal: AbortSignal;
  /** Null until authenticated. */
  caller: KeyRecord | null;
  /** How it passes the limits; null until it is known who asks. */
  admission: Admission | null;
  /** The error that the client was shown. */
  code: ErrorCode | "none";
  stream: boolean | undefined;
  readonly trace: CompletionTrace;
}

export interface ApiReply {
  readonly raw: ServerResponse;
  header(name: string, value: string | number): unknown;
  headers(values: Record<string, string>): unknown;
  getHeaders(): Record<string, number | string | string[] | undefined>;
  /** The handler writes to `raw` itself, or nobody is left to be answered. */
  hijack(): unknown;
  code(status: number): { send(body: object): unknown };
}
