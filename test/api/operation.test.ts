import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createMetricsServer } from "../../src/http/server.js";
import { ask } from "../support/clients/chat.js";
import { expectDocumented } from "../support/clients/openapi.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
afterEach(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  ask(server, { method: "GET", path, key: null, headers });

describe("the operator", () => {
  it("sees that the process lives", async () => {
    server = await startServer({ isReady: () => false });
    const answer = await get("/healthz");
    expect(answer.status).toBe(200);
    expectDocumented(answer);
  });

  it("sees when it can answer", async () => {
    let ready = false;
    server = await startServer({ isReady: () => ready, engine: { state: "starting" } });
    const before = await get("/readyz");
    expect(before.status).toBe(503);
    expectDocumented(before);
    expect(before.json).toMatchObject({
      status: "unavailable",
      reason: "models_not_ready",
      models: { omega: "starting" },
    });
    ready = true;
    server.engine.options.state = "ready";
    const after = await get("/readyz/");
    expect(after.status).toBe(200);
    expectDocumented({ ...after, path: "/readyz" });
    expect(after.body).not.toContain("fake");
  });

  it("reads the API's description", async () => {
    server = await startServer();
    const answer = await get("/openapi.json");
    expectDocumented(answer);
    expect(answer.json).toEqual(parse(readFileSync("docs/openapi.yaml", "utf8")));
  });
});

describe("metrics", () => {
  const metricsToken = "a-token-of-sixteen-or-more";

  it("are served to callers with the token", async () => {
    server = await startServer({ metricsToken });
    await ask(server);
    await ask(server, { body: "{" });
    const answer = await get("/metrics", { authorization: `Bearer ${metricsToken}` });
    expect(answer.status).toBe(200);
    expectDocumented(answer);
    const route = "/v1/chat/completions";
    expect(answer.body).toContain(`sotto_requests_total{route="${route}",status="200",code="none"} 1`);
    expect(answer.body).toContain(
      `sotto_requests_total{route="${route}",status="400",code="invalid_json"} 1`,
    );
    expect(answer.body).toContain('sotto_tokens_total{model="omega",kind="prompt"} 5');
    expect(answer.body).toContain('sotto_tokens_total{model="omega",kind="completion"} 4');
    expect(answer.body).toContain('sotto_time_to_first_token_seconds_count{model="omega"} 1');
  });

  it.each([
    ["no token", {}],
    ["another token", { authorization: "Bearer a-token-of-sixteen-or-less" }],
    ["an API key", { authorization: "Bearer sk-test-all" }],
  ])("are not there with %s", async (_what, headers) => {
    server = await startServer({ metricsToken });
    const answer = await get("/metrics", headers);
    expect(answer.status).toBe(404);
    expectDocumented(answer);
  });

  it("are not there when no token is set", async () => {
    server = await startServer();
    expect((await get("/metrics")).status).toBe(404);
    expect((await get("/metrics", { authorization: "Bearer undefined" })).status).toBe(404);
  });

  it("need no token on a port of their own", async () => {
    server = await startServer();
    const own = createMetricsServer(server.metrics);
    try {
      const url = await own.listen({ host: "127.0.0.1", port: 0 });
      const response = await fetch(`${url}/metrics`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
      expect(await response.text()).toContain("sotto_sequences_active");
      expect((await fetch(`${url}/v1/models`)).status).toBe(404);
    } finally {
      await own.close();
    }
  });
});
