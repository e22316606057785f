/** Replies of the Messages API, whole and streamed. What the engine says is scripted. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/core/errors.js";
import { ask, send, type Sent } from "../../support/clients/chat.js";
import { readMessageStream } from "../../support/clients/message-events.js";
import { expectDocumented, expectOurs } from "../../support/clients/openapi.js";
import type { Script } from "../../support/engines/fake-engine.js";
import { eventually } from "../../support/eventually.js";
import { startServer, type TestServer, type TestServerOptions } from "../../support/processes/server.js";

const path = "/v1/messages";
const question = { model: "omega", max_tokens: 100, messages: [{ role: "user", content: "How is it?" }] };
const tools = [
  { name: "get_weather", input_schema: { type: "object" } },
  { name: "get_time", input_schema: { type: "object" } },
];

let server: TestServer;
const start = async (options: TestServerOptions = {}) => {
  server = await startServer(options);
};
const create = (body: object = {}, sent: Sent = {}) =>
  ask(server, { path, body: { ...question, ...body }, ...sent });

async function read(body: object = {}) {
  const answer = await create({ ...body, stream: true });
  expect(answer.status).toBe(200);
  expectDocumented(answer);
  return readMessageStream(answer.body);
}

const replies: Record<string, { script: Script; body?: object; expected: object }> = {
  text: {
    script: { fragments: ["It is", " fine."] },
    expected: {
      content: [{ type: "text", text: "It is fine." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 0 },
    },
  },
  "nothing at all": {
    script: { fragments: [] },
    expected: { content: [], stop_reason: "end_turn", usage: { output_tokens: 0 } },
  },
  "text with a cached prompt": {
    script: { fragments: ["Yes."], cachedTokens: 2 },
    expected: { usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 0 } },
  },
  "text up to max_tokens": {
    script: { fragments: ["a", "b", "c"] },
    body: { max_tokens: 2 },
    expected: { content: [{ type: "text", text: "ab" }], stop_reason: "max_tokens" },
  },
  "text up to a stop sequence": {
    script: { fragments: ["One "], stopSequence: "two" },
    body: { stop_sequences: ["two"] },
    expected: { stop_reason: "stop_sequence", stop_sequence: "two" },
  },
  reasoning: {
    script: { fragments: [{ reasoning: "Well" }, { reasoning: "…" }, "Fine."] },
    body: { thinking: { type: "enabled", budget_tokens: 1024 } },
    expected: {
      content: [
        { type: "thinking", thinking: "Well…", signature: "" },
        { type: "text", text: "Fine." },
      ],
      usage: { output_tokens: 3, output_tokens_details: { thinking_tokens: 2 } },
    },
  },
  "reasoning that was not requested": {
    script: { fragments: [{ reasoning: "Well" }, "Fine."] },
    expected: { content: [{ type: "text", text: "Fine." }], usage: { output_tokens: 2 } },
  },
  "reasoning, text and parallel calls": {
    script: {
      fragments: [
        { reasoning: "Where?" },
        "Let me look.",
        { call: "get_weather", id: "call_a" },
        { arguments: '{"city":' },
        { arguments: '"Paris"}' },
        { call: "get_time", id: "call_b" },
      ],
      finishReason: "tool_calls",
    },
    body: { tools, thinking: { type: "adaptive" } },
    expected: {
      content: [
        { type: "thinking", thinking: "Where?" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "call_a", name: "get_weather", input: { city: "Paris" } },
        { type: "tool_use", id: "call_b", name: "get_time", input: {} },
      ],
      stop_reason: "tool_use",
    },
  },
  "calls with text between and after them": {
    script: {
      fragments: [
        { call: "get_weather", id: "call_a" },
        { arguments: '{"city":"Oslo"}' },
        "That was Oslo.",
        { call: "get_time", id: "call_b" },
        { arguments: "{}" },
        "And the time.",
      ],
      finishReason: "tool_calls",
    },
    body: { tools },
    expected: {
      content: [
        { type: "tool_use", id: "call_a", name: "get_weather", input: { city: "Oslo" } },
        { type: "text", text: "That was Oslo." },
        { type: "tool_use", id: "call_b", name: "get_time", input: {} },
        { type: "text", text: "And the time." },
      ],
      stop_reason: "tool_use",
    },
  },
};

describe("a message", () => {
  beforeAll(() => start());
  afterAll(() => server.close());

  it.each(Object.entries(replies))("of %s is the same, whole and streamed", async (_, one) => {
    server.engine.script = () => one.script;
    const whole = await create(one.body);
    expect(whole.status).toBe(200);
    expectDocumented(whole);
    expect(whole.json).toMatchObject({ type: "message", role: "assistant", model: "omega", ...one.expected });
    const { message, error } = await read(one.body);
    expect(error).toBeNull();
    expect(message.id).toMatch(/^msg_/);
    expect({ ...message, id: "" }).toEqual({ ...(whole.json as object), id: "" });
  });

  // @ai-sdk/anthropic 2 and 3 throw on `citations: null`. The two below are null in that API's own replies.
  it.each(Object.entries(replies))("of %s leaves out what has no value", async (_, one) => {
    server.engine.script = () => one.script;
    const whole = await create(one.body);
    const streamed = await create({ ...one.body, stream: true });
    for (const text of [whole.body, streamed.body]) {
      const nulls = [...text.matchAll(/"(\w+)":null/g)].map(([, name]) => name);
      expect(nulls.filter((name) => name !== "stop_reason" && name !== "stop_sequence")).toEqual([]);
    }
  });

  it("starts a stream with the length of its prompt", async () => {
    const { body } = await create({ stream: true });
    expect(body.split("\n\n")[0]).toMatch(/^event: message_start\n.*"input_tokens":3,.*"output_tokens":0/);
  });

  it("that was cut within a call has no half of it, unless it was streamed", async () => {
    server.engine.script = () => ({
      fragments: [
        "Wait.",
        { call: "get_time", id: "call_a" },
        { arguments: '{"zone":"U' },
        { arguments: 'TC"}' },
      ],
    });
    const cut = await create({ tools, max_tokens: 3 });
    expect(cut.json).toMatchObject({ content: [{ type: "text" }], stop_reason: "max_tokens" });
    const streamed = await create({ tools, max_tokens: 3, stream: true });
    expect(streamed.body).toMatch(/content_block_stop.*\n\nevent: message_delta\n.*"max_tokens"/);
    const unbegun = await create({ tools, max_tokens: 2 });
    expect(unbegun.json).toMatchObject({ content: [{ type: "text" }], stop_reason: "max_tokens" });
  });

  it("with a call that makes no sense shows it without input", async () => {
    for (const text of ["[1]", "no json", "null", ""]) {
      server.engine.script = () => ({
        fragments: [{ call: "get_time", id: "call_a" }, { arguments: text }],
        finishReason: "tool_calls",
      });
      const { json } = await create({ tools });
      expect(json).toMatchObject({ content: [{ type: "tool_use", input: {} }], stop_reason: "tool_use" });
    }
  });

  it("can be sent back unchanged in the next request", async () => {
    server.engine.script = () => replies["reasoning, text and parallel calls"]?.script ?? { fragments: [] };
    const { json } = await create({ tools, thinking: { type: "adaptive" } });
    const { content } = json as { content: object[] };
    const results = ["call_a", "call_b"].map((tool_use_id) => ({
      type: "tool_result",
      tool_use_id,
      content: "ok",
    }));
    const messages = [
      ...question.messages,
      { role: "assistant", content },
      { role: "user", content: [...results, { type: "text", text: "And?" }] },
    ];
    expect((await create({ tools, messages, system: [{ type: "text", text: "Be kind." }] })).status).toBe(
      200,
    );
    expect(server.engine.generations.at(-1)?.messages).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "How is it?" },
      {
        role: "assistant",
        content: "Let me look.",
        reasoning: "Where?",
        toolCalls: [
          { id: "call_a", name: "get_weather", arguments: '{"city":"Paris"}' },
          { id: "call_b", name: "get_time", arguments: "{}" },
        ],
      },
      { role: "tool", content: "ok", toolCallId: "call_a" },
      { role: "tool", content: "ok", toolCallId: "call_b" },
      { role: "user", content: "And?" },
    ]);
  });

  it("accepts the headers and the query of that API", async () => {
    const headers = { "anthropic-version": "2023-06-01", "anthropic-beta": "a-2025-01-01,b-2025-01-01" };
    const answer = await create({}, { path: `${path}?beta=true`, headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("request-id")).toBe(answer.headers.get("x-request-id"));
    expect((await create({}, { path: `${path}/` })).status).toBe(200);
  });
});

describe("a stream of a message", () => {
  beforeEach(() => start({ keepAliveMs: 20 }));
  afterEach(() => server.close());
  const crash = new ServiceError("engine_unavailable");

  it("ends with that API's error when it breaks off", async () => {
    server.engine.script = () => ({ fragments: ["a", "b", "c"], failure: { at: 2, error: crash } });
    const { body } = await create({ stream: true });
    const { message, error } = readMessageStream(body);
    expect(error).toMatchObject({ type: "api_error" });
    expect(message.stop_reason).toBeNull();
    expect(body).not.toContain("message_stop");
    expectOurs("MessagesError", { type: "error", error });
  });

  it("is a status while nothing has gone out", async () => {
    server.engine.script = () => ({ fragments: ["a"], failure: { at: 0, error: crash } });
    const answer = await create({ stream: true });
    expect(answer).toMatchObject({ status: 503, json: { type: "error", error: { type: "api_error" } } });
  });

  it("is kept open with comments, and may fail after one", async () => {
    server.engine.hold();
    server.engine.script = () => ({ fragments: ["a"], failure: { at: 0, error: crash } });
    const response = await send(server, { path, body: { ...question, stream: true } });
    expect(response.status).toBe(200);
    server.engine.release();
    const { comments, error } = readMessageStream(await response.text());
    expect(comments).toBeGreaterThan(0);
    expect(error).toMatchObject({ type: "api_error" });
  });

  it("cancels its generation when the client hangs up", async () => {
    server.engine.hold();
    server.engine.release(1);
    const hangUp = new AbortController();
    const response = await send(server, { path, body: { ...question, stream: true }, signal: hangUp.signal });
    await response.body?.getReader().read();
    expect(server.engine.active).toBe(1);
    hangUp.abort();
    await eventually(() => server.engine.active === 0);
    await eventually(() =>
      server.logLines.some(({ outcome, route }) => outcome === "hung_up" && route === path),
    );
  });

  it("ends with an authentication error when its key is revoked", async () => {
    server.engine.hold();
    server.engine.release(1);
    const response = await send(server, { path, body: { ...question, stream: true } });
    server.completions.running.cut({ keyId: "key_0" });
    expect(readMessageStream(await response.text()).error).toMatchObject({ type: "authentication_error" });
  });
});
