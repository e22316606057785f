/**
 * The majors of the AI SDK that are in use, each with its `@ai-sdk/anthropic` and with the default model of its
 * `@ai-sdk/openai`, which refers to items of earlier replies by their ids. Two turns and a tool loop each. Version 7
 * says that it needs Node 22, and runs here on Node 20 as well.
 */
import * as anthropic3 from "@ai-sdk/anthropic";
import * as openai3 from "@ai-sdk/openai";
import * as ai6 from "ai";
import * as anthropic2 from "ai-anthropic-v2";
import * as anthropic4 from "ai-anthropic-v4";
import * as openai2 from "ai-openai-v2";
import * as openai4 from "ai-openai-v4";
import * as ai5 from "ai-v5";
import * as ai7 from "ai-v7";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answer, asked, lookUp, place, prompt, weatherScript } from "../support/clients/weather-model.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.engine.script = (generation) =>
    weatherScript(generation, {
      thoughts: [{ reasoning: "Let me" }, { reasoning: " think." }],
      before: ["Let me look."],
    });
  asked.length = 0;
});

const there = () => ({ baseURL: server.baseURL, apiKey: server.apiKey });
const question = { role: "user" as const, content: prompt };
const next = { role: "user" as const, content: "And tomorrow?" };
const execute = async (input: { city: string }) => lookUp(input);

interface Said {
  text: string;
  steps: number;
}

/** What a test needs of one major, in its own types. */
interface Major {
  twoTurns(): Promise<Said>;
  loop(): Promise<Said>;
  /** The loop streamed, and a turn after it. */
  streamedLoop(): Promise<Said>;
}

const v5 = (model: () => ai5.LanguageModel): Major => {
  const tools = { get_weather: ai5.tool({ inputSchema: place, execute }) };
  const inSteps = () => ({ model: model(), tools, stopWhen: ai5.stepCountIs(3), maxRetries: 0 });
  return {
    twoTurns: async () => {
      const first = await ai5.generateText({ model: model(), messages: [question], maxRetries: 0 });
      const messages = [question, ...first.response.messages, next];
      const { text, steps } = await ai5.generateText({ model: model(), messages, maxRetries: 0 });
      return { text, steps: steps.length };
    },
    loop: async () => {
      const { text, steps } = await ai5.generateText({ ...inSteps(), prompt });
      return { text, steps: steps.length };
    },
    streamedLoop: async () => {
      const first = ai5.streamText({ ...inSteps(), prompt });
      await first.consumeStream();
      const messages = [question, ...(await first.response).messages, next];
      const { text, steps } = await ai5.generateText({ ...inSteps(), messages });
      return { text, steps: (await first.steps).length + steps.length };
    },
  };
};

const v6 = (model: () => ai6.LanguageModel): Major => {
  const tools = { get_weather: ai6.tool({ inputSchema: place, execute }) };
  const inSteps = () => ({ model: model(), tools, stopWhen: ai6.stepCountIs(3), maxRetries: 0 });
  return {
    twoTurns: async () => {
      const first = await ai6.generateText({ model: model(), messages: [question], maxRetries: 0 });
      const messages = [question, ...first.response.messages, next];
      const { text, steps } = await ai6.generateText({ model: model(), messages, maxRetries: 0 });
      return { text, steps: steps.length };
    },
    loop: async () => {
      const { text, steps } = await ai6.generateText({ ...inSteps(), prompt });
      return { text, steps: steps.length };
    },
    streamedLoop: async () => {
      const first = ai6.streamText({ ...inSteps(), prompt });
      await first.consumeStream();
      const messages = [question, ...(await first.response).messages, next];
      const { text, steps } = await ai6.generateText({ ...inSteps(), messages });
      return { text, steps: (await first.steps).length + steps.length };
    },
  };
};

const v7 = (model: () => ai7.LanguageModel): Major => {
  const tools = { get_weather: ai7.tool({ inputSchema: place, execute }) };
  const inSteps = () => ({ model: model(), tools, stopWhen: ai7.stepCountIs(3), maxRetries: 0 });
  return {
    twoTurns: async () => {
      const first = await ai7.generateText({ model: model(), messages: [question], maxRetries: 0 });
      const messages = [question, ...first.responseMessages, next];
      const { text, steps } = await ai7.generateText({ model: model(), messages, maxRetries: 0 });
      return { text, steps: steps.length };
    },
    loop: async () => {
      const { text, steps } = await ai7.generateText({ ...inSteps(), prompt });
      return { text, steps: steps.length };
    },
    streamedLoop: async () => {
      const first = ai7.streamText({ ...inSteps(), prompt });
      await first.consumeStream();
      const messages = [question, ...(await first.responseMessages), next];
      const { text, steps } = await ai7.generateText({ ...inSteps(), messages });
      return { text, steps: (await first.steps).length + steps.length };
    },
  };
};

const majors: [string, Major][] = [
  ["AI SDK 5 with openai()", v5(() => openai2.createOpenAI(there())("omega"))],
  ["AI SDK 6 with openai()", v6(() => openai3.createOpenAI(there())("omega"))],
  ["AI SDK 7 with openai()", v7(() => openai4.createOpenAI(there())("omega"))],
  ["AI SDK 5 with anthropic()", v5(() => anthropic2.createAnthropic(there())("omega"))],
  ["AI SDK 6 with anthropic()", v6(() => anthropic3.createAnthropic(there())("omega"))],
  ["AI SDK 7 with anthropic()", v7(() => anthropic4.createAnthropic(there())("omega"))],
];

describe.each(majors)("%s", (_, major) => {
  it("has two turns, the first of which reaches the model again", async () => {
    expect(await major.twoTurns()).toEqual({ text: answer, steps: 1 });
    expect(server.engine.generations.at(-1)?.messages).toMatchObject([
      question,
      { role: "assistant", content: answer },
      next,
    ]);
  });

  it("runs a tool loop to its answer", async () => {
    expect(await major.loop()).toEqual({ text: answer, steps: 2 });
    expect(asked).toEqual(["Paris"]);
    expect(server.engine.generations.at(-1)?.messages).toMatchObject([
      question,
      { role: "assistant", content: "Let me look.", toolCalls: [{ name: "get_weather" }] },
      { role: "tool" },
    ]);
    expect(server.engine.generations.at(-1)?.messages[2]?.content).toContain("sunny");
  });

  it("streams a tool loop, and goes on after it", async () => {
    expect(await major.streamedLoop()).toEqual({ text: answer, steps: 3 });
    expect(asked).toEqual(["Paris"]);
    expect(server.engine.generations.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });
});

describe("reasoning of the default model, with a summary requested", () => {
  const providerOptions = { openai: { reasoningSummary: "auto", forceReasoning: true } };
  const shown = { reasoning: "Let me think.", text: answer };

  it("are shown by AI SDK 6", async () => {
    const asking = () => ({
      model: openai3.createOpenAI(there())("omega"),
      prompt,
      maxRetries: 0,
      providerOptions,
    });
    const whole = await ai6.generateText(asking());
    expect({ reasoning: whole.reasoningText, text: whole.text }).toEqual(shown);
    const streamed = ai6.streamText(asking());
    expect({ reasoning: await streamed.reasoningText, text: await streamed.text }).toEqual(shown);
  });

  it("are shown by AI SDK 7", async () => {
    const asking = () => ({
      model: openai4.createOpenAI(there())("omega"),
      prompt,
      maxRetries: 0,
      providerOptions,
    });
    const whole = await ai7.generateText(asking());
    expect({ reasoning: whole.reasoningText, text: whole.text }).toEqual(shown);
    const streamed = ai7.streamText(asking());
    expect({ reasoning: await streamed.reasoningText, text: await streamed.text }).toEqual(shown);
  });
});
