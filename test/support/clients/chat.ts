/** Requests as a client without a library makes them, and what comes back. */
import { request } from "undici";
import type { ErrorBody } from "../../../src/protocol/error-body.js";
import { expectOurs } from "./openapi.js";
import type { TestServer } from "../processes/server.js";

export const question = { model: "omega", messages: [{ role: "user", content: "What is two plus two?" }] };

export interface Sent {
  /** A string or bytes are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
  method?: string;
  path?: string;
  key?: string | null;
  signal?: AbortSignal;
}

export interface Answer {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  body: string;
  json: unknown;
}

export function send(server: TestServer, sent: Sent = {}): Promise<Response> {
  return fetch(server.url + pathOf(sent), { redirect: "manual", ...requestOf(server, sent) });
}

/** Without `fetch`, which costs more than the server's part of the work. */
export async function ask(server: TestServer, sent: Sent = {}): Promise<Answer> {
  const { statusCode, headers, body } = await request(server.url + pathOf(sent), requestOf(server, sent));
  const text = await body.text();
  const isJson = String(headers["content-type"]).startsWith("application/json");
  return {
    method: sent.method ?? "POST",
    path: pathOf(sent),
    status: statusCode,
    headers: new Headers(
      Object.entries(headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      ),
    ),
    body: text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

const pathOf = ({ path = "/v1/chat/completions" }: Sent): string => path;

function requestOf(server: TestServer, sent: Sent) {
  const { body = question, method = "POST", key = server.apiKey } = sent;
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  return {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      "content-type": "application/json",
      ...sent.headers,
    },
    ...(method === "POST" ? { body: isRaw ? body : JSON.stringify(body) } : {}),
    ...(sent.signal === undefined ? {} : { signal: sent.signal }),
  };
}

/** The error in a body; throws when it is not one. */
export function errorOf(json: unknown): ErrorBody["error"] {
  if (!isErrorBody(json)) throw new Error("There is no error.");
  return json.error;
}

function isErrorBody(json: unknown): json is ErrorBody {
  expectOurs("Error", json);
  return true;
}

export interface StreamedReply {
  /** The parsed events, without `[DONE]`. */
  events: unknown[];
  done: boolean;
  comments: number;
}

/** Reads a whole event stream, strictly: anything but `data:` lines, comments and blank lines is an error. */
export function parseEvents(body: string): StreamedReply {
  const reply: StreamedReply = { events: [], done: false, comments: 0 };
  if (body.includes("\r")) throw new Error("Lines end in LF.");
  if (!body.endsWith("\n\n")) throw new Error("The last event is not complete.");
  for (const event of body.slice(0, -2).split("\n\n")) {
    if (reply.done) throw new Error("Something came after [DONE].");
    if (event === ": keep-alive") reply.comments += 1;
    else if (event === "data: [DONE]") reply.done = true;
    else if (event.startsWith("data: ")) reply.events.push(JSON.parse(event.slice("data: ".length)));
    else throw new Error("An event is one line of data.");
  }
  return reply;
}

export interface Chunk {
  id: string;
  created: number;
  model: string;
  choices: { index: number; delta: { role?: string; content?: string }; finish_reason: string | null }[];
  usage?: { total_tokens: number } | null;
}

export const isChunk = (event: unknown): event is Chunk =>
  typeof event === "object" && event !== null && "choices" in event;

export const textOf = (events: unknown[]): string =>
  events
    .filter(isChunk)
    .map(({ choices }) => choices[0]?.delta.content ?? "")
    .join("");
