import { afterEach, describe, expect, it } from "vitest";
import { ask, question, type Sent } from "../../support/clients/chat.js";
import { RawSocket } from "../../support/clients/raw-socket.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

/** A path alone is served beside the framework, with a query string through it. Clients must not see a difference. */
let server: TestServer;
afterEach(() => server.close());

const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];
const message = { model: "omega", max_tokens: 8, messages: question.messages };
const bodyOf = (path: string): object =>
  path === "/v1/responses" ? { model: "omega", input: "What is two plus two?" } : message;

const cases: [name: string, sent: (path: string) => Sent][] = [
  ["a whole reply", () => ({})],
  ["a stream", (path) => ({ body: { ...bodyOf(path), stream: true } })],
  ["no key", () => ({ key: null })],
  ["a key that is none", () => ({ key: "sk-sotto-nobody" })],
  ["a key in the other API's header", () => ({ key: null, headers: { "x-api-key": server.apiKey } })],
  ["another content type", () => ({ headers: { "content-type": "text/plain" } })],
  ["a content type that is none", () => ({ headers: { "content-type": "application" } })],
  ["a compressed body", () => ({ headers: { "content-encoding": "gzip" } })],
  ["no JSON", () => ({ body: "{" })],
  ["no body", () => ({ body: "" })],
  ["a body over the limit", () => ({ body: { ...message, user: "x".repeat(5_000) } })],
  ["a field that is missing", () => ({ body: {} })],
  ["a model that does not exist", (path) => ({ body: { ...bodyOf(path), model: "nobody" } })],
];

describe.each(paths)("POST %s", (path) => {
  it.each(cases)("answers the same either way: %s", async (_name, sent) => {
    server = await startServer({ bodyLimitBytes: 4_000 });
    const request = { body: bodyOf(path), ...sent(path) };
    const direct = await ask(server, { ...request, path });
    const routed = await ask(server, { ...request, path: `${path}?through=framework` });
    expect(seen(direct)).toEqual(seen(routed));
  });
});

it("counts a request once, either way, and names the same route in its metrics", async () => {
  server = await startServer();
  const before = await ask(server);
  const after = await ask(server, { path: "/v1/chat/completions?through=framework" });
  const left = ({ headers }: typeof before) => Number(headers.get("x-ratelimit-remaining-requests"));
  expect(left(before) - left(after)).toBe(1);
  const { body } = await server.metrics.text();
  expect(body).toMatch(
    /sotto_requests_total\{route="\/v1\/chat\/completions",status="200",code="none"\} 2$/m,
  );
});

it("sends a stream in chunks whose lengths are those of their bytes", async () => {
  server = await startServer();
  server.engine.script = () => ({ fragments: ["Grüße", " aus", " 東京", " 🌊"] });
  const socket = await RawSocket.open(server.port);
  const body = JSON.stringify({ ...question, stream: true });
  socket.send(...requestHead("1.1", body), "", body);
  const received = Buffer.from(await socket.untilReceived(/\r\n0\r\n\r\n$/), "latin1");
  socket.destroy();
  const text = unchunked(received.subarray(received.indexOf("\r\n\r\n") + 4)).toString("utf8");
  expect(text).toContain('"content":" 東京"');
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
});

it("sends a stream without chunks to a client that knows none", async () => {
  server = await startServer();
  const socket = await RawSocket.open(server.port);
  const body = JSON.stringify({ ...question, stream: true });
  socket.send(...requestHead("1.0", body), "", body);
  const received = await socket.untilClosed();
  expect(received).not.toMatch(/transfer-encoding/i);
  expect(received.slice(received.indexOf("\r\n\r\n") + 4)).toMatch(/^data: .*data: \[DONE\]\n\n$/s);
});

const requestHead = (version: string, body: string): string[] => [
  `POST /v1/chat/completions HTTP/${version}`,
  "Host: x",
  `Authorization: Bearer ${server.apiKey}`,
  "Content-Type: application/json",
  `Content-Length: ${body.length}`,
];

/** What a client can tell answers apart by: everything but what is new in each. */
function seen({ status, headers, body }: Awaited<ReturnType<typeof ask>>) {
  const kept = [...headers].filter(([name]) => !/^(date|content-length|x-ratelimit-.*)$/.test(name));
  return { status, headers: kept.map(([name, value]) => [name, anonymous(value)]), body: anonymous(body) };
}

const anonymous = (text: string): string =>
  text
    .replace(/\b(req|chatcmpl|resp|msg|rs|fc)(_|-)[0-9A-Za-z]{20,}/g, "$1")
    .replace(/"(created|created_at|completed_at)":\d+/g, '"$1":0');

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf("\r\n", at);
    const length = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (length === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + length));
    expect(bytes.toString("latin1", end + 2 + length, end + 4 + length)).toBe("\r\n");
    at = end + 4 + length;
  }
}
