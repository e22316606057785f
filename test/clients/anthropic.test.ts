/** The Anthropic SDK, as its package is. The engine is scripted as a model that looks up the weather first. */
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { eventually } from "../support/eventually.js";
import {
  answer,
  asked,
  lookUp,
  place,
  question,
  thoughtfulScript,
} from "../support/clients/weather-model.js";
import { rejectionOf } from "../support/rejection.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.script = thoughtfulScript;
  asked.length = 0;
});

const anthropic = (apiKey = server.apiKey) =>
  new Anthropic({ baseURL: server.url, apiKey, authToken: null, maxRetries: 0 });
const base = { model: "omega", max_tokens: 100, messages: question };
const weather = {
  name: "get_weather",
  description: "The weather in a city.",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};

describe("the Anthropic SDK", () => {
  it("creates a message", async () => {
    const message = await anthropic().messages.create({ ...base, system: "Be kind." });
    expect(message).toMatchObject({
      type: "message",
      role: "assistant",
      model: "omega",
      content: [{ type: "text", text: answer }],
      stop_reason: "end_turn",
      usage: { input_tokens: 8, output_tokens: 2 },
    });
    expect(message._request_id).toMatch(/^req_/);
  });

  it("creates one with a bearer token", async () => {
    const client = new Anthropic({ baseURL: server.url, authToken: server.apiKey, apiKey: null });
    expect((await client.messages.create(base)).content).toMatchObject([{ text: answer }]);
  });

  it("lists and retrieves models", async () => {
    const listed: string[] = [];
    for await (const { id, type, display_name } of anthropic().models.list({ limit: 1 })) {
      listed.push(`${type} ${id} ${display_name}`);
    }
    expect(listed).toEqual(["omega", "prism", "lambda"].map((id) => `model ${id} ${id}`));
    expect(await anthropic().models.retrieve("claude-opus-4")).toMatchObject({ id: "claude-opus-4" });
    await expect(anthropic().models.retrieve("gpt-4")).rejects.toThrow(NotFoundError);
  });

  it("reads a raw stream", async () => {
    const types: string[] = [];
    for await (const { type } of await anthropic().messages.create({ ...base, stream: true }))
      types.push(type);
    expect(types).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  it("streams reasoning, text and a call, which add up to the message", async () => {
    const body = { ...base, tools: [weather], thinking: { type: "enabled" as const, budget_tokens: 1024 } };
    const stream = anthropic().messages.stream(body);
    let [text, thoughts, json] = ["", "", ""];
    stream.on("text", (delta) => (text += delta));
    stream.on("thinking", (delta) => (thoughts += delta));
    stream.on("inputJson", (delta) => (json += delta));
    const message = await stream.finalMessage();
    expect([thoughts, text, json]).toEqual(["The weather…", "Let me look.", '{"city":"Paris"}']);
    expect(message).toMatchObject({
      content: [
        { type: "thinking", thinking: "The weather…" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "call_0123456789", name: "get_weather", input: { city: "Paris" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 6, output_tokens: 7 },
    });
    const whole = await anthropic().messages.create(body);
    expect(message.content).toMatchObject(whole.content);
  });

  it("sends a call's result back, with the reasoning before it", async () => {
    const client = anthropic();
    const body = { ...base, tools: [weather], thinking: { type: "adaptive" as const } };
    const first = await client.messages.create(body);
    const call = first.content.find((block) => block.type === "tool_use");
    const messages = [
      ...question,
      { role: "assistant" as const, content: first.content },
      {
        role: "user" as const,
        content: [{ type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "sunny" }],
      },
    ];
    const last = await client.messages.create({ ...body, messages });
    expect(last.content.at(-1)).toMatchObject({ type: "text", text: answer });
    expect(server.engine.generations.at(-1)?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", reasoning: "The weather…", toolCalls: [{ id: "call_0123456789" }] },
      { role: "tool", content: "sunny", toolCallId: "call_0123456789" },
    ]);
  });

  it.each([false, true])("runs tools until there is an answer, streamed or not: %s", async (stream) => {
    const run = betaZodTool({ name: "get_weather", description: "", inputSchema: place, run: lookUp });
    const body = { ...base, tools: [run], stream, max_iterations: 4 };
    const message = await anthropic().beta.messages.toolRunner(body).runUntilDone();
    expect(message).toMatchObject({ content: [{ type: "text", text: answer }], stop_reason: "end_turn" });
    expect(asked).toEqual(["Paris"]);
  });

  it("parses a reply that follows a schema", async () => {
    const message = await anthropic().messages.parse({
      ...base,
      output_config: { format: zodOutputFormat(place) },
    });
    expect(message.parsed_output).toEqual({ city: "Paris" });
    expect(server.engine.generations.at(-1)?.format).toMatchObject({ type: "json_schema", strict: true });
  });

  it("counts tokens", async () => {
    const count = await anthropic().messages.countTokens({
      model: "omega",
      messages: question,
      tools: [weather],
    });
    expect(count.input_tokens).toBe(6);
  });

  it("cancels the generation when its stream is aborted", async () => {
    server.engine.hold();
    server.engine.release(1);
    const stream = anthropic().messages.stream(base);
    for await (const { type } of stream) if (type === "content_block_delta") break;
    stream.abort();
    await eventually(() => server.engine.active === 0);
    server.engine.release();
  });

  const errorOf = (failing: Promise<unknown>) => rejectionOf(APIError, failing);

  it("throws its own class for every status, with the type, the message and the request's id", async () => {
    const prism = server.addKey("prism-only", { models: ["prism"] });
    const spent = server.addKey("spent", { plan: { requestsPerMinute: 0 } });
    const failures: [() => Promise<unknown>, new (...args: never[]) => APIError, string][] = [
      [() => anthropic("wrong").messages.create(base), AuthenticationError, "authentication_error"],
      [() => anthropic(prism).messages.create(base), PermissionDeniedError, "permission_error"],
      [() => anthropic(spent).messages.create(base), RateLimitError, "rate_limit_error"],
      [() => anthropic().messages.create({ ...base, model: "nobody" }), NotFoundError, "not_found_error"],
      [
        () => anthropic().messages.create({ ...base, max_tokens: 0 }),
        BadRequestError,
        "invalid_request_error",
      ],
    ];
    for (const [failing, kind, type] of failures) {
      const error = await errorOf(failing());
      expect(error).toBeInstanceOf(kind);
      expect(error.type).toBe(type);
      expect(error.requestID).toMatch(/^req_/);
      expect(error.message).toContain(type);
    }
    server.completions.refuseNew(new ServiceError("overloaded"));
    const overloaded = await errorOf(anthropic().messages.create(base));
    server.completions.refuseNew(null);
    expect(overloaded).toBeInstanceOf(InternalServerError);
    expect(overloaded.type).toBe("overloaded_error");
  });

  it("throws when a stream breaks", async () => {
    server.engine.script = () => ({
      fragments: ["a", "b"],
      failure: { at: 1, error: new ServiceError("engine_unavailable") },
    });
    const error = await errorOf(anthropic().messages.stream(base).finalMessage());
    expect(error.type).toBe("api_error");
  });
});
