/**
 * The common client libraries on `/v1/responses`, which most of them call by default. The engine is scripted as a model
 * that thinks, says so and looks up the weather before it answers; where a schema is asked for it answers with that.
 */
import { createOpenAI } from "@ai-sdk/openai";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { OpenAIProvider, Runner } from "@openai/agents";
import { generateObject, generateText, stepCountIs, streamText, tool as aiTool } from "ai";
import OpenAI from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ServiceError } from "../../src/core/errors.js";
import type { Generation } from "../../src/core/serving/engine-port.js";
import { langChainWeather, testAgentsOf, weatherAgent } from "../support/clients/weather-agents.js";
import { answer, asked, lookUp, place, prompt, weatherScript } from "../support/clients/weather-model.js";
import type { Script } from "../support/engines/fake-engine.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const thinkingScript = (generation: Generation): Script =>
  weatherScript(generation, {
    thoughts: [{ reasoning: "Let me" }, { reasoning: " think." }],
    before: ["Let me look."],
  });

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.script = thinkingScript;
  asked.length = 0;
});

const openai = () => new OpenAI({ baseURL: server.baseURL, apiKey: server.apiKey, maxRetries: 0 });
const weatherTool = {
  type: "function" as const,
  name: "get_weather",
  parameters: z.toJSONSchema(place),
  strict: true,
};

describe("the openai package", () => {
  it("creates a response", async () => {
    const response = await openai().responses.create({ model: "omega", input: prompt });
    expect(response.output_text).toBe(answer);
    expect(response.usage?.output_tokens_details.reasoning_tokens).toBe(2);
  });

  it("streams one, event by event", async () => {
    const stream = await openai().responses.create({ model: "omega", input: prompt, stream: true });
    let text = "";
    const types = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    expect(text).toBe(answer);
    expect(types.at(-1)).toBe("response.completed");
  });

  it("accumulates a stream to the same response", async () => {
    const stream = openai().responses.stream({ model: "omega", input: prompt, tools: [weatherTool] });
    const pieces: string[] = [];
    const thoughts: string[] = [];
    stream.on("response.function_call_arguments.delta", ({ delta }) => pieces.push(delta));
    stream.on("response.reasoning_text.delta", ({ delta }) => thoughts.push(delta));
    const { output } = await stream.finalResponse();
    expect(thoughts.join("")).toBe("Let me think.");
    expect(pieces.join("")).toBe('{"city":"Paris"}');
    expect(output).toMatchObject([
      { type: "reasoning" },
      { type: "message" },
      { type: "function_call", name: "get_weather", parsed_arguments: { city: "Paris" } },
    ]);
  });

  it("accumulates a stream with a reasoning summary", async () => {
    const stream = openai().responses.stream({
      model: "omega",
      input: prompt,
      reasoning: { summary: "auto" },
    });
    const pieces: string[] = [];
    stream.on("response.reasoning_summary_text.delta", ({ delta }) => pieces.push(delta));
    const { output } = await stream.finalResponse();
    expect(pieces.join("")).toBe("Let me think.");
    expect(output).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Let me think." }] },
      { type: "message" },
    ]);
  });

  it("goes on after a call with the items of the reply", async () => {
    const client = openai();
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: prompt }];
    const first = await client.responses.create({ model: "omega", input, tools: [weatherTool] });
    for (const item of first.output) {
      if (item.type === "reasoning" || item.type === "message") input.push(item);
      if (item.type !== "function_call") continue;
      input.push(item);
      const output = lookUp(place.parse(JSON.parse(item.arguments)));
      input.push({ type: "function_call_output", call_id: item.call_id, output });
    }
    const second = await client.responses.create({ model: "omega", input, tools: [weatherTool] });
    expect(second.output_text).toBe(answer);
    expect(server.engine.generations.at(-1)?.messages).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        reasoning: "Let me think.",
        content: "Let me look.",
        toolCalls: [{ name: "get_weather" }],
      },
      { role: "tool", content: "sunny" },
    ]);
  });

  it("parses replies and calls that follow a schema", async () => {
    const parsed = await openai().responses.parse({
      model: "omega",
      input: prompt,
      text: { format: zodTextFormat(place, "place") },
    });
    expect(parsed.output_parsed).toEqual({ city: "Paris" });
    const called = await openai().responses.parse({
      model: "omega",
      input: prompt,
      tools: [zodResponsesFunction({ name: "get_weather", parameters: place })],
    });
    expect(called.output.at(-1)).toMatchObject({ parsed_arguments: { city: "Paris" } });
  });

  it("gets a stream that fails as a failed response", async () => {
    const error = new ServiceError("engine_unavailable");
    server.engine.script = () => ({ fragments: ["a", "b"], failure: { at: 1, error } });
    const response = await openai().responses.stream({ model: "omega", input: prompt }).finalResponse();
    expect(response).toMatchObject({ status: "failed", error: { code: "engine_unavailable" } });
    expect(response.output_text).toBe("a");
  });

  it("throws on a refusal before the first event", async () => {
    const refused = openai().responses.create({ model: "gpt-4o", input: prompt, stream: true });
    await expect(refused).rejects.toMatchObject({ status: 404, code: "model_not_found" });
    const stored = openai().responses.create({ model: "omega", input: "x", previous_response_id: "resp_1" });
    await expect(stored).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  });
});

describe("the AI SDK's default provider", () => {
  const model = () => createOpenAI({ baseURL: server.baseURL, apiKey: server.apiKey })("omega");
  const tools = { get_weather: aiTool({ inputSchema: place, execute: async (input) => lookUp(input) }) };
  const inSteps = () => ({ model: model(), prompt, tools, stopWhen: stepCountIs(3), maxRetries: 0 });

  it("generates text", async () => {
    const { text, usage, finishReason } = await generateText({ model: model(), prompt, maxRetries: 0 });
    expect(text).toBe(answer);
    expect(finishReason).toBe("stop");
    expect(usage).toMatchObject({ inputTokens: 6, outputTokens: 4 });
  });

  it("streams text", async () => {
    const { textStream, finishReason } = streamText({ model: model(), prompt, maxRetries: 0 });
    let text = "";
    for await (const part of textStream) text += part;
    expect(text).toBe(answer);
    expect(await finishReason).toBe("stop");
  });

  it("generates an object", async () => {
    const { object } = await generateObject({ model: model(), prompt, schema: place, maxRetries: 0 });
    expect(object).toEqual({ city: "Paris" });
  });

  it("runs tools in several steps", async () => {
    const { text, steps } = await generateText(inSteps());
    expect(text).toBe(answer);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    expect(asked).toEqual(["Paris"]);
  });

  it("streams several steps", async () => {
    const { textStream } = streamText(inSteps());
    let text = "";
    for await (const part of textStream) text += part;
    expect(text).toBe(`Let me look.${answer}`);
    expect(asked).toEqual(["Paris"]);
  });

  it("continues a conversation with store set to false", async () => {
    const providerOptions = { openai: { store: false } };
    const first = await generateText({ model: model(), prompt, providerOptions, maxRetries: 0 });
    const messages = [
      { role: "user" as const, content: prompt },
      ...first.response.messages,
      { role: "user" as const, content: "And tomorrow?" },
    ];
    const { text } = await generateText({ model: model(), messages, providerOptions, maxRetries: 0 });
    expect(text).toBe(answer);
    expect(server.engine.generations.at(-1)?.messages).toMatchObject([
      { role: "user", content: prompt },
      { role: "assistant", content: answer },
      { role: "user", content: "And tomorrow?" },
    ]);
    // What was not kept cannot be referred to.
    const stored = generateText({ model: model(), messages, maxRetries: 0 });
    await expect(stored).rejects.toThrow("'store: false'");
  });
});

describe("the Agents SDK with its default model", () => {
  const runner = () =>
    new Runner({
      model: "omega",
      modelProvider: new OpenAIProvider({ openAIClient: openai() }),
      tracingDisabled: true,
    });
  testAgentsOf(runner);

  it("goes on with a conversation", async () => {
    const agent = weatherAgent();
    const first = await runner().run(agent, prompt);
    const second = await runner().run(agent, [...first.history, { role: "user", content: "And tomorrow?" }]);
    expect(second.finalOutput).toBe(answer);
  });
});

describe("LangChain with useResponsesApi", () => {
  const model = () =>
    new ChatOpenAI({
      model: "omega",
      apiKey: server.apiKey,
      maxRetries: 0,
      useResponsesApi: true,
      configuration: { baseURL: server.baseURL },
    });

  it("invokes and streams", async () => {
    expect((await model().invoke(prompt)).text).toBe(answer);
    let text = "";
    for await (const piece of await model().stream(prompt)) text += piece.text;
    expect(text).toBe(answer);
  });

  it("joins the pieces of a streamed call", async () => {
    const pieces = await model().bindTools([langChainWeather]).stream(prompt);
    let whole;
    for await (const piece of pieces) whole = whole === undefined ? piece : whole.concat(piece);
    expect(whole?.tool_calls).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);
  });

  it("gives structured output", async () => {
    const structured = model().withStructuredOutput(place, { name: "place", method: "jsonSchema" });
    expect(await structured.invoke(prompt)).toEqual({ city: "Paris" });
  });

  it("runs an agent to its answer", async () => {
    const agent = createReactAgent({ llm: model(), tools: [langChainWeather] });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: prompt }] });
    expect(messages.at(-1)?.text).toBe(answer);
    expect(asked).toEqual(["Paris"]);
  });
});
