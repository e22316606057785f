/**
 * What the API's handlers need of a request and its response. Fastify's have it, and so have those of completions that
 * are served without it (api/direct.ts).
 */
import type { FastifyContextConfig } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exchange } from "./exchange.js";

export interface ApiRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly raw: IncomingMessage;
  exchange: Exchange;
  readonly routeOptions: { readonly url?: string | undefined; readonly config: FastifyContextConfig };
  readonly server: { readonly prefix: string };
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
