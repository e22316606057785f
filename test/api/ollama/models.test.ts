/** What Ollama's API says about models, its vectors, what it does not serve, and who may ask. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DashboardParts } from "../../../src/http/dashboard/parts.js";
import { dashboardRoutes } from "../../../src/http/dashboard/routes.js";
import { ollamaRefusals, ollamaRoutes } from "../../../src/http/routes.js";
import { endpoints } from "../../../src/protocol/endpoints.js";
import { isOllamaPath } from "../../../src/protocol/ollama/paths.js";
import { ask } from "../../support/clients/chat.js";
import { expectDocumented } from "../../support/clients/openapi.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

let server: TestServer;
const follows = { jsonSchema: true, logprobs: true, tools: true, reasoning: true };
beforeAll(async () => {
  server = await startServer({
    engine: { follows: { ...follows, tasks: ["chat", "embed"] }, contextTokens: 4096 },
    proof: { facts: (model) => ({ weights: model === "omega" ? "ab".repeat(32) : null, statement: null }) },
  });
});
afterAll(() => server.close());

interface Listed {
  models: { name: string; model: string; digest: string; size: number; details: { families: string[] } }[];
}

describe("GET /api/tags and GET /api/ps", () => {
  it.each(["/api/tags", "/api/ps"])("%s lists the models by name and tag", async (path) => {
    const answer = await ask(server, { method: "GET", path });
    expectDocumented(answer);
    const { models } = answer.json as Listed;
    expect(models.slice(0, 3).map(({ name }) => name)).toEqual([
      "omega:latest",
      "prism:latest",
      "lambda:latest",
    ]);
    expect(models.every(({ name, model }) => name === model)).toBe(true);
    expect(models[0]?.digest).toBe("ab".repeat(32));
    expect(models[1]?.digest).toBe("0".repeat(64));
  });

  it("lists only what is loaded as running", async () => {
    server.engine.options.state = "asleep";
    const { json } = await ask(server, { method: "GET", path: "/api/ps" });
    server.engine.options.state = "ready";
    expect(json).toEqual({ models: [] });
  });

  it("answers HEAD", async () => {
    const { status, body } = await ask(server, { method: "HEAD", path: "/api/tags" });
    expect({ status, body }).toEqual({ status: 200, body: "" });
  });

  it("needs the permission to list models", async () => {
    const key = server.addKey("sk-chat", { operations: ["chat"] });
    for (const path of ["/api/tags", "/api/ps"]) {
      expect((await ask(server, { method: "GET", path, key })).status).toBe(403);
    }
  });
});

describe("POST /api/show", () => {
  it.each([{ model: "omega" }, { model: "omega:latest", verbose: true }, { name: "omega" }])(
    "shows a model: %j",
    async (body) => {
      const answer = await ask(server, { path: "/api/show", body });
      expectDocumented(answer);
      expect(answer.json).toMatchObject({
        capabilities: ["completion", "tools", "thinking", "embedding"],
        model_info: { "general.architecture": "sotto", "sotto.context_length": 4096 },
      });
    },
  );

  it("shows an alias", async () => {
    const { status, json } = await ask(server, {
      path: "/api/show",
      body: { model: "claude-opus-4:latest" },
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ model_info: { "general.name": "claude-opus-4" } });
  });

  it.each(["{", "[]", '{"model":1}', "{}"])("refuses %s", async (body) => {
    const { status, json } = await ask(server, { path: "/api/show", body });
    expect({ status, json }).toEqual({ status: 400, json: { error: expect.any(String) as string } });
  });
});

describe("GET /api/version", () => {
  it("names a version that clients can compare", async () => {
    const answer = await ask(server, { method: "GET", path: "/api/version" });
    expectDocumented(answer);
    expect(answer.json).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string });
  });
});

describe("POST /api/embed and /api/embeddings", () => {
  it("have vectors in the order of the texts", async () => {
    server.engine.generate = async function* ({ generation, promptTokens }) {
      const inputs = generation.task?.type === "embed" ? generation.task.inputs : [];
      const usage = { promptTokens, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
      yield [
        { type: "vectors", choice: 0, vectors: inputs.map((input) => Float32Array.of(input.length, 0.5)) },
        { type: "finished", choice: 0, finishReason: "stop" },
        { type: "done", usage },
      ];
    };
    const many = await ask(server, {
      path: "/api/embed",
      body: {
        model: "omega",
        input: ["a", "abc"],
        truncate: true,
        options: {},
        keep_alive: "1m",
        dimensions: 0,
      },
    });
    expectDocumented(many);
    expect(many.json).toMatchObject({
      embeddings: [
        [1, 0.5],
        [3, 0.5],
      ],
    });
    const one = await ask(server, { path: "/api/embed", body: { model: "omega", input: "ab" } });
    expect(one.json).toMatchObject({ model: "omega", embeddings: [[2, 0.5]] });
    const old = await ask(server, { path: "/api/embeddings", body: { model: "omega:latest", prompt: "ab" } });
    expectDocumented(old);
    expect(old.json).toEqual({ embedding: [2, 0.5] });
  });
});

describe("what is not served", () => {
  const refused = endpoints.filter(({ api, status }) => api === "Ollama" && status === "refused");

  it.each(refused)("$path says what to do instead, whatever the method", async ({ path, text, below }) => {
    for (const method of ["POST", "DELETE", "GET", "PUT"]) {
      const at = below === true ? `${path}/sha256:secret` : path;
      const { status, json } = await ask(server, {
        method,
        path: at,
        body: '{"model": "x", "insecure": tru',
      });
      expect({ method, status, json }).toEqual({
        method,
        status: 404,
        json: { error: `This service does not offer ${path}. ${text}` },
      });
    }
  });

  it("is told by method", async () => {
    const { status, json } = await ask(server, { method: "GET", path: "/api/chat" });
    expect(status).toBe(404);
    expect(json).toEqual({ error: "This endpoint does not accept this method: use POST /api/chat." });
    expect((await ask(server, { method: "DELETE", path: "/api/tags" })).status).toBe(404);
  });

  it.each(["/v1/api/chat", "/v1/api/tags"])("%s is too much of an address", async (path) => {
    const { status, body } = await ask(server, { path });
    expect(status).toBe(404);
    expect(body).toContain("Ollama's API is at /api, without /v1.");
  });
});

describe("who may ask", () => {
  const paths = () => [
    ...ollamaRoutes(server.parts).map(({ method, url }) => [method, `/api${url}`] as const),
    ...ollamaRefusals(server.parts).map(({ url }) => ["POST", `/api${url.replace("*", "x")}`] as const),
  ];

  it("only those with a key, on every path", async () => {
    for (const [method, path] of paths()) {
      const { status, json, headers } = await ask(server, { method, path, key: null });
      expect([path, status, json]).toEqual([
        path,
        401,
        { error: expect.stringContaining("API key") as string },
      ]);
      expect(headers.get("www-authenticate")).toBe("Bearer");
      expect(headers.get("x-request-id")).toMatch(/^req_/);
    }
  });

  it("tells all of its paths from the dashboard's", () => {
    for (const [, path] of paths()) expect([path, isOllamaPath(path)]).toEqual([path, true]);
    // Routes are listed without anything behind them.
    const nothing: unknown = new Proxy(() => undefined, { get: () => nothing, apply: () => nothing });
    const dashboards = dashboardRoutes(nothing as DashboardParts).map(({ path }) => `/api${path}`);
    expect(dashboards.length).toBeGreaterThan(50);
    expect(dashboards.filter(isOllamaPath)).toEqual([]);
  });
});
