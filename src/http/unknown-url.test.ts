import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, errorOf, type Sent } from "../../test/support/clients/chat.js";
import { apiRoutes } from "./routes.js";
import { unknownUrlOf } from "./unknown-url.js";
import { startServer, type TestServer } from "../../test/support/processes/server.js";

let server: TestServer;
/** All of them, in the order of the routes. */
let endpoints: string;
beforeAll(async () => {
  server = await startServer();
  const names = apiRoutes(server.parts).map(
    ({ method, url }) => `${method} /v1${url.replace(/:(\w+)/, "{$1}")}`,
  );
  endpoints = `The endpoints are ${names.slice(0, -1).join(", ")} and ${names.at(-1)}.`;
});
afterAll(() => server.close());

async function messageOf(sent: Sent): Promise<string> {
  const { status, json } = await ask(server, sent);
  const { code, message } = errorOf(json);
  expect({ status, code }).toEqual({ status: 404, code: "unknown_url" });
  return message;
}

describe("an unknown path", () => {
  it("names the endpoints", async () => {
    expect(await messageOf({ path: "/v1/nothing" })).toBe(`There is no such endpoint. ${endpoints}`);
    expect(await messageOf({ path: "/v1" })).toBe(`There is no such endpoint. ${endpoints}`);
  });

  it.each([
    ["GET", "/v1//models", "GET /v1/models"],
    ["GET", "/models", "GET /v1/models"],
    ["GET", "//v1/models", "GET /v1/models"],
    ["GET", "/V1/Models", "GET /v1/models"],
    ["GET", "/v1/model", "GET /v1/models"],
    ["GET", "/v1/v1/models/omega", "GET /v1/models/{id}"],
    ["POST", "/chat/completions", "POST /v1/chat/completions"],
    ["POST", "/chat/completions/", "POST /v1/chat/completions"],
    ["POST", "/v1/v1/chat/completions", "POST /v1/chat/completions"],
    ["POST", "/openai/v1/chat/completions", "POST /v1/chat/completions"],
    ["POST", "/v1/chat/completion", "POST /v1/chat/completions"],
    ["POST", "/v1/chat", "POST /v1/chat/completions"],
    ["POST", "/responses", "POST /v1/responses"],
    ["POST", "/completions", "POST /v1/completions"],
    ["POST", "/v1/v1/completions", "POST /v1/completions"],
    ["POST", "/v2/chat/completions?api-version=1", "POST /v1/chat/completions"],
    ["POST", "/openai/deployments/omega/chat/completions?api-version=1", "POST /v1/chat/completions"],
    ["POST", "/v1/chat/completions/chat/completions", "POST /v1/chat/completions"],
    ["POST", "/proxy/v1/chat/completions", "POST /v1/chat/completions"],
    ["GET", "/v1/openai/v1/models", "GET /v1/models"],
    ["GET", "/key", "GET /v1/key"],
    ["GET", "/v1/keys", "GET /v1/key"],
    ["POST", "/embeddings", "POST /v1/embeddings"],
    ["POST", "/v2/rerank", "POST /v1/rerank"],
  ])("%s %s names the likely endpoint", async (method, path, likely) => {
    expect(await messageOf({ method, path })).toBe(
      `There is no such endpoint. Did you mean ${likely}? ${endpoints}`,
    );
  });

  it.each([
    ["GET", "/v1/responses", "POST /v1/responses"],
    ["GET", "/v1/responses/compact", "POST /v1/responses/compact"],
    ["POST", "/v1/models/", "GET /v1/models"],
    ["PUT", "/v1/models/omega", "GET /v1/models/{id}"],
  ])("%s %s names the method", async (method, path, right) => {
    expect(await messageOf({ method, path })).toBe(
      `This endpoint does not accept this method: use ${right}.`,
    );
  });

  it.each([
    ["POST", "/v1/images/generations", "/v1/images"],
    ["POST", "/images/generations", "/v1/images"],
    ["GET", "/v1/fine_tuning/jobs/ft-1", "/v1/fine_tuning"],
    ["GET", "/v1/chat/completions/chatcmpl-1", "/v1/chat/completions/{id}"],
    ["GET", "/v1/v1/chat/completions/chatcmpl-1/messages", "/v1/chat/completions/{id}"],
    ["GET", "/v1/threads/thread_1/messages", "/v1/threads"],
  ])("%s %s is named as not offered, with what to do instead", async (method, path, name) => {
    const message = await messageOf({ method, path });
    expect(message.startsWith(`This service does not offer ${name}. `)).toBe(true);
    expect(message.endsWith(` ${endpoints}`)).toBe(true);
  });

  it.each([
    ["GET", "/v1/chat/completions", "/v1/chat/completions"],
    ["DELETE", "/v1/models/omega", "/v1/models/{id}"],
  ])("%s %s is another endpoint than the one at its path", async (method, path, name) => {
    expect(await messageOf({ method, path })).toContain(`This service does not offer ${name}. `);
  });

  it("never repeats the path", async () => {
    for (const path of [
      "/v1/secret",
      "/v1/models/secret/x",
      "/v1/chat/secret",
      "/v1/files/secret",
      "/secret",
    ]) {
      expect(await messageOf({ path })).not.toContain("secret");
    }
  });

  it("outside /v1 is not about the API unless it looks like it", async () => {
    expect(await messageOf({ path: "/nothing" })).not.toContain("/v1/models");
  });

  describe("of a service with more endpoints", () => {
    const explain = unknownUrlOf([
      { method: "POST", url: "/chat/completions" },
      { method: "POST", url: "/responses" },
      { method: "POST", url: "/messages" },
      { method: "POST", url: "/messages/count_tokens" },
      { method: "GET", url: "/models" },
    ]);

    it.each([
      ["/responses", "/v1/responses"],
      ["/v1/v1/responses", "/v1/responses"],
      ["/openai/v1/responses", "/v1/responses"],
      ["/v1//responses", "/v1/responses"],
      ["/v1/response", "/v1/responses"],
      ["/messages", "/v1/messages"],
      ["/v1/v1/messages", "/v1/messages"],
      ["/anthropic/v1/messages", "/v1/messages"],
      ["/v1/messages/v1/messages", "/v1/messages"],
      ["/anthropic/v1/messages/count_tokens?beta=true", "/v1/messages/count_tokens"],
      ["/v1/v1/messages/count_tokens", "/v1/messages/count_tokens"],
      ["/v1/messages/count_token", "/v1/messages"],
    ])("%s names the likely one", (url, likely) => {
      expect(explain({ url }).message).toContain(`There is no such endpoint. Did you mean POST ${likely}?`);
    });

    it.each([
      ["/v1/responses/resp_1", "/v1/responses/{id}. Nothing is stored here"],
      ["/v1/responses/resp_1/input_items", "/v1/responses/{id}. Nothing is stored here"],
      ["/responses/input_tokens", "/v1/responses/input_tokens. POST /v1/messages/count_tokens"],
      ["/v1/messages/batches", "/v1/messages/batches. Nothing is stored here"],
      ["/v1/messages/batches/secret", "/v1/messages/batches. Nothing is stored here"],
      ["/v1/deployments", "/v1/deployments. Nothing is stored or run here"],
    ])("%s says what is not served", (url, message) => {
      expect(explain({ url }).message).toContain(`This service does not offer ${message}`);
    });
  });

  it("is only explained to callers with a key", async () => {
    const { status, body } = await ask(server, { path: "/v1/moderations", key: null });
    expect(status).toBe(401);
    expect(body).not.toContain("moderations");
  });
});
