/** Traces reach a collector that speaks OTLP over HTTP, with what the allowlist has and nothing else. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Tracing } from "../../src/adapters/tracing.js";
import { ask, question } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { startServer, type TestServer } from "../support/processes/server.js";

interface Span {
  name: string;
  traceId: string;
  parentSpanId?: string;
  status: { code?: number };
  attributes: { key: string; value: Record<string, unknown> }[];
}

let server: TestServer;
let tracing: Tracing;
let collector: Server;
let received: { path: string; headers: IncomingHttpHeaders; body: string }[];

beforeEach(async () => {
  received = [];
  collector = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo;
  tracing = new Tracing({
    endpoint: `http://127.0.0.1:${port}`,
    headers: { authorization: "Bearer collector" },
    serviceName: "sotto-test",
    version: "1",
  });
  server = await startServer({ traces: tracing });
});
afterEach(async () => {
  await server.close();
  collector.close();
});

const spans = (): Span[] =>
  received.flatMap(({ body }) =>
    (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap(
      ({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans),
    ),
  );

describe("traces", () => {
  it("have the same fields as the log, and continue the caller's trace", async () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await ask(server, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } });
    await ask(server, { body: { ...question, temperature: 9 }, headers: { traceparent: "secret words" } });
    server.engine.script = () => ({ fragments: [], failure: { at: 0, error: new Error("broken secret") } });
    await ask(server);
    await tracing.close();
    await eventually(() => spans().length === 3);
    expect(received[0]).toMatchObject({ path: "/v1/traces", headers: { authorization: "Bearer collector" } });

    const [good, refused, failed] = spans();
    const attributesOf = (span: Span | undefined) =>
      Object.fromEntries(
        (span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]] as const),
      );
    expect(good).toMatchObject({ name: "chat omega", traceId, parentSpanId: "b7ad6b7169203331" });
    expect(attributesOf(good)).toMatchObject({
      "http.route": "/v1/chat/completions",
      "http.response.status_code": 200,
      "gen_ai.request.model": "omega",
      "gen_ai.usage.input_tokens": 5,
      "gen_ai.usage.output_tokens": 4,
    });
    expect(refused).toMatchObject({ name: "POST /v1/chat/completions" });
    expect(attributesOf(refused)).toMatchObject({ "error.type": "decimal_above_max_value" });
    expect(failed?.status.code).toBe(2);
    expect(attributesOf(failed)).toMatchObject({ "http.response.status_code": 500 });
  });

  it("contain neither prompts nor replies", async () => {
    server.engine.script = () => ({ fragments: ["canary-reply"] });
    const messages = [{ role: "user", content: "canary-prompt" }];
    await ask(server, {
      body: { ...question, messages, user: "canary-user" },
      headers: { traceparent: "canary-header", "user-agent": "canary-agent" },
      path: "/v1/chat/completions?canary-query",
    });
    await tracing.close();
    await eventually(() => spans().length === 1);
    expect(received.map(({ body }) => body).join("")).not.toContain("canary");
  });
});
