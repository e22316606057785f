/** A model that another answers for, while its engine is down or its queue is full: in every API, and never halfway. */
import { afterEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import type { UsedRequest } from "../../src/core/usage/usage-recorder.js";
import { ask, errorOf, parseEvents, send } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { startServer, type TestServer, type TestServerOptions } from "../support/processes/server.js";

let server: TestServer;
let used: UsedRequest[];
afterEach(() => server.close());

async function start(options: TestServerOptions = {}): Promise<void> {
  used = [];
  server = await startServer({
    substitutes: { omega: "prism" },
    usage: { record: (event) => void used.push(event) },
    ...options,
  });
}

const messages = [{ role: "user", content: "Hi" }];
const dialects: [name: string, path: string, body: object, fragment: string][] = [
  ["chat completions", "/v1/chat/completions", { messages }, '"model":"prism"'],
  ["completions", "/v1/completions", { prompt: "Hi" }, '"model":"prism"'],
  ["responses", "/v1/responses", { input: "Hi" }, '"model":"prism"'],
  ["messages", "/v1/messages", { messages, max_tokens: 50 }, '"model":"prism"'],
  ["Ollama's chat", "/api/chat", { messages }, '"model":"prism"'],
  ["Ollama's generate", "/api/generate", { prompt: "Hi" }, '"model":"prism"'],
];

describe.each(dialects)("in %s", (_name, path, fields, fragment) => {
  it.each([false, true])("a model that is down is answered for (stream: %s)", async (stream) => {
    await start();
    server.engine.down.add("omega");
    const answer = await ask(server, { path, body: { model: "omega", stream, ...fields } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("sotto-model")).toBe("prism");
    expect(answer.body).toContain(fragment);
    expect(answer.body).toContain("prism");
    await eventually(() => used.length === 1);
    expect(used).toMatchObject([{ model: "prism", outcome: "ok" }]);
  });

  it.each([false, true])("a model that is up answers for itself (stream: %s)", async (stream) => {
    await start();
    const answer = await ask(server, { path, body: { model: "omega", stream, ...fields } });
    expect(answer.headers.get("sotto-model")).toBe("omega");
    expect(server.engine.generations.map(({ model }) => model)).toEqual(["omega"]);
  });
});

describe("a substitute", () => {
  it("answers where the queue is full", async () => {
    await start({ engine: { capacity: 1 }, queueLength: 1 });
    server.engine.hold();
    const fill = () => send(server, { body: { model: "omega", messages, stream: true } });
    const held = [fill(), fill()];
    await eventually(() => server.engine.generations.length === 1);
    await eventually(() => server.completions.active === 2);
    const third = ask(server, { body: { model: "omega", messages } });
    await eventually(() => server.engine.generations.length === 2);
    server.engine.release();
    expect((await third).headers.get("sotto-model")).toBe("prism");
    for (const response of held) await (await response).text();
  });

  it("answers where the engine fails before its first token", async () => {
    await start();
    server.engine.script = ({ model }) => ({
      fragments: [model],
      ...(model === "omega" ? { failure: { at: 0, error: new ServiceError("engine_unavailable") } } : {}),
    });
    const answer = await ask(server, { body: { model: "omega", messages, stream: true } });
    expect(answer.headers.get("sotto-model")).toBe("prism");
    expect(parseEvents(answer.body).done).toBe(true);
  });

  it("does not continue a reply that has begun: its failure stays an error", async () => {
    await start();
    server.engine.script = () => ({
      fragments: ["a", "b"],
      failure: { at: 1, error: new ServiceError("engine_unavailable") },
    });
    const answer = await ask(server, { body: { model: "omega", messages, stream: true } });
    expect(answer.headers.get("sotto-model")).toBe("omega");
    const { events, done } = parseEvents(answer.body);
    expect(done).toBe(false);
    expect(events.at(-1)).toMatchObject({ error: { code: "engine_unavailable" } });
    expect(server.engine.generations.map(({ model }) => model)).toEqual(["omega"]);
  });

  it("changes nothing for a client that hangs up before the first token", async () => {
    await start();
    server.engine.hold();
    const hangUp = new AbortController();
    const body = { model: "omega", messages, stream: true };
    const sent = send(server, { body, signal: hangUp.signal }).catch(() => undefined);
    await eventually(() => server.engine.active === 1);
    hangUp.abort();
    await sent;
    await eventually(() => server.engine.active === 0 && server.completions.active === 0);
    expect(server.engine.generations.map(({ model }) => model)).toEqual(["omega"]);
  });

  it("is not waited for: a slow first token comes from the model that was asked for", async () => {
    await start({ keepAliveMs: 100 });
    server.engine.hold();
    const response = await send(server, { body: { model: "omega", messages, stream: true } });
    // Comments have opened the stream while it waits.
    expect(response.headers.get("sotto-model")).toBe("omega");
    server.engine.release();
    expect(parseEvents(await response.text()).done).toBe(true);
    await eventually(() => server.completions.active === 0 && server.engine.active === 0);
  });

  it("has one of its own, in turn", async () => {
    await start({ substitutes: { omega: "prism", prism: "lambda" } });
    server.engine.down.add("omega");
    server.engine.down.add("prism");
    const answer = await ask(server, { body: { model: "omega", messages } });
    expect(answer.headers.get("sotto-model")).toBe("lambda");
  });

  it("is not used by a key that may not", async () => {
    await start();
    server.engine.down.add("omega");
    const key = server.addKey("only-omega", { models: ["omega"] });
    const answer = await ask(server, { key, body: { model: "omega", messages } });
    expect(answer.status).toBe(503);
    expect(errorOf(answer.json).code).toBe("engine_unavailable");
    const plan = server.addKey("plan", { plan: { models: ["omega"] } });
    expect((await ask(server, { key: plan, body: { model: "omega", messages } })).status).toBe(503);
    expect(server.engine.generations).toEqual([]);
  });

  it("counts against the limits once", async () => {
    await start();
    server.engine.script = ({ model }) => ({
      fragments: [model],
      ...(model === "omega" ? { failure: { at: 0, error: new ServiceError("engine_unavailable") } } : {}),
    });
    const key = server.addKey("once", {
      plan: { requestsPerMinute: 2, tokensPerMinute: 1_000, concurrentRequests: 1 },
    });
    const first = await ask(server, { key, body: { model: "omega", messages, max_tokens: 10 } });
    expect(first.status).toBe(200);
    expect(first.headers.get("x-ratelimit-remaining-requests")).toBe("1");
    expect((await ask(server, { key, body: { model: "omega", messages } })).status).toBe(200);
    expect((await ask(server, { key, body: { model: "omega", messages } })).status).toBe(429);
  });

  it("that is down as well leaves the error of the model that was asked for", async () => {
    await start();
    server.engine.down.add("omega");
    server.engine.down.add("prism");
    const answer = await ask(server, { body: { model: "omega", messages } });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("sotto-model")).toBeNull();
    await eventually(() => used.length === 1);
    expect(used).toMatchObject([{ model: "omega" }]);
  });

  it("does not hide an error of the request", async () => {
    await start({ engine: { contextTokens: 1 } });
    const answer = await ask(server, { body: { model: "omega", messages } });
    expect(errorOf(answer.json).code).toBe("context_length_exceeded");
  });

  it("is named in the list of models", async () => {
    await start();
    const { json } = await ask(server, { path: "/v1/models", method: "GET" });
    expect(json).toMatchObject({
      data: [{ id: "omega", fallback: "prism" }, { id: "prism" }, { id: "lambda" }],
    });
    expect(JSON.stringify(json)).not.toContain('"id":"prism","fallback"');
  });
});
