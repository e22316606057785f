/** `POST /api/chat` and `POST /api/generate`: lines of JSON, whole replies, tools, reasoning, options, refusals. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/core/errors.js";
import { ask, send, type Answer } from "../../support/clients/chat.js";
import { expectDocumented } from "../../support/clients/openapi.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

let server: TestServer;
beforeEach(async () => {
  server = await startServer({ keepAliveMs: 20 });
});
afterEach(() => server.close());

const messages = [{ role: "user", content: "What is two plus two?" }];
const question = { model: "omega", messages };

interface Line {
  model?: string;
  created_at?: string;
  message?: { role: string; content: string; thinking?: string; tool_calls?: unknown[] };
  response?: string;
  thinking?: string;
  logprobs?: unknown;
  done?: boolean;
  done_reason?: string;
  error?: string;
  [duration: string]: unknown;
}

/** Strictly: every line is a JSON object, and nothing comes after the last line break. */
function linesOf(body: string): Line[] {
  expect(body.endsWith("\n")).toBe(true);
  return body
    .slice(0, -1)
    .split("\n")
    .map((line) => {
      expect(line).not.toBe("");
      return JSON.parse(line) as Line;
    });
}

const chat = (fields: object = {}): Promise<Answer> =>
  ask(server, { path: "/api/chat", body: { ...question, ...fields } });
const generate = (fields: object = {}): Promise<Answer> =>
  ask(server, { path: "/api/generate", body: { model: "omega", prompt: "Count.", ...fields } });
const whole = async (answer: Promise<Answer>): Promise<Line> => {
  const { status, json, body } = await answer;
  expect({ status, body }).toMatchObject({ status: 200 });
  return json as Line;
};
const lastAsked = () => server.engine.generations.at(-1);

const numbers = ["load_duration", "prompt_eval_duration", "eval_duration"];

describe("POST /api/chat", () => {
  it("reads what curl sends without a type, but no other", async () => {
    const statusOf = async (type: string) =>
      (await send(server, { path: "/api/chat", body: question, headers: { "content-type": type } })).status;
    expect(await statusOf("application/x-www-form-urlencoded")).toBe(200);
    expect(await statusOf("text/plain")).toBe(400);
  });

  it("streams lines of JSON unless told otherwise", async () => {
    const answer = await chat();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = linesOf(answer.body);
    expect(lines.map(({ message }) => message?.content).join("")).toBe("Hello from omega.");
    expect(lines.slice(0, -1).every(({ done }) => done === false)).toBe(true);
    expect(lines.every(({ model }) => model === "omega")).toBe(true);
    expect(lines.at(-1)).toMatchObject({
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 5,
      eval_count: 4,
    });
    expectDocumented(answer);
  });

  it("replies as a whole", async () => {
    const answer = await chat({ stream: false });
    expectDocumented(answer);
    expect(answer.json).toMatchObject({
      model: "omega",
      message: { role: "assistant", content: "Hello from omega." },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 5,
      eval_count: 4,
    });
  });

  it("measures durations in nanoseconds, which add up", async () => {
    const clock = new FakeClock();
    const timed = await startServer({ clock, engine: { capacity: 1 } });
    timed.engine.script = () => ({ fragments: ["a", "b"] });
    timed.engine.hold();
    const asked = ask(timed, { path: "/api/chat", body: { ...question, stream: false } });
    await eventually(() => timed.engine.active === 1);
    clock.advance(250);
    timed.engine.release(1);
    await eventually(() => timed.engine.produced === 1);
    clock.advance(1_000);
    timed.engine.release();
    const { json } = await asked;
    await timed.close();
    expect(json).toMatchObject({
      total_duration: 1_250_000_000,
      load_duration: 0,
      prompt_eval_duration: 250_000_000,
      eval_duration: 1_000_000_000,
    });
  });

  it("has whole numbers as durations", async () => {
    const reply = await whole(chat({ stream: false }));
    for (const name of numbers) expect(Number.isSafeInteger(reply[name])).toBe(true);
    const sum = numbers.reduce((total, name) => total + Number(reply[name]), 0);
    expect(Math.abs(Number(reply.total_duration) - sum)).toBeLessThan(10);
  });

  it.each(["omega", "omega:latest"])("knows the model as %s", async (model) => {
    expect(await whole(chat({ model, stream: false }))).toMatchObject({ model: "omega" });
  });

  it("says when the reply was cut", async () => {
    const reply = await whole(chat({ stream: false, options: { num_predict: 2 } }));
    expect(reply).toMatchObject({
      message: { content: "Hello from " },
      done_reason: "length",
      eval_count: 2,
    });
  });

  it("takes options as the other APIs take them", async () => {
    const options = {
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop: ["\n", "user:"],
      frequency_penalty: 0.25,
      presence_penalty: -0.25,
      num_predict: 9,
      num_ctx: 4096,
      repeat_penalty: 1.1,
      mirostat: 0,
      use_mmap: true,
    };
    await whole(chat({ stream: false, keep_alive: "5m", options }));
    expect(lastAsked()).toMatchObject({
      sampling: { temperature: 0.5, topP: 0.9, seed: 7, frequencyPenalty: 0.25, presencePenalty: -0.25 },
      stop: ["\n", "user:"],
      maxTokens: 9,
    });
    await whole(chat({ stream: false, options: { top_k: 1, num_predict: -1, stop: "." } }));
    expect(lastAsked()).toMatchObject({ sampling: { temperature: 0 }, maxTokens: undefined, stop: ["."] });
  });

  it.each([
    ["json", { type: "json_object" }],
    ["", { type: "text" }],
    [{ type: "object" }, { type: "json_schema", name: "reply", schema: { type: "object" } }],
  ])("takes %j as format", async (format, expected) => {
    await whole(chat({ stream: false, format }));
    expect(lastAsked()?.format).toEqual(expected);
  });

  it.each([
    [true, "medium"],
    [false, "none"],
    ["high", "high"],
    ["max", "high"],
    [undefined, undefined],
  ])("takes %s as think", async (think, expected) => {
    await whole(chat({ stream: false, think }));
    expect(lastAsked()?.reasoningEffort).toBe(expected);
  });

  it("separates reasoning from the reply", async () => {
    server.engine.script = () => ({ fragments: [{ reasoning: "Let me " }, { reasoning: "see." }, "Four."] });
    expect(await whole(chat({ stream: false, think: true }))).toMatchObject({
      message: { content: "Four.", thinking: "Let me see." },
    });
    const lines = linesOf((await chat({ think: true })).body);
    expect(lines.map(({ message }) => message?.thinking ?? "").join("")).toBe("Let me see.");
    expect(lines.map(({ message }) => message?.content ?? "").join("")).toBe("Four.");
  });

  const tools = [
    {
      type: "function",
      function: {
        name: "get_weather",
        parameters: { type: "object", properties: { city: { type: "string" } } },
      },
    },
  ];
  const twoCalls = () => ({
    fragments: [
      "Looking.",
      { call: "get_weather", id: "call_1" },
      { arguments: '{"city":' },
      { arguments: '"Rome"}' },
      { call: "get_weather", id: "call_2" },
      { arguments: "{}" },
    ],
    finishReason: "tool_calls" as const,
  });
  const called = (index: number, id: string, args: object) => ({
    id,
    function: { index, name: "get_weather", arguments: args },
  });

  it("calls tools, each call whole", async () => {
    server.engine.script = twoCalls;
    const calls = [called(0, "call_1", { city: "Rome" }), called(1, "call_2", {})];
    expect(await whole(chat({ stream: false, tools }))).toMatchObject({
      message: { content: "Looking.", tool_calls: calls },
      done_reason: "stop",
    });
    const lines = linesOf((await chat({ tools })).body);
    expect(lines.flatMap(({ message }) => message?.tool_calls ?? [])).toEqual(calls);
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: "stop" });
    expect(lastAsked()?.tooling?.tools).toMatchObject([{ name: "get_weather" }]);
  });

  it("does not send a call that was cut off", async () => {
    server.engine.script = twoCalls;
    const lines = linesOf((await chat({ tools, options: { num_predict: 3 } })).body);
    expect(lines.flatMap(({ message }) => message?.tool_calls ?? [])).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ done_reason: "length" });
  });

  it.each([
    ["in order", {}],
    ["by the tool's name", { tool_name: "get_weather" }],
    ["by the call's id", { tool_call_id: "call_1_0" }],
  ])("takes a tool's result %s", async (_, named) => {
    const call = { function: { name: "get_weather", arguments: { city: "Rome" } } };
    await whole(
      chat({
        stream: false,
        messages: [
          ...messages,
          {
            role: "assistant",
            content: "",
            tool_calls: [call, { function: { name: "other", arguments: {} } }],
          },
          { role: "tool", content: "sunny", ...named },
        ],
      }),
    );
    expect(lastAsked()?.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "call_1_0", name: "get_weather", arguments: '{"city":"Rome"}' },
          { id: "call_1_1", name: "other", arguments: "{}" },
        ],
      },
      { role: "tool", content: "sunny", toolCallId: "call_1_0" },
    ]);
  });

  it("takes images as parts of the message", async () => {
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    server.engine.options.follows = { ...server.engine.options.follows, vision: true };
    await whole(chat({ stream: false, messages: [{ role: "user", content: "What is it?", images: [png] }] }));
    expect(lastAsked()?.messages[0]?.parts).toMatchObject([
      { type: "image", url: `data:image/png;base64,${png}` },
      { type: "text", text: "What is it?" },
    ]);
  });

  it("has log probabilities where they are asked for", async () => {
    const logprob = {
      token: "a",
      bytes: [97],
      logprob: -0.5,
      top: [{ token: "a", bytes: [97], logprob: -0.5 }],
    };
    server.engine.generate = async function* ({ promptTokens }) {
      yield [
        { type: "text", choice: 0, text: "a", logprobs: [logprob] },
        { type: "finished", choice: 0, finishReason: "stop" },
        { type: "done", usage: { promptTokens, completionTokens: 1, cachedTokens: 0, reasoningTokens: 0 } },
      ];
    };
    const wire = [{ token: "a", logprob: -0.5, top_logprobs: [{ token: "a", logprob: -0.5 }] }];
    const fields = { logprobs: true, top_logprobs: 1 };
    expect(await whole(chat({ stream: false, ...fields }))).toMatchObject({ logprobs: wire });
    expect(linesOf((await chat(fields)).body)[0]).toMatchObject({ logprobs: wire });
  });

  it.each([{}, { messages: [] }, { messages: null, keep_alive: 0 }])(
    "loads the model where there is nothing to answer: %j",
    async (fields) => {
      const { status, json } = await ask(server, { path: "/api/chat", body: { model: "omega", ...fields } });
      expect(status).toBe(200);
      expect(json).toMatchObject({ message: { content: "" }, done: true, done_reason: "load" });
      expect(server.engine.generations).toEqual([]);
    },
  );

  it("keeps a quiet stream open without breaking its lines", async () => {
    server.engine.hold();
    const response = await send(server, { path: "/api/chat", body: question });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toMatch(/^ +$/);
    server.engine.release();
    let text = "";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      text += part.value;
    expect(linesOf(text).at(-1)).toMatchObject({ done: true });
  });

  it("ends a stream that breaks off with the error", async () => {
    server.engine.script = () => ({
      fragments: ["a", "b"],
      failure: { at: 1, error: new ServiceError("engine_unavailable") },
    });
    const lines = linesOf((await chat()).body);
    expect(lines.at(-1)).toEqual({ error: new ServiceError("engine_unavailable").message });
    expect(lines.some(({ done }) => done === true)).toBe(false);
  });

  it("stops generating when the client hangs up", async () => {
    server.engine.hold();
    const hangUp = new AbortController();
    const asked = send(server, { path: "/api/chat", body: question, signal: hangUp.signal });
    await eventually(() => server.engine.active === 1);
    hangUp.abort();
    await expect(asked.then((response) => response.text())).rejects.toThrow();
    await eventually(() => server.engine.active === 0);
  });
});

describe("POST /api/generate", () => {
  it("streams the reply to one prompt", async () => {
    const answer = await generate();
    expectDocumented(answer);
    const lines = linesOf(answer.body);
    expect(lines.map(({ response }) => response).join("")).toBe("Hello from omega.");
    expect(lines.at(-1)).toMatchObject({ response: "", done: true, done_reason: "stop", eval_count: 4 });
  });

  it("replies as a whole, with the system text before the prompt", async () => {
    const answer = await generate({ stream: false, system: "Be brief." });
    expectDocumented(answer);
    expect(answer.json).toMatchObject({ response: "Hello from omega.", done: true, prompt_eval_count: 3 });
    expect(lastAsked()?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Count." },
    ]);
  });

  it("passes a raw prompt on as it is, and a gap to be filled", async () => {
    server.engine.options.follows = { ...server.engine.options.follows, infill: true };
    await whole(generate({ stream: false, raw: true }));
    expect(lastAsked()).toMatchObject({ messages: [], rawPrompt: { type: "text", text: "Count." } });
    await whole(generate({ stream: false, suffix: "return x" }));
    expect(lastAsked()).toMatchObject({
      messages: [],
      rawPrompt: { type: "infill", prefix: "Count.", suffix: "return x" },
    });
  });

  it("loads the model without a prompt", async () => {
    expect(await whole(generate({ prompt: "" }))).toMatchObject({
      response: "",
      done: true,
      done_reason: "load",
    });
    expect(server.engine.generations).toEqual([]);
  });
});

describe("what Open WebUI sends over its Ollama connection", () => {
  it("is answered: history with calls, options, metadata", async () => {
    const body = {
      model: "omega:latest",
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          tool_calls: [
            { index: 0, id: "call_a", function: { name: "get_weather", arguments: { city: "Rome" } } },
          ],
          content: "",
        },
        { role: "tool", content: "sunny", tool_call_id: "call_a" },
      ],
      stream: true,
      options: { temperature: 0.8, num_ctx: 2048, stop: ["###"] },
      keep_alive: "5m",
      metadata: { chat_id: "1" },
    };
    const lines = linesOf((await ask(server, { path: "/api/chat", body })).body);
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: "stop" });
    expect(lastAsked()?.messages).toHaveLength(4);
  });

  it("is answered: a title as JSON, whole", async () => {
    const reply = await whole(chat({ stream: false, format: { type: "object", properties: {} } }));
    expect(reply).toMatchObject({ done: true });
  });
});

describe("refusals", () => {
  const image = (images: unknown) => ({ messages: [{ role: "user", content: "x", images }] });

  it.each([
    ["/api/chat", { model: 1 }, "'model'"],
    ["/api/chat", { model: ":latest" }, "'model'"],
    ["/api/chat", { messages: [{ content: "x" }] }, "'messages[0].role'"],
    ["/api/chat", { messages: [{ role: "tool", content: "x" }] }, "'messages[0]'"],
    ["/api/chat", { messages: [{ role: "user", content: [1] }] }, "'messages[0].content'"],
    ["/api/chat", image(["http://example.com/a.png"]), "'messages[0].images[0]'"],
    ["/api/chat", image(["AAAA"]), "'messages[0].images[0]'"],
    ["/api/chat", { options: { temperature: 3 } }, "'options.temperature'"],
    ["/api/chat", { options: { num_predict: 1.5 } }, "'options.num_predict'"],
    ["/api/chat", { options: { stop: [1] } }, "'options.stop[0]'"],
    ["/api/chat", { options: [] }, "'options'"],
    ["/api/chat", { format: "xml" }, "'format'"],
    ["/api/chat", { think: 1 }, "'think'"],
    ["/api/chat", { template: "{{ .Prompt }}" }, "'template'"],
    ["/api/chat", { tools: [{ type: "function" }] }, "'tools[0].function'"],
    ["/api/generate", { prompt: 1 }, "'prompt'"],
    ["/api/generate", { template: "x" }, "'template'"],
    ["/api/generate", { context: [1, 2] }, "'context'"],
    ["/api/generate", { raw: true, prompt: "x", system: "y" }, "'system'"],
    ["/api/generate", { suffix: "x", images: ["iVBORw0KGgo="] }, "'images'"],
    ["/api/embed", {}, "'input'"],
    ["/api/embed", { input: [] }, "'input'"],
    ["/api/embed", { input: [""] }, "'input[0]'"],
    ["/api/embed", { input: "x", dimensions: 1.5 }, "'dimensions'"],
    ["/api/embeddings", { prompt: "" }, "'prompt'"],
  ])("%s with %j names %s", async (path, fields, field) => {
    const answer = await ask(server, { path, body: { model: "omega", messages, ...fields } });
    expect(answer.status).toBe(400);
    expectDocumented(answer);
    const { error, ...rest } = answer.json as { error: string };
    expect(rest).toEqual({});
    expect(error).toContain(field);
  });

  it.each(["/api/chat", "/api/generate", "/api/show"])("%s does not know every model", async (path) => {
    const body = { model: "llama3.2", prompt: "x", messages };
    const { status, json } = await ask(server, { path, body });
    expect({ status, json }).toEqual({
      status: 404,
      json: { error: expect.stringContaining("omega") as string },
    });
  });

  it("names the options of this API where the engine refuses", async () => {
    server.engine.prepare = async () => {
      throw new ServiceError("invalid_value", { message: "'max_tokens' is odd.", param: "max_tokens" });
    };
    expect((await chat()).json).toEqual({ error: "'options.num_predict' is odd." });
  });

  it("are statuses until the first line: a full queue, a spent limit", async () => {
    server.completions.refuseNew(new ServiceError("maintenance", { retryAfterSeconds: 7 }));
    const answer = await chat();
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("7");
    expectDocumented(answer);
    server.completions.refuseNew(null);
    const key = server.addKey("sk-spent", { plan: { requestsPerMinute: 0 } });
    expect((await ask(server, { path: "/api/chat", body: question, key })).status).toBe(429);
  });

  it("of a receipt for a stream, which has no place for one", async () => {
    const proven = await startServer({ proof: {} });
    const headers = { "sotto-receipt": "nonce-of-sixteen" };
    const streamed = await ask(proven, { path: "/api/chat", body: question, headers });
    const entire = await ask(proven, { path: "/api/chat", body: { ...question, stream: false }, headers });
    await proven.close();
    expect(streamed.status).toBe(400);
    expect(streamed.json).toEqual({ error: expect.stringContaining("'stream'") as string });
    expect(entire.status).toBe(200);
    expect(entire.headers.get("sotto-receipt")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });
});
