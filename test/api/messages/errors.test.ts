/** Keys and errors of the Messages API: those of the service, in its own words. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/core/errors.js";
import { ask, type Sent } from "../../support/clients/chat.js";
import { expectDocumented } from "../../support/clients/openapi.js";
import { RawSocket } from "../../support/clients/raw-socket.js";
import { startServer, type TestServer, type TestServerOptions } from "../../support/processes/server.js";

const path = "/v1/messages";
const countPath = "/v1/messages/count_tokens";
const question = { model: "omega", max_tokens: 100, messages: [{ role: "user", content: "How is it?" }] };

let server: TestServer;
const start = async (options: TestServerOptions = {}) => {
  server = await startServer(options);
};
const create = (body: object = {}, sent: Sent = {}) =>
  ask(server, { path, body: { ...question, ...body }, ...sent });

describe("a key for the Messages API", () => {
  beforeAll(() => start());
  afterAll(() => server.close());

  /** With these headers, whatever fetch would make of them. */
  async function statusWith(...headers: string[]): Promise<string> {
    const body = JSON.stringify(question);
    const socket = await RawSocket.open(server.port);
    socket.send(
      `POST ${path} HTTP/1.1`,
      "Host: x",
      "Connection: close",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...headers,
      "",
      body,
    );
    const text = await socket.untilClosed();
    expect(text).not.toContain("sk-test");
    return text.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
  }
  const good = "sk-test-all";

  it.each([
    ["x-api-key", "200", [`X-Api-Key: ${good}`]],
    ["a bearer token", "200", [`Authorization: Bearer ${good}`]],
    ["both", "200", [`X-Api-Key: ${good}`, `Authorization: Bearer ${good}`]],
    ["both, of which one is wrong", "401", [`X-Api-Key: ${good}`, "Authorization: Bearer wrong"]],
    ["both, of which its own is wrong", "401", ["X-Api-Key: sk-test-no", `Authorization: Bearer ${good}`]],
    ["none", "401", []],
    ["an empty one", "401", ["X-Api-Key: "]],
    ["two", "401", [`X-Api-Key: ${good}`, `X-Api-Key: ${good}`]],
    ["two bearer tokens", "401", [`Authorization: Bearer ${good}`, `Authorization: Bearer ${good}`]],
  ])("as %s: %s", async (_, status, headers) => {
    expect(await statusWith(...headers)).toBe(status);
  });
});

describe("an error of the Messages API", () => {
  beforeEach(() => start({ bodyLimitBytes: 2000, engine: { contextTokens: 50 } }));
  afterEach(() => server.close());

  const rows: [what: string, status: number, type: string, sent: () => Sent][] = [
    ["no key", 401, "authentication_error", () => ({ key: null })],
    ["a wrong key on an unknown path", 401, "authentication_error", () => ({ key: "x", path: `${path}/x` })],
    [
      "too many requests",
      429,
      "rate_limit_error",
      () => ({ key: server.addKey("spent", { plan: { requestsPerMinute: 0 } }) }),
    ],
    [
      "no tokens left",
      429,
      "rate_limit_error",
      () => ({ key: server.addKey("no-tokens", { plan: { tokensPerMinute: 0 } }) }),
    ],
    ["malformed JSON", 400, "invalid_request_error", () => ({ body: "{" })],
    ["no object", 400, "invalid_request_error", () => ({ body: [] })],
    [
      "a body over the limit",
      400,
      "invalid_request_error",
      () => ({ body: { ...question, user: "x".repeat(2000) } }),
    ],
    [
      "another content type",
      400,
      "invalid_request_error",
      () => ({ headers: { "content-type": "text/plain" } }),
    ],
    [
      "a request that is too long",
      400,
      "invalid_request_error",
      () => ({ body: { ...question, messages: [{ role: "user", content: "w ".repeat(60) }] } }),
    ],
    ["an unknown model", 404, "not_found_error", () => ({ body: { ...question, model: "gpt-4" } })],
    [
      "no permission",
      403,
      "permission_error",
      () => ({ key: server.addKey("prism-only", { models: ["prism"] }) }),
    ],
    [
      "overload",
      503,
      "overloaded_error",
      () => {
        server.completions.refuseNew(new ServiceError("overloaded"));
        return {};
      },
    ],
    [
      "maintenance",
      503,
      "api_error",
      () => {
        server.completions.refuseNew(new ServiceError("maintenance"));
        return {};
      },
    ],
    [
      "a bug",
      500,
      "api_error",
      () => {
        server.failVerification(new TypeError("secret detail"));
        return {};
      },
    ],
  ];
  it.each(rows)("for %s is %i %s", async (_, status, type, sent) => {
    const one = sent();
    const answer = await ask(server, { path, body: question, ...one });
    expect(answer.json).toEqual({
      type: "error",
      error: { type, message: (answer.json as { error: { message: string } }).error.message },
      request_id: answer.headers.get("x-request-id"),
    });
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain("secret");
    if (one.path === undefined) expectDocumented(answer);
    const isRetried = status === 429 || status === 503;
    expect(answer.headers.has("retry-after")).toBe(isRetried);
    expect(answer.headers.has("www-authenticate")).toBe(status === 401);
  });

  it("names the endpoints on a path that does not exist, or not with this method", async () => {
    for (const unknown of [`${path}/batches`, `${path}/count_tokens/x`, `${path}//`]) {
      const { status, json } = await ask(server, { path: unknown, body: question });
      expect([unknown, status, json]).toMatchObject([unknown, 404, { error: { type: "not_found_error" } }]);
      expect(JSON.stringify(json)).toContain("POST /v1/messages");
    }
    for (const known of [path, countPath]) {
      const { status, json } = await ask(server, { method: "GET", path: known });
      expect([status, json]).toMatchObject([404, { error: { type: "not_found_error" } }]);
      expect(JSON.stringify(json)).toContain(`use POST ${known}`);
    }
  });

  it("names the location of the error", async () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Yes?" },
      { role: "user", content: [{ type: "audio", source: {} }] },
    ];
    const { body } = await create({ messages });
    expect(body).toContain("'messages[2].content[0].type'");
  });

  it("speaks of this API's own fields", async () => {
    server.engine.prepare = () =>
      Promise.reject(
        new ServiceError("invalid_value", {
          message:
            "Invalid schema at 'response_format.json_schema.schema' and 'tools[1].function.parameters.a'.",
          param: "response_format",
        }),
      );
    const { body } = await create();
    expect(body).toContain("'output_config.format.schema' and 'tools[1].input_schema.a'");
  });

  it("comes in the same order as elsewhere", async () => {
    const spent = server.addKey("spent-2", { plan: { requestsPerMinute: 0 }, models: ["prism"] });
    const prism = server.addKey("prism-2", { models: ["prism"], plan: { tokensPerMinute: 0 } });
    const fine = { role: "user", content: "Hi" };
    const steps: [Sent, string][] = [
      [{ key: null, path: `${path}/x` }, "401"],
      [{ key: spent, path: `${path}/x` }, "429"],
      [{ path: `${path}/x`, headers: { "content-type": "text/plain" }, body: "{" }, "404"],
      [{ headers: { "content-type": "text/plain" }, body: "{" }, "400 Content-Type"],
      [{ body: "{" }, "400 JSON"],
      [{ body: {} }, "400 'model'"],
      [{ body: { model: "x" } }, "400 'messages'"],
      [{ body: { model: "x", messages: [{ role: "x" }] } }, "400 'messages[0].role'"],
      [{ body: { model: "x", messages: [fine] } }, "400 'max_tokens'"],
      [{ body: { model: "x", max_tokens: 1, messages: [fine], temperature: 2 } }, "400 'temperature'"],
      [{ key: prism, body: { model: "x", max_tokens: 1, messages: [fine] } }, "404 model"],
      [{ key: prism, body: { model: "omega", max_tokens: 1, messages: [fine] } }, "403 model"],
    ];
    for (const [sent, expected] of steps) {
      const { status, body } = await ask(server, { path, body: question, ...sent });
      const [code = "", ...words] = expected.split(" ");
      expect([expected, String(status)]).toEqual([expected, code]);
      expect(body).toContain(words.join(" "));
    }
  });
});
