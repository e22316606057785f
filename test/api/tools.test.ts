/** What goes over the wire when a reply calls tools or thinks. What the engine says is scripted. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask, isChunk, parseEvents, type Sent } from "../support/clients/chat.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const tools = [
  { type: "function", function: { name: "get_weather", parameters: { type: "object" } } },
  { type: "function", function: { name: "get_time" } },
];
const body = { model: "omega", messages: [{ role: "user", content: "How is it?" }], tools };

const streamed = async (sent: Sent) =>
  parseEvents((await ask(server, sent)).body)
    .events.filter(isChunk)
    .flatMap(({ choices }) => choices.map(({ delta }) => delta));

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.script = () => ({
    fragments: [
      { reasoning: "Where" },
      { reasoning: " and when?" },
      "Let me look.",
      { call: "get_weather", id: "call_a" },
      { arguments: '{"city":' },
      { arguments: '"Paris"}' },
      { call: "get_time", id: "call_b" },
      { arguments: "{}" },
    ],
    finishReason: "tool_calls",
  });
});

describe("a reply with calls", () => {
  it("has them beside its text and its reasoning", async () => {
    const { status, json } = await ask(server, { body });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: "Let me look.",
            reasoning_content: "Where and when?",
            tool_calls: [
              {
                id: "call_a",
                type: "function",
                function: { name: "get_weather", arguments: '{"city":"Paris"}' },
              },
              { id: "call_b", type: "function", function: { name: "get_time", arguments: "{}" } },
            ],
          },
        },
      ],
      usage: { completion_tokens: 8, completion_tokens_details: { reasoning_tokens: 2 } },
    });
  });

  it("has no text where there is none", async () => {
    server.engine.script = () => ({
      fragments: [{ call: "get_time" }, { arguments: "{}" }],
      finishReason: "tool_calls",
    });
    const { json } = await ask(server, { body });
    expect(json).toMatchObject({ choices: [{ message: { content: null } }] });
    expect(JSON.stringify(json)).not.toContain("reasoning_content");
  });

  it("comes in a stream with each name once and each call under its own number", async () => {
    expect(await streamed({ body: { ...body, stream: true } })).toEqual([
      { role: "assistant", reasoning_content: "Where" },
      { reasoning_content: " and when?" },
      { content: "Let me look." },
      {
        tool_calls: [
          { index: 0, id: "call_a", type: "function", function: { name: "get_weather", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] },
      {
        tool_calls: [
          { index: 1, id: "call_b", type: "function", function: { name: "get_time", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
      {},
    ]);
  });

  it("begins a stream with its role, and no text", async () => {
    server.engine.script = () => ({
      fragments: [{ call: "get_time", id: "call_c" }],
      finishReason: "tool_calls",
    });
    const [first] = await streamed({ body: { ...body, stream: true } });
    expect(first).toMatchObject({ role: "assistant", content: null });
  });
});

describe("a request with tools", () => {
  it("reaches the engine with what may be called", async () => {
    await ask(server, { body: { ...body, tool_choice: "required", parallel_tool_calls: false } });
    expect(server.engine.generations.at(-1)?.tooling).toMatchObject({
      choice: "required",
      parallel: false,
      tools: [{ name: "get_weather" }, { name: "get_time" }],
    });
  });

  it("reaches it with earlier calls and their results", async () => {
    const call = { id: "call_1", type: "function", function: { name: "get_time", arguments: "{}" } };
    const messages = [
      ...body.messages,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "noon" },
    ];
    const { status } = await ask(server, { body: { ...body, messages } });
    expect(status).toBe(200);
    expect(server.engine.generations.at(-1)?.messages.slice(1)).toEqual([
      { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "get_time", arguments: "{}" }] },
      { role: "tool", content: "noon", toolCallId: "call_1" },
    ]);
  });
});
