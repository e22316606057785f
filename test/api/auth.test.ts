import { METHODS } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, question } from "../support/clients/chat.js";
import { anyString } from "../support/matchers.js";
import { expectDocumented, expectOpenAi } from "../support/clients/openapi.js";
import { RawSocket } from "../support/clients/raw-socket.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** One request on a connection of its own; resolves with everything received. */
async function exchange(...lines: string[]): Promise<string> {
  const socket = await RawSocket.open(server.port);
  socket.send(...lines);
  const received = await socket.untilReceived(/\r\n\r\n[^]*\}$/);
  socket.destroy();
  return received;
}

describe("authentication", () => {
  const refused: [string, Record<string, string>][] = [
    ["no header", {}],
    ["another scheme", { authorization: "Basic c2stdGVzdC1hbGw=" }],
    ["no scheme", { authorization: "sk-test-all" }],
    ["an empty key", { authorization: "Bearer" }],
    ["a key of spaces", { authorization: "Bearer    " }],
    ["two keys in one header", { authorization: "Bearer sk-test-all sk-test-all" }],
    ["two credentials in one header", { authorization: "Bearer sk-test-all, Bearer sk-test-all" }],
    ["an unknown key", { authorization: "Bearer sk-test-nobody" }],
    ["a key in another header", { "api-key": "sk-test-all" }],
    ["an unknown key in x-api-key", { "x-api-key": "sk-test-nobody" }],
    ["an empty x-api-key", { "x-api-key": "" }],
    ["two headers that differ", { authorization: "Bearer sk-test-all", "x-api-key": "sk-test-nobody" }],
    ["two headers that differ, the other way", { authorization: "Bearer wrong", "x-api-key": "sk-test-all" }],
    ["two headers, one of another scheme", { authorization: "Basic x", "x-api-key": "sk-test-all" }],
  ];
  it.each(refused)("refuses %s", async (_what, headers) => {
    const answer = await ask(server, { key: null, headers });
    expect(answer.status).toBe(401);
    expectDocumented(answer);
    expectOpenAi("ErrorResponse", answer.json);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.headers.get("x-ratelimit-limit-requests")).toBeNull();
    expect(answer.body).not.toContain("sk-test");
  });

  it("answers every refusal with the same body", async () => {
    const bodies = await Promise.all(
      refused.map(async ([, headers]) => (await ask(server, { key: null, headers })).body),
    );
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? "")).toEqual({
      error: {
        message: anyString,
        type: "authentication_error",
        param: null,
        code: "invalid_api_key",
      },
    });
  });

  it.each(["bearer", "BEARER", "Bearer", "bEaReR"])("takes the scheme written %s", async (scheme) => {
    const headers = { authorization: `${scheme} ${server.apiKey}` };
    expect((await ask(server, { key: null, headers })).status).toBe(200);
  });

  it.each([
    ["POST", "/v1/chat/completions", question],
    ["POST", "/v1/responses", { model: "omega", input: "Hi" }],
    ["POST", "/v1/messages", { ...question, max_tokens: 8 }],
    ["GET", "/v1/models", undefined],
    ["GET", "/v1/models/omega", undefined],
    ["GET", "/v1/key", undefined],
  ])(
    "takes a key in x-api-key, alone and beside the same bearer token: %s %s",
    async (method, path, body) => {
      const own = { "x-api-key": server.apiKey };
      for (const headers of [own, { ...own, authorization: `Bearer ${server.apiKey}` }]) {
        const sent = { method, path, key: null, headers, ...(body === undefined ? {} : { body }) };
        expect((await ask(server, sent)).status).toBe(200);
      }
    },
  );

  it("says in which headers a key may be", async () => {
    for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/models"]) {
      const { body } = await ask(server, { path, key: null });
      expect(body).toContain("'Authorization: Bearer <key>' or 'x-api-key: <key>'");
    }
  });

  it("refuses two Authorization headers, good or not", async () => {
    const header = `Authorization: Bearer ${server.apiKey}`;
    const received = await exchange("GET /v1/models HTTP/1.1", "Host: x", header, header, "", "");
    expect(received).toMatch(/^HTTP\/1\.1 401/);
  });

  it("comes before everything else under /v1", async () => {
    const paths = [
      "/v1",
      "/v1/",
      "/v1/nothing",
      "/v1/chat/completions",
      "/v1/models/gpt-4",
      "/v1/%zz",
      "/v1/%ff/x",
    ];
    for (const path of paths) {
      for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PATCH"]) {
        const answer = await ask(server, { path, method, key: null, headers: { "content-type": "garbage" } });
        expect([path, method, answer.status]).toEqual([path, method, 401]);
      }
    }
  });

  it("does not wait for the body", async () => {
    const head = ["POST /v1/chat/completions HTTP/1.1", "Host: x", "Content-Type: application/json"];
    const received = await exchange(...head, "Content-Length: 5000", "", '{"model":');
    expect(received).toMatch(/^HTTP\/1\.1 401/);
  });

  it("is required for a path that decodes to one under /v1", async () => {
    expect((await ask(server, { path: "/%761/models", method: "GET", key: null })).status).toBe(401);
    expect((await ask(server, { path: "/v1/%6Dodels", method: "GET", key: null })).status).toBe(401);
  });

  it("is required for a request in absolute form", async () => {
    const head = ["GET http://example.com/v1/models?x=1 HTTP/1.1", "Host: example.com"];
    expect(await exchange(...head, "", "")).toMatch(/^HTTP\/1\.1 401/);
    const authorized = await exchange(...head, `Authorization: Bearer ${server.apiKey}`, "", "");
    expect(authorized).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe("an unknown endpoint", () => {
  const unknown: [method: string, path: string][] = [
    ["GET", "/v1"],
    ["GET", "/v1/"],
    ["GET", "/v1/nothing"],
    ["POST", "/v1/edits"],
    ["GET", "/v1/chat/completions"],
    ["HEAD", "/v1/chat/completions"],
    ["PUT", "/v1/chat/completions"],
    ["DELETE", "/v1/models/omega"],
    ["POST", "/v1/models"],
    ["OPTIONS", "/v1/chat/completions"],
    ["OPTIONS", "/v1/models"],
    ["PATCH", "/v1/models"],
    ["GET", "/v1//models"],
    ["GET", "/v1/MODELS"],
    ["GET", "/v1/%zz"],
    ["GET", "/v1/models/%ff%fe/x"],
  ];
  it.each(unknown)("is 404: %s %s", async (method, path) => {
    const answer = await ask(server, { method, path, headers: { "content-type": "text/garbage;;;" } });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("x-ratelimit-limit-requests")).not.toBeNull();
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    expect(answer.headers.get("location")).toBeNull();
    if (method === "HEAD") return;
    expectOpenAi("ErrorResponse", answer.json);
    expect(answer.json).toMatchObject({ error: { type: "invalid_request_error", code: "unknown_url" } });
  });

  it("outside /v1 needs no key to be told", async () => {
    for (const path of ["/", "/nothing", "/V1/models", "/v1x", "/%zz", "/v2/models"]) {
      const answer = await ask(server, { method: "GET", path, key: null });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.json).toMatchObject({ error: { code: "unknown_url" } });
    }
  });

  it("has no method that escapes", async () => {
    for (const method of METHODS.filter((name) => name !== "CONNECT" && name !== "HEAD")) {
      const head = [`${method} /v1/nothing HTTP/1.1`, "Host: x", `Authorization: Bearer ${server.apiKey}`];
      expect([method, (await exchange(...head, "", "")).slice(0, 12)]).toEqual([method, "HTTP/1.1 404"]);
    }
    const everything = await exchange("OPTIONS * HTTP/1.1", "Host: x", "", "");
    expect(everything).toMatch(/^HTTP\/1\.1 404/);
  });

  it("never sends a redirect or CORS headers", async () => {
    const headers = { origin: "https://example.com", "access-control-request-method": "POST" };
    for (const method of ["OPTIONS", "POST", "GET"]) {
      const answer = await ask(server, { method, headers, body: question });
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(answer.status).toBeGreaterThanOrEqual(200);
      expect(answer.status >= 300 && answer.status < 400).toBe(false);
    }
  });
});
