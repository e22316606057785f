import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { ask, errorOf, question } from "../support/clients/chat.js";
import { expectDocumented } from "../support/clients/openapi.js";
import { FakeEngine, withTasks } from "../support/engines/fake-engine.js";
import { fakeDimensions, fakeVector } from "../support/engines/fake-vectors.js";
import { eventually } from "../support/eventually.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const path = "/v1/embeddings";
const used: object[] = [];
let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    engine: { follows: withTasks, contextTokens: 50 },
    usage: { record: (one) => void used.push(one) },
  });
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.taskScript = {};
});

const embed = (fields: object, key?: string) =>
  ask(server, { path, body: { model: "iota", ...fields }, ...(key === undefined ? {} : { key }) });

interface Embeddings {
  data: { object: string; index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number; total_tokens: number };
}

const dataOf = (json: unknown): Embeddings["data"] => (json as Embeddings).data;

describe("embeddings", () => {
  it.each([
    ["a text", "one two three", ["one two three"], 3],
    ["texts", ["one two", "three"], ["one two", "three"], 3],
    ["the tokens of a text", [7, 8, 9], [[7, 8, 9]], 3],
    ["the tokens of several", [[7], [8, 9]], [[7], [8, 9]], 3],
    ["texts and tokens", ["one", [8, 9]], ["one", [8, 9]], 3],
  ])("of %s come in the order of the input", async (_, input, inputs, tokens) => {
    const answer = await embed({ input });
    expect(answer.status).toBe(200);
    expectDocumented(answer);
    expect(answer.json).toEqual({
      object: "list",
      data: inputs.map((one, index) => ({
        object: "embedding",
        index,
        embedding: Array.from(fakeVector(one)),
      })),
      model: "iota",
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });
  });

  it("are little-endian float32 where base64 is asked for", async () => {
    const answer = await embed({ input: ["one", "two"], encoding_format: "base64" });
    expectDocumented(answer);
    const read = dataOf(answer.json).map(({ embedding }) => {
      const bytes = Buffer.from(String(embedding), "base64");
      return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
    });
    expect(read).toEqual([Array.from(fakeVector("one")), Array.from(fakeVector("two"))]);
  });

  it("are shortened where that is asked for", async () => {
    const answer = await embed({ input: "one two", dimensions: 16 });
    expect(dataOf(answer.json)[0]?.embedding).toHaveLength(16);
  });

  it("come for as many inputs as OpenAI takes, and not for more", async () => {
    const input = Array.from({ length: 2048 }, (_, index) => `text ${index}`);
    const answer = await embed({ input });
    expect(answer.status).toBe(200);
    expect(dataOf(answer.json).map(({ index }) => index)).toEqual([...input.keys()]);
    expect(dataOf(answer.json)[2047]?.embedding).toEqual(Array.from(fakeVector("text 2047")));
    const refused = await embed({ input: [...input, "one more"] });
    expect(errorOf(refused.json)).toMatchObject({ code: "array_above_max_length", param: "input" });
  });

  it("are read by OpenAI's library, which asks for base64", async () => {
    const client = new OpenAI({ baseURL: server.baseURL, apiKey: server.apiKey });
    const { data, usage, model } = await client.embeddings.create({
      model: "text-embedding-3-small",
      input: ["one two", "three"],
    });
    expect(model).toBe("iota");
    expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      Array.from(fakeVector("one two")),
      Array.from(fakeVector("three")),
    ]);
    const numbers = await client.embeddings.create({ model: "iota", input: "one", encoding_format: "float" });
    expect(numbers.data[0]?.embedding).toHaveLength(fakeDimensions);
  });

  it("accept fields that change nothing, and null for what is left out", async () => {
    const fields = { user: "ada", encoding_format: null, dimensions: null, stream: true, unknown: 1 };
    expect((await embed({ input: "one", ...fields })).status).toBe(200);
  });

  it.each([
    [{}, "missing_required_parameter", "input"],
    [{ input: null }, "invalid_type", "input"],
    [{ input: "" }, "string_too_short", "input"],
    [{ input: [] }, "empty_array", "input"],
    [{ input: ["one", ""] }, "string_too_short", "input[1]"],
    [{ input: [[]] }, "empty_array", "input[0]"],
    [{ input: [1, "two"] }, "invalid_type", "input[1]"],
    [{ input: ["one", 2] }, "invalid_type", "input[1]"],
    [{ input: [1.5] }, "invalid_type", "input[0]"],
    [{ input: [[1, -1]] }, "integer_below_min_value", "input[0][1]"],
    [{ input: [[2 ** 40]] }, "integer_above_max_value", "input[0][0]"],
    [{ input: [{ text: "x" }] }, "invalid_type", "input[0]"],
    [{ input: 7 }, "invalid_type", "input"],
    [{ input: "x", encoding_format: "int8" }, "invalid_value", "encoding_format"],
    [{ input: "x", dimensions: 0 }, "integer_below_min_value", "dimensions"],
    [{ input: "x", dimensions: "64" }, "invalid_type", "dimensions"],
    [{ input: "x", dimensions: fakeDimensions + 1 }, "invalid_value", "dimensions"],
    [{ input: "x", model: 5 }, "invalid_type", "model"],
    [{ input: ["x", "w ".repeat(60)] }, "context_length_exceeded", "input[1]"],
  ])("refuse %j", async (fields, code, param) => {
    const answer = await embed(fields);
    expect(answer.status).toBe(400);
    expectDocumented(answer);
    expect(errorOf(answer.json)).toMatchObject({ type: "invalid_request_error", code, param });
  });

  it("are not computed for a model that does not exist, or that the key may not use", async () => {
    expect((await embed({ input: "x", model: "nobody" })).status).toBe(404);
    const key = server.addKey("only-omega", { models: ["omega"] });
    const refused = await embed({ input: "x" }, key);
    expect(refused.status).toBe(403);
    expect(errorOf(refused.json)).toMatchObject({ code: "insufficient_permissions", param: "model" });
  });

  it("count as prompt tokens, and never as completion", async () => {
    const before = used.length;
    await embed({ input: "one two three four" });
    await eventually(() => used.length > before);
    expect(used.at(-1)).toMatchObject({ model: "iota", outcome: "ok", promptTokens: 4, completionTokens: 0 });
    const metrics = (await server.metrics.text()).body;
    expect(metrics).toMatch(/sotto_tokens_total\{model="iota",kind="prompt"\} [1-9]/);
    expect(metrics).toMatch(/sotto_tokens_total\{model="iota",kind="completion"\} 0/);
    const line = server.logLines.findLast(({ route }) => route === path);
    expect(line).toMatchObject({ model: "iota", promptTokens: 4, completionTokens: 0, stream: false });
  });

  it("are limited by the plan's tokens before they are computed", async () => {
    const key = server.addKey("few-tokens", { plan: { tokensPerMinute: 5 } });
    expect((await embed({ input: "one two three" }, key)).status).toBe(200);
    const before = server.engine.generations.length;
    const refused = await embed({ input: "one two three" }, key);
    expect(refused.status).toBe(429);
    expectDocumented(refused);
    expect(server.engine.generations).toHaveLength(before);
  });

  it("end when the client hangs up, and free their slot", async () => {
    server.engine.hold();
    const client = new AbortController();
    const asked = ask(server, { path, body: { model: "iota", input: "x" }, signal: client.signal });
    await eventually(() => server.engine.active === 1);
    client.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => server.engine.active === 0);
    server.engine.release();
    await eventually(() => server.completions.active === 0);
  });

  it("fail with the engine's error", async () => {
    server.engine.taskScript = { failure: new ServiceError("engine_unavailable") };
    const answer = await embed({ input: "x" });
    expect(answer.status).toBe(503);
    expectDocumented(answer);
  });
});

describe("a model", () => {
  it("that only embeds does not chat", async () => {
    const answer = await ask(server, { body: { ...question, model: "iota" } });
    expect(answer.status).toBe(400);
    expect(errorOf(answer.json)).toMatchObject({ code: "unsupported_value", param: "model" });
    const messages = await ask(server, {
      path: "/v1/messages",
      body: { ...question, model: "text-embedding-ada-002", max_tokens: 5 },
    });
    expect(messages.status).toBe(400);
  });

  it("is listed last, and says what it does", async () => {
    const { json } = await ask(server, { method: "GET", path: "/v1/models" });
    const { data } = json as {
      data: { id: string; max_output_tokens: number | null; capabilities: object }[];
    };
    expect(data.map(({ id }) => id)).toEqual(["omega", "prism", "lambda", "iota"]);
    expect(data[3]).toMatchObject({
      max_output_tokens: null,
      capabilities: { chat: false, embeddings: true, rerank: true, tools: false, reasoning: false },
    });
    expect(data[0]).toMatchObject({ max_output_tokens: 50, capabilities: { chat: true } });
    expectDocumented(await ask(server, { method: "GET", path: "/v1/models" }));
    const headers = { "anthropic-version": "2023-06-01" };
    const anthropic = await ask(server, { method: "GET", path: "/v1/models", headers });
    expect(anthropic.body).not.toContain("iota");
  });
});

describe("where no model embeds", () => {
  let chats: TestServer;
  beforeAll(async () => {
    chats = await startServer();
  });
  afterAll(() => chats.close());

  it("there is no iota", async () => {
    const listed = await ask(chats, { method: "GET", path: "/v1/models" });
    expect(listed.body).not.toContain("iota");
    expect((await ask(chats, { method: "GET", path: "/v1/models/iota" })).status).toBe(404);
    const answer = await ask(chats, { path, body: { model: "iota", input: "x" } });
    expect(answer.status).toBe(404);
    expectDocumented(answer);
    expect(errorOf(answer.json)).toMatchObject({ code: "model_not_found", param: "model" });
  });

  it("one that chats refuses, and names the other", async () => {
    const answer = await ask(chats, { path, body: { model: "omega", input: "x" } });
    expect(answer.status).toBe(400);
    expect(errorOf(answer.json)).toMatchObject({ code: "unsupported_value", param: "model" });
    expect(errorOf(answer.json).message).toContain("iota");
    expect(chats.engine).toBeInstanceOf(FakeEngine);
    expect(chats.engine.generations).toEqual([]);
  });
});
