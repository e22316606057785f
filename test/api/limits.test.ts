import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { ask, question, type Answer } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { textLike } from "../support/matchers.js";
import { expectDocumented } from "../support/clients/openapi.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startServer({ clock, engine: { capacity: 1, defaultMaxTokens: 10 }, queueLength: 1 });
});
afterEach(() => server.close());

const rates = ({ headers }: Answer, kind: "requests" | "tokens") =>
  ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}-${kind}`));

function expectRefused(answer: Answer, status: 429 | 503, code: string, message: RegExp): void {
  expectDocumented(answer);
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject({ error: { code, message: textLike(message) } });
  expect(answer.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d)$/);
}

describe("requests per minute", () => {
  it("are counted down in the headers of every authenticated response", async () => {
    const key = server.addKey("counted", { plan: { requestsPerMinute: 3, tokensPerMinute: 1000 } });
    const good = await ask(server, { key });
    expect(rates(good, "requests")).toEqual(["3", "2", "1m0s"]);
    clock.advance(500);
    const bad = await ask(server, { key, body: "{" });
    expect(bad.status).toBe(400);
    expect(rates(bad, "requests")).toEqual(["3", "1", "1m0s"]);
    clock.advance(10_000);
    const lost = await ask(server, { key, path: "/v1/nothing" });
    expect(rates(lost, "requests")).toEqual(["3", "0", "50s"]);
    clock.advance(49_400);
    const refused = await ask(server, { key });
    expect(rates(refused, "requests")).toEqual(["3", "0", "100ms"]);
    expectRefused(refused, 429, "rate_limit_exceeded", /3 requests per minute.*1 s/);
    clock.advance(200);
    expect((await ask(server, { key })).status).toBe(200);
  });

  it("of one account are shared by its keys", async () => {
    const plan = { requestsPerMinute: 1 };
    const first = server.addKey("first", { plan, accountId: "shared" });
    const second = server.addKey("second", { plan, accountId: "shared" });
    expect((await ask(server, { key: first })).status).toBe(200);
    expect((await ask(server, { key: second })).status).toBe(429);
    expect((await ask(server)).status).toBe(200);
  });

  it("never ask a client to wait for more than a minute", async () => {
    server.completions.refuseNew(new ServiceError("maintenance", { retryAfterSeconds: 7200 }));
    expect((await ask(server)).headers.get("retry-after")).toBe("59");
    server.completions.refuseNew(new ServiceError("maintenance", { retryAfterSeconds: 0.2 }));
    expect((await ask(server)).headers.get("retry-after")).toBe("1");
  });
});

describe("tokens per minute", () => {
  it("are reserved, shown in the headers, and settled to actual usage", async () => {
    const key = server.addKey("tokens", { plan: { tokensPerMinute: 100 } });
    expect(rates(await ask(server, { key }), "tokens")).toEqual(["100", "85", "1m0s"]);
    const stream = await ask(server, { key, body: { ...question, stream: true } });
    expect(rates(stream, "tokens")).toEqual(["100", "76", "1m0s"]);
    expect(rates(await ask(server, { key, path: "/v1/models", method: "GET" }), "tokens")[1]).toBe("82");
  });

  it("refuse a request that could use more than is left", async () => {
    const key = server.addKey("few", { plan: { tokensPerMinute: 20 } });
    expect((await ask(server, { key })).status).toBe(200);
    const refused = await ask(server, { key });
    expectRefused(refused, 429, "rate_limit_exceeded", /does not fit.* and \d+ of 20 tokens per minute/);
    expect(refused.headers.get("x-should-retry")).toBeNull();
    expect((await ask(server, { key, body: { ...question, max_tokens: 6 } })).status).toBe(200);
  });

  it("refuse a request that could use more than all of them as one that is wrong, not one to repeat", async () => {
    const key = server.addKey("fewer", { plan: { tokensPerMinute: 14 } });
    const answer = await ask(server, { key });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: { type: "invalid_request_error", code: "request_exceeds_limit", param: "max_tokens" },
    });
    expect(answer.headers.get("retry-after")).toBeNull();
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expectDocumented(answer);
    const two = await ask(server, { key, body: { ...question, max_tokens: 5, n: 2 } });
    expect(two.json).toMatchObject({ error: { code: "request_exceeds_limit" } });
    expect((await ask(server, { key, body: { ...question, max_tokens: 9 } })).status).toBe(200);
  });
});

describe("requests at once", () => {
  it("past the plan's number are refused, and free again afterwards", async () => {
    server.engine.options.capacity = 4;
    const key = server.addKey("one", { plan: { concurrentRequests: 1 } });
    server.engine.hold();
    const running = ask(server, { key });
    await eventually(() => server.engine.active === 1);
    expectRefused(await ask(server, { key }), 429, "rate_limit_exceeded", /1 concurrent request on/);
    server.engine.release();
    expect((await running).status).toBe(200);
    expect((await ask(server, { key })).status).toBe(200);
  });
});

describe("the queue", () => {
  it("answers 503 at once when it is full", async () => {
    server.engine.hold();
    const running = ask(server);
    await eventually(() => server.engine.active === 1);
    const waiting = ask(server);
    const text = async () => (await server.metrics.text()).body;
    await eventually(async () => (await text()).includes('sotto_queue_waiting{model="omega"} 1'));
    expectRefused(await ask(server), 503, "overloaded", /queue is full/);
    server.engine.release();
    expect((await running).status).toBe(200);
    expect((await waiting).status).toBe(200);
  });

  it.each([false, true])("answers 503 to who waited too long, streamed or not: %s", async (stream) => {
    const impatient = await startServer({ engine: { capacity: 1 }, queueWaitMs: 50, keepAliveMs: 5 });
    try {
      impatient.engine.hold();
      const running = ask(impatient);
      await eventually(() => impatient.engine.active === 1);
      const waited = await ask(impatient, { body: { ...question, stream } });
      expectRefused(waited, 503, "overloaded", /waited too long/);
      impatient.engine.release();
      expect((await running).status).toBe(200);
    } finally {
      await impatient.close();
    }
  });
});
