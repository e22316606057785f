import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceError, type ErrorCode, type ErrorType } from "../../src/core/errors.js";
import { ask, question, type Answer, type Sent } from "../support/clients/chat.js";
import { anyString, textLike } from "../support/matchers.js";
import { expectDocumented, expectOpenAi } from "../support/clients/openapi.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeEach(async () => {
  server = await startServer({ bodyLimitBytes: 2000, engine: { contextTokens: 50 } });
});
afterEach(() => server.close());

interface Expected {
  status: number;
  type: ErrorType;
  code: ErrorCode;
  param?: string | null;
}

function expectError(answer: Answer, { status, type, code, param = null }: Expected): void {
  expect({ status: answer.status, json: answer.json }).toEqual({
    status,
    json: { error: { message: anyString, type, param, code } },
  });
  expectDocumented(answer);
  expectOpenAi("ErrorResponse", answer.json);
}

const invalid = (code: ErrorCode, param?: string): Expected => ({
  status: 400,
  type: "invalid_request_error",
  code,
  ...(param === undefined ? {} : { param }),
});

describe("the specification's table of errors", () => {
  const rows: [row: string, sent: () => Sent, expected: Expected][] = [
    ["400: malformed JSON", () => ({ body: "{" }), invalid("invalid_json")],
    [
      "400: model missing",
      () => ({ body: { messages: [] } }),
      invalid("missing_required_parameter", "model"),
    ],
    [
      "400: messages missing",
      () => ({ body: { model: "omega" } }),
      invalid("missing_required_parameter", "messages"),
    ],
    [
      "401: key missing",
      () => ({ key: null }),
      { status: 401, type: "authentication_error", code: "invalid_api_key" },
    ],
    [
      "401: key invalid",
      () => ({ key: "x" }),
      { status: 401, type: "authentication_error", code: "invalid_api_key" },
    ],
    [
      "403: no permission for the model",
      () => ({ key: server.addKey("other-models", { models: ["prism", "lambda"] }) }),
      { status: 403, type: "permission_error", code: "insufficient_permissions", param: "model" },
    ],
    [
      "403: no permission for the operation",
      () => ({ key: server.addKey("lists-only", { operations: ["models"] }) }),
      { status: 403, type: "permission_error", code: "insufficient_permissions" },
    ],
    [
      "404: no such model",
      () => ({ body: { ...question, model: "gpt-4o" } }),
      { status: 404, type: "invalid_request_error", code: "model_not_found", param: "model" },
    ],
    [
      "429: too many requests",
      () => ({ key: server.addKey("no-requests", { plan: { requestsPerMinute: 0 } }) }),
      { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
    ],
    [
      "500: an internal error",
      () => {
        server.failVerification(new TypeError("secret detail"));
        return {};
      },
      { status: 500, type: "server_error", code: "internal_error" },
    ],
    [
      "503: overload",
      () => {
        server.completions.refuseNew(new ServiceError("overloaded"));
        return {};
      },
      { status: 503, type: "server_error", code: "overloaded" },
    ],
    [
      "503: maintenance",
      () => {
        server.completions.refuseNew(new ServiceError("maintenance"));
        return {};
      },
      { status: 503, type: "server_error", code: "maintenance" },
    ],
    [
      "503: no engine",
      () => {
        server.engine.options.state = "down";
        return {};
      },
      { status: 503, type: "server_error", code: "engine_unavailable" },
    ],
  ];
  it.each(rows)("%s", async (_row, sent, expected) => {
    expectError(await ask(server, sent()), expected);
  });

  it("404: no such endpoint", async () => {
    const { status, json } = await ask(server, { path: "/v1/nothing" });
    expect(status).toBe(404);
    expect(json).toMatchObject({ error: { type: "invalid_request_error", code: "unknown_url" } });
  });

  it("names the models that exist and the ones a key may use", async () => {
    const unknown = await ask(server, { body: { ...question, model: "gpt-4o" } });
    expect(unknown.body).toMatch(/omega, prism and lambda/);
    expect(unknown.body).not.toContain("gpt-4o");
    const key = server.addKey("two-models", { models: ["prism", "lambda"] });
    expect((await ask(server, { key })).body).toMatch(/prism, lambda/);
  });

  it("says nothing of what went wrong inside", async () => {
    server.failVerification(new TypeError("secret detail"));
    const { body } = await ask(server);
    expect(body).not.toContain("secret");
    const lines = JSON.stringify(server.logLines);
    expect(lines).toContain("unexpected error");
    expect(lines).not.toContain("secret");
  });
});

describe("a body", () => {
  const bytes = JSON.stringify(question);
  const nested = (depth: number) => `{"model":"omega","messages":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const cases: [what: string, sent: Sent, expected: Expected][] = [
    ["that is empty", { body: "" }, invalid("invalid_json")],
    ["that is blank", { body: "  \n" }, invalid("invalid_json")],
    ["that is cut off", { body: bytes.slice(0, -3) }, invalid("invalid_json")],
    ["with something after it", { body: `${bytes} x` }, invalid("invalid_json")],
    ["with a trailing comma", { body: `{"model":"omega",}` }, invalid("invalid_json")],
    ["with single quotes", { body: "{'model':'omega'}" }, invalid("invalid_json")],
    ["with NaN", { body: `{"model":"omega","messages":[],"temperature":NaN}` }, invalid("invalid_json")],
    ["that is an array", { body: "[]" }, invalid("invalid_json")],
    ["that is a string", { body: '"omega"' }, invalid("invalid_json")],
    ["that is null", { body: "null" }, invalid("invalid_json")],
    [
      "that is invalid UTF-8",
      { body: Buffer.from(`{"model":"\xff\xfe"}`, "latin1") },
      invalid("invalid_json"),
    ],
    ["with half a character", { body: Buffer.from(bytes).fill(0xc3, 10, 11) }, invalid("invalid_json")],
    ["in UTF-16", { body: Buffer.from(bytes, "utf16le") }, invalid("invalid_json")],
    ["in UTF-16 with a mark", { body: Buffer.from(`\ufeff${bytes}`, "utf16le") }, invalid("invalid_json")],
    ["nested 65 deep", { body: nested(64) }, invalid("invalid_json")],
    ["nested past any stack", { body: nested(900) }, invalid("invalid_json")],
    ["over the limit", { body: { ...question, user: "x".repeat(2000) } }, invalid("request_too_large")],
    ["of another type", { headers: { "content-type": "text/plain" } }, invalid("unsupported_content_type")],
    [
      "of a form",
      { headers: { "content-type": "application/x-www-form-urlencoded" } },
      invalid("unsupported_content_type"),
    ],
    [
      "of a type near ours",
      { headers: { "content-type": "application/json5" } },
      invalid("unsupported_content_type"),
    ],
    [
      "of two types",
      { headers: { "content-type": "application/json, text/plain" } },
      invalid("unsupported_content_type"),
    ],
    ["of an empty type", { headers: { "content-type": "" } }, invalid("unsupported_content_type")],
    [
      "of a broken type",
      { headers: { "content-type": "application/;" } },
      invalid("unsupported_content_type"),
    ],
    [
      "in another charset",
      { headers: { "content-type": "application/json; charset=latin1" } },
      invalid("unsupported_content_type"),
    ],
    [
      "in UTF-16 by name",
      { headers: { "content-type": "application/json; charset=utf-16" } },
      invalid("unsupported_content_type"),
    ],
    [
      "that is compressed",
      { body: gzipSync(bytes), headers: { "content-encoding": "gzip" } },
      invalid("unsupported_content_type"),
    ],
    [
      "longer than the context",
      { body: { ...question, messages: [{ role: "user", content: "w ".repeat(60) }] } },
      invalid("context_length_exceeded", "messages"),
    ],
  ];
  it.each(cases)("%s is refused", async (_what, sent, expected) => {
    expectError(await ask(server, sent), expected);
    expect(server.engine.generations).toEqual([]);
  });

  it("without a content type is refused", async () => {
    const response = await fetch(`${server.baseURL}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.apiKey}` },
      body: new Uint8Array(Buffer.from(bytes)),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "unsupported_content_type" } });
  });

  it("that is compressed is refused with a reason", async () => {
    const untyped = { "content-encoding": "gzip", "content-type": "application/octet-stream" };
    for (const headers of [untyped, {}]) {
      const { json } = await ask(server, { body: gzipSync("{}"), headers });
      expect(json).toMatchObject({ error: { message: textLike(/compressed.*uncompressed/i) } });
    }
    for (const encoding of ["gzip", "br", "deflate", "zstd"]) {
      const { json } = await ask(server, { body: bytes, headers: { "content-encoding": encoding } });
      expect(json).toMatchObject({ error: { message: textLike(/compressed.*uncompressed/i) } });
    }
    expect((await ask(server, { headers: { "content-encoding": "identity" } })).status).toBe(200);
  });

  it("nested 64 deep is read", async () => {
    const { json } = await ask(server, { body: nested(63) });
    expect(json).toMatchObject({ error: { code: "invalid_type", param: "messages[0]" } });
  });

  it("of exactly the limit is read", async () => {
    const padding = 2000 - JSON.stringify({ ...question, user: "" }).length;
    expect((await ask(server, { body: { ...question, user: "x".repeat(padding) } })).status).toBe(200);
    const over = await ask(server, { body: { ...question, user: "x".repeat(padding + 1) } });
    expect(over.json).toMatchObject({ error: { code: "request_too_large" } });
    expect(over.body).toContain("2000 bytes");
  });

  it("counts in bytes, not characters", async () => {
    const over = await ask(server, { body: { ...question, user: "日".repeat(700) } });
    expect(over.json).toMatchObject({ error: { code: "request_too_large" } });
  });

  it("that is too long for the model begins as clients expect", async () => {
    const messages = [{ role: "user", content: "w ".repeat(60) }];
    const { json } = await ask(server, { body: { ...question, messages } });
    expect(json).toMatchObject({
      error: { message: textLike(/^This model's maximum context length is/) },
    });
  });

  it("is never quoted in an error", async () => {
    const canary = "canary5e1f";
    const bodies = [
      `{"model": ${canary}`,
      `"${canary}"`,
      { ...question, model: canary },
      { ...question, stop: [canary, 1] },
    ];
    for (const body of bodies) {
      const answer = await ask(server, { body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body).not.toContain(canary);
    }
    expect(JSON.stringify(server.logLines)).not.toContain(canary);
  });
});
