import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../support/chat.js";
import { expectDocumented, expectOpenAi } from "../support/openapi.js";
import { startServer, type TestServer } from "../support/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const get = (path: string, key?: string) =>
  ask(server, { method: "GET", path, ...(key === undefined ? {} : { key }) });

describe("the list of models", () => {
  it.each(["/v1/models", "/v1/models/", "/v1/models?limit=1"])("is at %s", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expectDocumented({ ...answer, path: "/v1/models" });
    expectOpenAi("ListModelsResponse", answer.json);
    const model = (id: string) => ({ id, object: "model", created: 1767225600, owned_by: "acme" });
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
    expect(answer.json).toEqual({ id, object: "model", created: 1767225600, owned_by: "acme" });
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
