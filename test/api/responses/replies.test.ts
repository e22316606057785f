/** Replies of `/v1/responses`, whole and streamed. What the engine says is scripted. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/core/errors.js";
import { ask, send } from "../../support/clients/chat.js";
import { expectDocumented } from "../../support/clients/openapi.js";
import { responseShape, type ResponseShape } from "../../support/clients/response-shapes.js";
import { followResponse } from "../../support/clients/response-stream.js";
import { RawSocket } from "../../support/clients/raw-socket.js";
import type { Script } from "../../support/engines/fake-engine.js";
import { eventually } from "../../support/eventually.js";
import { startServer, type TestServer } from "../../support/processes/server.js";

const path = "/v1/responses";
const body = { model: "omega", input: "How is it?" };
const streamed = { ...body, stream: true };

let server: TestServer;
beforeEach(async () => {
  server = await startServer({ keepAliveMs: 20 });
});
afterEach(() => server.close());

async function wholeOf(more: object = {}): Promise<ResponseShape> {
  const answer = await ask(server, { path, body: { ...body, ...more } });
  expect(answer.status).toBe(200);
  expectDocumented(answer);
  return responseShape.parse(answer.json);
}

async function streamOf(more: object = {}) {
  const answer = await ask(server, { path, body: { ...streamed, ...more } });
  expect(answer.status).toBe(200);
  expectDocumented(answer);
  return followResponse(answer.body);
}

/** Two requests have different ids and perhaps different seconds. */
const comparable = (response: ResponseShape | null) => {
  const id = response?.id.replace("resp_", "") ?? "?";
  return JSON.parse(JSON.stringify({ ...response, created_at: 0 }).replaceAll(id, "id")) as unknown;
};

const calling: Script = {
  fragments: [
    { reasoning: "Where" },
    { reasoning: " and when?" },
    "Let me ",
    "look.",
    { call: "get_weather", id: "call_a" },
    { arguments: '{"city":' },
    { arguments: '"Paris"}' },
    { call: "get_time", id: "call_b" },
    { call: "get_day", id: "call_c" },
    { arguments: "{}" },
  ],
  finishReason: "tool_calls",
};

const scripts: Record<string, Script> = {
  text: { fragments: ["Hello", ", ", "you."] },
  "text that a stop sequence ended": { fragments: ["Hello"], finishReason: "stop" },
  "nothing at all": { fragments: [] },
  "empty text": { fragments: ["", ""] },
  "reasoning and text": { fragments: [{ reasoning: "Hm." }, { reasoning: " So." }, "Yes."] },
  "reasoning alone": { fragments: [{ reasoning: "Hm." }] },
  "reasoning, text and parallel calls": calling,
  "calls with text between and after them": {
    fragments: [
      { reasoning: "Where?" },
      { call: "get_weather", id: "call_a" },
      { arguments: '{"city":"Oslo"}' },
      "That was Oslo.",
      { call: "get_time", id: "call_b" },
      { arguments: "{}" },
      "And the time.",
    ],
    finishReason: "tool_calls",
  },
  "one call": { fragments: [{ call: "get_time" }, { arguments: "{}" }], finishReason: "tool_calls" },
  "a call without arguments": { fragments: [{ call: "get_time" }], finishReason: "tool_calls" },
  "text that was cut": { fragments: ["Hel"], finishReason: "length" },
  "reasoning that was cut off": { fragments: [{ reasoning: "Hm" }], finishReason: "length" },
};

describe("a reply", () => {
  it.each(Object.entries(scripts))("of %s is the same streamed and whole", async (_, script) => {
    server.engine.script = () => script;
    const more = {
      instructions: "Be brief.",
      tools: [{ type: "function", name: "get_time", parameters: { type: "object" }, strict: true }],
      metadata: { a: "b" },
      user: "ada",
    };
    const { response } = await streamOf(more);
    expect(comparable(response)).toEqual(comparable(await wholeOf(more)));
  });

  it("is without a call that was cut, which a stream has begun by then and marks as incomplete", async () => {
    server.engine.script = () => ({
      fragments: [{ call: "get_time" }, { arguments: '{"a' }],
      finishReason: "length",
    });
    const tools = [{ type: "function", name: "get_time", parameters: { type: "object" } }];
    expect(await wholeOf({ tools })).toMatchObject({ status: "incomplete", output: [{ type: "message" }] });
    const { response } = await streamOf({ tools });
    expect(response).toMatchObject({
      status: "incomplete",
      output: [{ type: "function_call", status: "incomplete" }],
    });
  });

  it("has every field of the official types", async () => {
    expect(await wholeOf()).toMatchObject({
      object: "response",
      status: "completed",
      error: null,
      incomplete_details: null,
      instructions: null,
      max_output_tokens: null,
      metadata: {},
      model: "omega",
      output: [
        {
          type: "message",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: "Hello from omega.", annotations: [], logprobs: [] }],
        },
      ],
      parallel_tool_calls: true,
      previous_response_id: null,
      reasoning: { effort: null, summary: null },
      store: false,
      temperature: 1,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_p: 1,
      truncation: "disabled",
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 7,
      },
    });
  });

  it("repeats the request's settings, except unsupported ones: storing, truncating", async () => {
    const schema = { type: "object", properties: {} };
    const asked = {
      instructions: "Be brief.",
      max_output_tokens: 9,
      metadata: { a: "b" },
      parallel_tool_calls: false,
      temperature: 0.5,
      top_p: 0.9,
      tool_choice: { type: "function", name: "f" },
      user: "ada",
    };
    const response = await wholeOf({
      ...asked,
      reasoning: { effort: "minimal", summary: "auto" },
      text: { format: { type: "json_schema", name: "n", schema }, verbosity: "low" },
      tools: [{ type: "function", name: "f", parameters: schema }],
      store: true,
      truncation: "auto",
      include: ["message.output_text.logprobs"],
      top_logprobs: 3,
    });
    expect(response).toMatchObject({
      ...asked,
      reasoning: { effort: "minimal", summary: "auto" },
      text: { format: { type: "json_schema", name: "n", schema, strict: false } },
      tools: [{ type: "function", name: "f", description: null, parameters: schema, strict: false }],
      store: false,
      truncation: "disabled",
      top_logprobs: 3,
    });
  });

  it("has its reasoning, its text and its calls as items in this order", async () => {
    server.engine.script = () => calling;
    const { output, usage, status } = await wholeOf();
    expect(status).toBe("completed");
    expect(output).toMatchObject([
      { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Where and when?" }] },
      { type: "message", content: [{ text: "Let me look." }] },
      { type: "function_call", call_id: "call_a", name: "get_weather", arguments: '{"city":"Paris"}' },
      { type: "function_call", call_id: "call_b", name: "get_time", arguments: "" },
      { type: "function_call", call_id: "call_c", name: "get_day", arguments: "{}" },
    ]);
    expect(usage).toMatchObject({ output_tokens_details: { reasoning_tokens: 2 } });
  });

  it("that max_output_tokens cut is incomplete, and says why", async () => {
    const response = await wholeOf({ max_output_tokens: 2 });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete", content: [{ text: "Hello from " }] }],
    });
    expect((await streamOf({ max_output_tokens: 2 })).types.at(-1)).toBe("response.incomplete");
  });
});

describe("a reasoning summary", () => {
  const thinking: Script = { fragments: [{ reasoning: "Hm." }, { reasoning: " So." }, "Yes."] };
  const summary = [{ type: "summary_text", text: "Hm. So." }];

  it.each(["auto", "concise", "detailed"])("is filled when '%s' is requested", async (kind) => {
    server.engine.script = () => thinking;
    const more = { reasoning: { summary: kind } };
    const whole = await wholeOf(more);
    expect(whole.output[0]).toMatchObject({ type: "reasoning", summary, content: [{ text: "Hm. So." }] });
    const { types, response } = await streamOf(more);
    expect(comparable(response)).toEqual(comparable(whole));
    expect(types.slice(2, 13)).toEqual([
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.content_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_text.delta",
      "response.reasoning_summary_text.delta",
      "response.reasoning_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.reasoning_text.done",
      "response.content_part.done",
    ]);
  });

  it("is empty unless requested", async () => {
    server.engine.script = () => thinking;
    expect((await wholeOf()).output[0]).toMatchObject({ type: "reasoning", summary: [] });
  });
});

describe("a function of a namespace", () => {
  const tools = [
    { type: "function", name: "f" },
    { type: "namespace", name: "mcp__books", tools: [{ type: "function", name: "f" }] },
  ];

  it("is offered to the model beside others, and called by its own name and namespace", async () => {
    server.engine.script = () => ({
      fragments: [
        { call: "mcp__books__f", id: "call_a" },
        { arguments: "{}" },
        { call: "f", id: "call_b" },
        { arguments: "{}" },
      ],
      finishReason: "tool_calls",
    });
    const { response, items } = await streamOf({ tools });
    expect(server.engine.generations[0]?.tooling?.tools.map(({ name }) => name)).toEqual([
      "f",
      "mcp__books__f",
    ]);
    expect(items).toMatchObject([
      { name: "f", namespace: "mcp__books", call_id: "call_a" },
      { name: "f", call_id: "call_b" },
    ]);
    expect(items[1]).not.toHaveProperty("namespace");
    expect(comparable(response)).toEqual(comparable(await wholeOf({ tools })));

    await wholeOf({
      tools,
      input: [
        { role: "user", content: "How is it?" },
        ...items,
        { type: "function_call_output", call_id: "call_a", output: "x" },
        { type: "function_call_output", call_id: "call_b", output: "y" },
      ],
    });
    expect(server.engine.generations.at(-1)?.messages[1]?.toolCalls).toMatchObject([
      { id: "call_a", name: "mcp__books__f" },
      { id: "call_b", name: "f" },
    ]);
  });
});

describe("a stream", () => {
  it("of text has these events", async () => {
    server.engine.script = () => ({ fragments: ["a", "b"] });
    expect((await streamOf()).types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("of reasoning and a call has these events", async () => {
    server.engine.script = () => ({
      fragments: [{ reasoning: "Hm." }, { call: "f" }, { arguments: "{" }, { arguments: "}" }],
      finishReason: "tool_calls",
    });
    expect((await streamOf()).types.slice(2)).toEqual([
      "response.output_item.added",
      "response.content_part.added",
      "response.reasoning_text.delta",
      "response.reasoning_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("sends each fragment when it is there", async () => {
    server.engine.hold();
    const response = await send(server, { path, body: streamed });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (part: string) => {
      while (!text.includes(part)) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error("The stream ended.");
        text += value;
      }
    };
    await until(": keep-alive");
    expect(text).not.toContain("response.created");
    server.engine.release(1);
    await until('"delta":"Hello"');
    expect(server.engine.produced).toBe(1);
    server.engine.release();
    await until("response.completed");
    expect(followResponse(text).comments).toBeGreaterThan(0);
  });

  it("keeps text that follows a call in its place", async () => {
    server.engine.script = () => ({
      fragments: ["a", { call: "f" }, { arguments: "{}" }, "b", { reasoning: "c" }],
      finishReason: "tool_calls",
    });
    const { items } = await streamOf();
    expect(items.map(({ type }) => type)).toEqual(["message", "function_call", "message", "reasoning"]);
  });
});

describe("an engine that fails", () => {
  const error = new ServiceError("engine_unavailable");

  it.each([false, true])("before the first token is a status (stream: %s)", async (stream) => {
    server.engine.script = () => ({ fragments: ["a"], failure: { at: 0, error } });
    const answer = await ask(server, { path, body: { ...body, stream } });
    expect(answer.status).toBe(503);
    expectDocumented(answer);
    expect(answer.json).toMatchObject({ error: { type: "server_error", code: "engine_unavailable" } });
  });

  it("later ends the stream with response.failed, and what there was", async () => {
    server.engine.script = () => ({
      fragments: [{ reasoning: "Hm." }, "a", "b", "c"],
      failure: { at: 3, error },
    });
    const { types, response } = await streamOf();
    expect(types.at(-1)).toBe("response.failed");
    expect(response).toMatchObject({
      status: "failed",
      error: { code: "engine_unavailable", message: error.message },
      output: [
        { type: "reasoning", status: "completed" },
        { type: "message", status: "incomplete", content: [{ text: "ab" }] },
      ],
    });
    expect(response).not.toHaveProperty("usage");
  });

  it("within a call ends the stream in the same way", async () => {
    server.engine.script = () => ({
      fragments: [{ call: "f" }, { arguments: "{" }, "never"],
      failure: { at: 2, error },
    });
    const { response } = await streamOf();
    expect(response?.output).toMatchObject([{ type: "function_call", status: "incomplete", arguments: "{" }]);
  });

  it("after a keep-alive comment alone is response.failed after response.created", async () => {
    server.engine.hold();
    server.engine.script = () => ({ fragments: ["a"], failure: { at: 0, error } });
    const response = await send(server, { path, body: streamed });
    server.engine.release();
    const { types, comments } = followResponse(await response.text());
    expect(types).toEqual(["response.created", "response.in_progress", "response.failed"]);
    expect(comments).toBeGreaterThan(0);
  });

  it("in an unknown way is an internal error without a word of it", async () => {
    server.engine.script = () => ({ fragments: ["a", "b"], failure: { at: 1, error: new Error("secret") } });
    const answer = await ask(server, { path, body: streamed });
    expect(followResponse(answer.body).response?.error?.code).toBe("internal_error");
    expect(answer.body).not.toContain("secret");
  });
});

describe("a reply that ends early", () => {
  it("because its key was revoked is response.failed with that error", async () => {
    server.engine.hold();
    server.engine.release(1);
    const response = await send(server, { path, body: streamed });
    await eventually(() => server.engine.produced === 1);
    server.completions.running.cut({ keyId: "key_0" });
    const followed = followResponse(await response.text());
    expect(followed.response?.error?.code).toBe("invalid_api_key");
    await eventually(() => server.engine.active === 0);
  });

  it("after a client disconnect frees everything, and the events sent so far were valid", async () => {
    server.engine.hold();
    const socket = await RawSocket.open(server.port);
    const text = JSON.stringify(streamed);
    socket.send(
      `POST ${path} HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${server.apiKey}`,
      "Content-Type: application/json",
      `Content-Length: ${text.length}`,
      "",
      text,
    );
    await eventually(() => server.engine.active === 1);
    server.engine.release(2);
    const received = await socket.untilReceived(/"delta":" from "[^]*\n\n/);
    socket.destroy();
    await eventually(() => server.engine.active === 0 && server.completions.active === 0);
    const chunks = received.slice(received.indexOf("\r\n\r\n") + 4).replace(/(^|\r\n)[0-9a-f]+\r\n/g, "");
    const { response, items } = followResponse(chunks.replaceAll("\r\n", ""), true);
    expect(response).toBeNull();
    expect(items).toMatchObject([{ content: [{ text: "Hello from " }] }]);
  });
});
