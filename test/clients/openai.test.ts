import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { rejectionOf } from "../support/rejection.js";
import { startServer, type TestServer } from "../support/processes/server.js";

describe("the openai package", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer({ engine: { contextTokens: 50 } });
  });
  afterEach(() => server.close());

  const create = (options: { apiKey?: string; maxRetries?: number; body?: object } = {}) => {
    const { apiKey = server.apiKey, maxRetries = 0, body = {} } = options;
    const client = new OpenAI({ baseURL: server.baseURL, apiKey, maxRetries });
    return client.chat.completions.create({
      model: "omega",
      messages: [{ role: "user", content: "hi" }],
      ...body,
    });
  };

  const errorOf = (failing: Promise<unknown>) => rejectionOf(APIError, failing);

  it("throws AuthenticationError for a wrong key", async () => {
    const error = await errorOf(create({ apiKey: "wrong" }));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({
      status: 401,
      type: "authentication_error",
      code: "invalid_api_key",
      param: null,
    });
    expect(error.requestID).toMatch(/^req_/);
  });

  it("throws PermissionDeniedError for a key without permission", async () => {
    const apiKey = server.addKey("restricted", { models: ["lambda"] });
    const error = await errorOf(create({ apiKey }));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error).toMatchObject({ type: "permission_error", code: "insufficient_permissions" });
  });

  it("throws NotFoundError for an unknown model", async () => {
    const error = await errorOf(create({ body: { model: "gpt-4o" } }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: "model_not_found", param: "model" });
  });

  it("throws BadRequestError for a bad value, and when the conversation is too long", async () => {
    const bad = await errorOf(create({ body: { temperature: 3 } }));
    expect(bad).toBeInstanceOf(BadRequestError);
    expect(bad).toMatchObject({ code: "decimal_above_max_value", param: "temperature" });
    const long = await errorOf(create({ body: { messages: [{ role: "user", content: "w ".repeat(60) }] } }));
    expect(long).toMatchObject({ status: 400, code: "context_length_exceeded" });
  });

  it("throws RateLimitError when the plan is spent", async () => {
    const apiKey = server.addKey("spent", { plan: { requestsPerMinute: 0 } });
    const error = await errorOf(create({ apiKey }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ type: "rate_limit_error", code: "rate_limit_exceeded" });
  });

  it("throws InternalServerError for 503 and 500", async () => {
    server.engine.options.state = "down";
    const unavailable = await errorOf(create());
    expect(unavailable).toBeInstanceOf(InternalServerError);
    expect(unavailable).toMatchObject({ status: 503, code: "engine_unavailable" });
    server.failVerification(new Error("a bug"));
    expect(await errorOf(create())).toMatchObject({ status: 500, code: "internal_error" });
  });

  it("throws the status, not a broken stream, when a streamed request is refused", async () => {
    const error = await errorOf(create({ body: { model: "gpt-4o", stream: true } }));
    expect(error).toBeInstanceOf(NotFoundError);
  });

  it("throws when a stream breaks", async () => {
    const broken = new ServiceError("engine_unavailable");
    server.engine.script = () => ({ fragments: ["a", "b"], failure: { at: 1, error: broken } });
    const client = new OpenAI({ baseURL: server.baseURL, apiKey: server.apiKey, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: "omega",
      messages: [{ role: "user", content: "hi" }],
      stream: true,
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    })();
    expect(await errorOf(reading)).toMatchObject({ code: "engine_unavailable" });
    expect(text).toBe("a");
  });

  it("waits as long as Retry-After says, and then succeeds", async () => {
    server.completions.refuseNew(new ServiceError("overloaded", { retryAfterSeconds: 1 }));
    const timers = vi.spyOn(globalThis, "setTimeout");
    const client = new OpenAI({
      baseURL: server.baseURL,
      apiKey: server.apiKey,
      maxRetries: 1,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        server.completions.refuseNew(null);
        return response;
      },
    });
    const messages = [{ role: "user" as const, content: "hi" }];
    const completion = await client.chat.completions.create({ model: "omega", messages });
    expect(completion.choices[0]?.message.content).toBe("Hello from omega.");
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(1000);
    timers.mockRestore();
  });
});
