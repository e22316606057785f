import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { ask, question, type Sent } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { anyNumber, textLike } from "../support/matchers.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

async function lineOf(sent: Sent): Promise<Record<string, unknown>> {
  const answer = await ask(server, sent);
  const requestId = answer.headers.get("x-request-id");
  return eventually(() => server.logLines.find((line) => line.requestId === requestId));
}

const always = {
  level: 30,
  time: textLike(/^\d{4}-/),
  msg: "request",
  requestId: textLike(/^req_[0-9A-Za-z]{24,}$/),
  durationMs: anyNumber,
};
const caller = { account: "acc_0", key: "key_0" };
const run = { model: "omega", promptTokens: 5, queuedMs: anyNumber, firstTokenMs: anyNumber };

describe("the log line of a request", () => {
  it.each([false, true])("has a completion's token counts and times, streamed or not: %s", async (stream) => {
    expect(await lineOf({ body: { ...question, stream } })).toEqual({
      ...always,
      ...caller,
      ...run,
      completionTokens: 4,
      route: "/v1/chat/completions",
      method: "POST",
      status: 200,
      outcome: "finished",
      stream,
    });
  });

  it("has a refusal's error code", async () => {
    expect(await lineOf({ body: "{" })).toEqual({
      ...always,
      ...caller,
      route: "/v1/chat/completions",
      method: "POST",
      status: 400,
      code: "invalid_json",
      outcome: "failed",
    });
  });

  it("records that a stream broke", async () => {
    const error = new ServiceError("engine_unavailable");
    server.engine.script = () => ({ fragments: ["a", "b"], failure: { at: 1, error } });
    expect(await lineOf({ body: { ...question, stream: true } })).toMatchObject({
      ...run,
      completionTokens: 1,
      status: 200,
      code: "engine_unavailable",
      outcome: "failed",
    });
  });

  it("names the route, never the path that was asked for", async () => {
    const paths: [string, string][] = [
      ["/v1/models/omega", "/v1/models/:id"],
      ["/v1/models/secret", "/v1/models/:id"],
      ["/v1/secret?secret", "/v1/*"],
      ["/secret", "/*"],
      ["/healthz", "/healthz"],
    ];
    for (const [path, route] of paths) expect(await lineOf({ method: "GET", path })).toMatchObject({ route });
    expect(JSON.stringify(server.logLines)).not.toContain("secret");
  });

  it("names the account only once it is known", async () => {
    const line = await lineOf({ key: "wrong" });
    expect(line).toEqual({
      ...always,
      route: "/v1/chat/completions",
      method: "POST",
      status: 401,
      code: "invalid_api_key",
      outcome: "failed",
    });
  });
});
