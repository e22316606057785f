/** LangChain as a client of the Messages API. */
import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, lookUp, place, prompt, thoughtfulScript } from "../support/clients/weather-model.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  server.engine.script = thoughtfulScript;
});
afterAll(() => server.close());

describe("LangChain", () => {
  const model = (fields: object = {}) =>
    new ChatAnthropic({
      model: "omega",
      apiKey: server.apiKey,
      anthropicApiUrl: server.url,
      maxTokens: 100,
      maxRetries: 0,
      ...fields,
    });
  const getWeather = langChainTool(lookUp, { name: "get_weather", description: "Weather.", schema: place });

  it("invokes", async () => {
    const reply = await model().invoke([
      ["system", "Be kind."],
      ["user", prompt],
    ]);
    expect(reply.text).toBe(answer);
    expect(reply.usage_metadata).toMatchObject({ input_tokens: 8, output_tokens: 2 });
    expect(reply.response_metadata).toMatchObject({ stop_reason: "end_turn" });
  });

  it("streams", async () => {
    let text = "";
    for await (const chunk of await model().stream(prompt)) text += chunk.text;
    expect(text).toBe(answer);
  });

  it.each([false, true])("calls the tools that are bound to it, streamed or not: %s", async (streaming) => {
    const calling = model({ streaming }).bindTools([getWeather]);
    const first = await calling.invoke(prompt);
    expect(first.tool_calls).toMatchObject([
      { name: "get_weather", args: { city: "Paris" }, id: "call_0123456789" },
    ]);
    const [call] = first.tool_calls ?? [];
    const result = new ToolMessage({ content: "sunny", tool_call_id: call?.id ?? "" });
    const last = await calling.invoke([new HumanMessage(prompt), first, result]);
    expect(last).toBeInstanceOf(AIMessage);
    expect(last.text).toBe(answer);
  });

  it("asks for a schema by a tool", async () => {
    expect(await model().withStructuredOutput(place).invoke(prompt)).toEqual({ city: "Paris" });
  });
});
