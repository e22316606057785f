import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../support/clients/chat.js";
import type { FakeEngineOptions } from "../support/engines/fake-engine.js";
import { expectDocumented, expectOpenAi } from "../support/clients/openapi.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const get = (path: string, key?: string) =>
  ask(server, { method: "GET", path, ...(key === undefined ? {} : { key }) });

const model = (id: string) => ({
  id,
  object: "model",
  created: 1767225600,
  owned_by: "acme",
  context_length: 1000,
  max_output_tokens: 1000,
  capabilities: {
    tools: true,
    json_schema: true,
    reasoning: true,
    logprobs: true,
    vision: false,
    chat: true,
    embeddings: false,
    rerank: false,
    infill: false,
  },
});

describe("the list of models", () => {
  it.each(["/v1/models", "/v1/models/", "/v1/models?limit=1"])("is at %s", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expectDocumented({ ...answer, path: "/v1/models" });
    expectOpenAi("ListModelsResponse", answer.json);
    expect(answer.json).toEqual({ object: "list", data: [model("omega"), model("prism"), model("lambda")] });
  });

  it("is whole for a key that may use only one of them", async () => {
    const key = server.addKey("only-prism", { models: ["prism"] });
    expect((await get("/v1/models", key)).json).toMatchObject({ data: { length: 3 } });
    expect((await get("/v1/models/omega", key)).status).toBe(200);
  });

  it("is refused to a key that may not list models", async () => {
    const answer = await get("/v1/models", server.addKey("only-chat", { operations: ["chat"] }));
    expect(answer.status).toBe(403);
    expectDocumented(answer);
    expect(answer.json).toMatchObject({
      error: { type: "permission_error", code: "insufficient_permissions" },
    });
  });
});

describe("one model", () => {
  it.each(["omega", "prism", "lambda"])("%s can be retrieved", async (id) => {
    const answer = await get(`/v1/models/${id}`);
    expect(answer.status).toBe(200);
    expectDocumented({ ...answer, path: "/v1/models/{id}" });
    expectOpenAi("Model", answer.json);
    expect(answer.json).toEqual(model(id));
  });

  it.each(["gpt-4", "Omega", "__proto__", "a%2Fb", "%F0%9F%99%82", "x".repeat(5000)])(
    "that does not exist is 404: %s",
    async (id) => {
      const answer = await get(`/v1/models/${id}`);
      expect(answer.status).toBe(404);
      expectDocumented({ ...answer, path: "/v1/models/{id}" });
      expectOpenAi("ErrorResponse", answer.json);
      expect(answer.json).toMatchObject({
        error: { type: "invalid_request_error", code: "model_not_found", param: "model" },
      });
    },
  );

  it("that does not exist is 404 rather than 403", async () => {
    const key = server.addKey("chat-only", { operations: ["chat"] });
    expect((await get("/v1/models/gpt-4", key)).status).toBe(404);
    expect((await get("/v1/models/omega", key)).status).toBe(403);
  });
});

describe("models for clients of the Messages API", () => {
  const headers = { "anthropic-version": "2023-06-01" };
  const own = (id: string) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
  });

  it("are listed in its shape", async () => {
    const answer = await ask(server, { method: "GET", path: "/v1/models?limit=1000", headers });
    expectDocumented({ ...answer, path: "/v1/models" });
    expect(answer.json).toEqual({
      data: [own("omega"), own("prism"), own("lambda")],
      has_more: false,
      first_id: "omega",
      last_id: "lambda",
    });
    expect(answer.headers.get("request-id")).toBe(answer.headers.get("x-request-id"));
  });

  it("are retrieved in its shape, by an alias too", async () => {
    for (const id of ["prism", "claude-opus-4"]) {
      const answer = await ask(server, { method: "GET", path: `/v1/models/${id}`, headers });
      expectDocumented({ ...answer, path: "/v1/models/{id}" });
      expect(answer.json).toEqual(own(id));
    }
  });

  it("are refused in its shape", async () => {
    const missing = await ask(server, { method: "GET", path: "/v1/models/gpt-4", headers });
    expect(missing).toMatchObject({
      status: 404,
      json: { type: "error", error: { type: "not_found_error" } },
    });
    const nobody = await ask(server, { method: "GET", path: "/v1/models", headers, key: null });
    expect(nobody).toMatchObject({
      status: 401,
      json: { type: "error", error: { type: "authentication_error" } },
    });
  });

  it("leave other paths as they are", async () => {
    const answer = await ask(server, { headers });
    expect(answer.json).toMatchObject({ object: "chat.completion" });
  });
});

describe("what a model can do", () => {
  const omega = async (key?: string) => {
    const answer = await get("/v1/models/omega", key);
    expectDocumented({ ...answer, path: "/v1/models/{id}" });
    expectOpenAi("Model", answer.json);
    return answer.json;
  };
  const withEngine = async (options: FakeEngineOptions, check: () => Promise<void>) => {
    const before = { ...server.engine.options };
    Object.assign(server.engine.options, options);
    try {
      await check();
    } finally {
      server.engine.options = before;
    }
  };

  it("is said of `tools` as the service treats them", async () => {
    const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
    const messages = [{ role: "user", content: "hi" }];
    const answer = await ask(server, { body: { model: "omega", messages, tools } });
    expect(answer.status === 200).toBe(model("omega").capabilities.tools);
  });

  it("ends at what the plan allows", async () => {
    const key = server.addKey("short-replies", { plan: { maxTokens: 64 } });
    expect(await omega(key)).toMatchObject({ context_length: 1000, max_output_tokens: 64 });
    const generous = server.addKey("long-replies", { plan: { maxTokens: 100_000 } });
    expect(await omega(generous)).toMatchObject({ max_output_tokens: 1000 });
  });

  it("follows its engine", () =>
    withEngine(
      { follows: { jsonSchema: false, logprobs: false, tools: false, reasoning: false } },
      async () => {
        expect(await omega()).toMatchObject({ capabilities: { json_schema: false, logprobs: false } });
      },
    ));

  it("is null where the context is not known", () =>
    withEngine({ contextTokens: 0 }, async () => {
      expect(await omega()).toMatchObject({ context_length: null, max_output_tokens: null });
      const key = server.addKey("short-replies", { plan: { maxTokens: 64 } });
      expect(await omega(key)).toMatchObject({ context_length: null, max_output_tokens: 64 });
    }));

  it("comes with the operator's line, where there is one", async () => {
    server.parts.modelDescription = (id) => (id === "omega" ? "For long letters." : null);
    expect(await omega()).toMatchObject({ description: "For long letters." });
    expect((await get("/v1/models/prism")).json).not.toHaveProperty("description");
    delete server.parts.modelDescription;
  });
});

describe("HEAD", () => {
  it.each(["/v1/models", "/v1/models/omega", "/healthz", "/readyz", "/openapi.json"])(
    "of %s has the headers of GET and no body",
    async (path) => {
      const [whole, head] = await Promise.all([get(path), ask(server, { method: "HEAD", path })]);
      expect(head.status).toBe(200);
      expect(head.body).toBe("");
      expect(head.headers.get("content-type")).toBe(whole.headers.get("content-type"));
      expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(whole.body)));
    },
  );
});
