/** `POST /v1/messages/count_tokens`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/core/errors.js";
import { ask, type Answer, type Sent } from "../../support/clients/chat.js";
import { expectDocumented } from "../../support/clients/openapi.js";
import { eventually } from "../../support/eventually.js";
import { startServer, type TestServer, type TestServerOptions } from "../../support/processes/server.js";

const countPath = "/v1/messages/count_tokens";
const question = { model: "omega", max_tokens: 100, messages: [{ role: "user", content: "How is it?" }] };
const tools = [
  { name: "get_weather", input_schema: { type: "object" } },
  { name: "get_time", input_schema: { type: "object" } },
];

let server: TestServer;
const start = async (options: TestServerOptions = {}) => {
  server = await startServer(options);
};

describe("the count of a prompt's tokens", () => {
  beforeAll(() => start());
  afterAll(() => server.close());
  const { model, messages } = question;
  const count = (body: object = {}, sent: Sent = {}) =>
    ask(server, { path: countPath, body: { model, messages, ...body }, ...sent });

  it("is that of the prompt, with its system text", async () => {
    const answer = await count();
    expect(answer).toMatchObject({ status: 200, json: { input_tokens: 3 } });
    expectDocumented(answer);
    expect((await count({ system: "Be kind, and brief." })).json).toEqual({ input_tokens: 7 });
    expect(
      (await count({ tools, tool_choice: { type: "any" }, thinking: { type: "adaptive" } })).status,
    ).toBe(200);
  });

  it("runs nothing, keeps nothing and costs no tokens, but counts as a request", async () => {
    const before = await count();
    server.engine.options.capacity = 0;
    const after = await count();
    server.engine.options.capacity = 4;
    expect(server.engine.generations).toEqual([]);
    expect(server.completions.active).toBe(0);
    const left = ({ headers }: Answer, what: string) => Number(headers.get(`x-ratelimit-remaining-${what}`));
    expect(left(after, "tokens")).toBe(left(before, "tokens"));
    expect(left(after, "requests")).toBe(left(before, "requests") - 1);
    const none = server.addKey("nothing-left", { plan: { tokensPerMinute: 0 } });
    expect((await count({}, { key: none })).status).toBe(200);
    const idle = server.addKey("no-request-at-once", { plan: { concurrentRequests: 0 } });
    expect((await count({}, { key: idle })).status).toBe(429);
  });

  it("is refused as a message would be", async () => {
    const restricted = server.addKey("count-prism", { models: ["prism"] });
    const lists = server.addKey("count-lists", { operations: ["models"] });
    const spent = server.addKey("count-spent", { plan: { requestsPerMinute: 0 } });
    const refusals: [Promise<Answer>, number, string][] = [
      [count({}, { key: "wrong" }), 401, "authentication_error"],
      [count({}, { key: spent }), 429, "rate_limit_error"],
      [count({ messages: [] }), 400, "invalid_request_error"],
      [count({ model: "gpt-4" }), 404, "not_found_error"],
      [count({}, { key: restricted }), 403, "permission_error"],
      [count({}, { key: lists }), 403, "permission_error"],
      [count({ messages: [{ role: "user", content: "w ".repeat(2000) }] }), 400, "invalid_request_error"],
    ];
    for (const [asked, status, type] of refusals) {
      const answer = await asked;
      expect(answer).toMatchObject({ status, json: { type: "error", error: { type } } });
      expectDocumented(answer);
    }
    server.completions.refuseNew(new ServiceError("maintenance"));
    expect(await count()).toMatchObject({ status: 503, json: { error: { type: "api_error" } } });
    server.completions.refuseNew(null);
  });
});

describe("the usage of an account", () => {
  const recorded: unknown[] = [];
  beforeAll(async () => {
    await start({ usage: { record: (one) => void recorded.push(one) } });
  });
  afterAll(() => server.close());

  it("has messages, also refused ones, and no counts", async () => {
    const spent = server.addKey("usage-spent", { plan: { requestsPerMinute: 0 } });
    const at = async (path: string, key = server.apiKey) => {
      const { headers } = await ask(server, { path, key, body: question });
      const requestId = headers.get("x-request-id");
      await eventually(() => server.logLines.some((line) => line.requestId === requestId));
    };
    await at(countPath);
    await at(countPath, spent);
    expect(recorded).toEqual([]);
    await at("/v1/messages");
    await at("/v1/messages", spent);
    expect(recorded).toMatchObject([
      { model: "omega", outcome: "ok", promptTokens: 3, completionTokens: 4 },
      { model: null, outcome: "rate_limited", promptTokens: 0 },
    ]);
  });
});
