/**
 * The agent loops of the common client libraries. The engine is scripted as a model that looks up the weather before
 * it answers; where a schema is asked for it answers with that.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Instructor from "@instructor-ai/instructor";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { OpenAIChatCompletionsModel, Runner } from "@openai/agents";
import { generateObject, generateText, stepCountIs, streamText, tool as aiTool } from "ai";
import OpenAI from "openai";
import { zodFunction } from "openai/helpers/zod";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { langChainWeather, testAgentsOf } from "../support/clients/weather-agents.js";
import { answer, asked, lookUp, place, prompt, weatherScript } from "../support/clients/weather-model.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.script = weatherScript;
  asked.length = 0;
});

const openai = () => new OpenAI({ baseURL: server.baseURL, apiKey: server.apiKey, maxRetries: 0 });

describe("the openai package", () => {
  const runnable = () => zodFunction({ name: "get_weather", parameters: place, function: lookUp });
  const messages = [{ role: "user" as const, content: prompt }];

  it.each([false, true])("runs tools until there is an answer (stream: %s)", async (stream) => {
    const runner = stream
      ? openai().chat.completions.runTools({ model: "omega", messages, tools: [runnable()], stream: true })
      : openai().chat.completions.runTools({ model: "omega", messages, tools: [runnable()] });
    expect(await runner.finalContent()).toBe(answer);
    expect(asked).toEqual(["Paris"]);
  });

  it("streams a call with its arguments in pieces", async () => {
    const stream = openai().chat.completions.stream({
      model: "omega",
      messages,
      tools: [{ type: "function", function: { name: "get_weather", parameters: z.toJSONSchema(place) } }],
    });
    const pieces: string[] = [];
    stream.on("tool_calls.function.arguments.delta", ({ arguments_delta }) => pieces.push(arguments_delta));
    const { choices } = await stream.finalChatCompletion();
    expect(pieces.join("")).toBe('{"city":"Paris"}');
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: "get_weather", arguments: '{"city":"Paris"}' },
    });
  });
});

describe("the AI SDK", () => {
  const model = () =>
    createOpenAICompatible({
      name: "sotto",
      includeUsage: true,
      supportsStructuredOutputs: true,
      baseURL: server.baseURL,
      apiKey: server.apiKey,
    })("omega");
  const tools = { get_weather: aiTool({ inputSchema: place, execute: async (input) => lookUp(input) }) };

  it("generates text in several steps", async () => {
    const { text, steps } = await generateText({
      model: model(),
      prompt,
      tools,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    });
    expect(text).toBe(answer);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    expect(asked).toEqual(["Paris"]);
  });

  it("streams text in several steps", async () => {
    const { textStream, toolCalls } = streamText({
      model: model(),
      prompt,
      tools,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    });
    let text = "";
    for await (const part of textStream) text += part;
    expect(text).toBe(answer);
    await toolCalls;
    expect(asked).toEqual(["Paris"]);
  });

  it("generates an object", async () => {
    const { object } = await generateObject({ model: model(), prompt, schema: place, maxRetries: 0 });
    expect(object).toEqual({ city: "Paris" });
  });
});

describe("LangChain", () => {
  const model = () =>
    new ChatOpenAI({
      model: "omega",
      apiKey: server.apiKey,
      maxRetries: 0,
      configuration: { baseURL: server.baseURL },
    });

  it("binds tools", async () => {
    const { tool_calls } = await model().bindTools([langChainWeather]).invoke(prompt);
    expect(tool_calls).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);
  });

  it("joins the pieces of a streamed call", async () => {
    const pieces = await model().bindTools([langChainWeather]).stream(prompt);
    let whole;
    for await (const piece of pieces) whole = whole === undefined ? piece : whole.concat(piece);
    expect(whole?.tool_calls).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);
  });

  it.each(["functionCalling", "jsonSchema", "jsonMode"] as const)(
    "gives structured output by %s",
    async (method) => {
      const structured = model().withStructuredOutput(place, { name: "place", method });
      expect(await structured.invoke(prompt)).toEqual({ city: "Paris" });
    },
  );

  it("runs an agent to its answer", async () => {
    const agent = createReactAgent({ llm: model(), tools: [langChainWeather] });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: prompt }] });
    expect(messages.at(-1)?.content).toBe(answer);
    expect(asked).toEqual(["Paris"]);
  });
});

describe("the Agents SDK", () => {
  const runner = () =>
    new Runner({ model: new OpenAIChatCompletionsModel(openai(), "omega"), tracingDisabled: true });
  testAgentsOf(runner);
});

describe("instructor", () => {
  const schema = z3.object({ city: z3.string() });
  it.each(["TOOLS", "JSON_SCHEMA"] as const)("extracts an object in mode %s", async (mode) => {
    const client = Instructor({ client: openai(), mode });
    const extracted = await client.chat.completions.create({
      model: "omega",
      messages: [{ role: "user", content: prompt }],
      response_model: { schema, name: "Place" },
      max_retries: 0,
    });
    expect(extracted).toMatchObject({ city: "Paris" });
  });
});
