/**
 * What people do with the common client libraries. Nothing here knows what answers: the same scenarios run
 * on a fake engine and on a real one.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { expect } from "vitest";
import { anyNumber } from "../matchers.js";

export interface Endpoint {
  baseURL: string;
  apiKey: string;
}

export interface ClientScenario {
  name: string;
  run: (endpoint: Endpoint, model: string) => Promise<void>;
}

const prompt = "Say hello.";
const messages = [{ role: "user" as const, content: prompt }];
const maxTokens = 16;
/** The specification's name for it, which the openai package calls deprecated. */
const limit = { max_tokens: maxTokens };

const openai = (endpoint: Endpoint) => new OpenAI({ ...endpoint, maxRetries: 0 });
const aiSdk = (endpoint: Endpoint, model: string) =>
  createOpenAICompatible({ name: "sotto", includeUsage: true, ...endpoint })(model);
const langChain = ({ baseURL, apiKey }: Endpoint, model: string, streaming = false) =>
  new ChatOpenAI({ model, apiKey, maxTokens, maxRetries: 0, streaming, configuration: { baseURL } });

export const clientScenarios: ClientScenario[] = [
  {
    name: "openai: create",
    run: async (endpoint, model) => {
      const completion = await openai(endpoint).chat.completions.create({
        model,
        messages,
        ...limit,
      });
      expect(completion.id).toMatch(/^chatcmpl-/);
      expect(completion.model).toBe(model);
      expect(completion.choices[0]?.message.role).toBe("assistant");
      expectText(completion.choices[0]?.message.content);
      expect(["stop", "length"]).toContain(completion.choices[0]?.finish_reason);
      const { prompt_tokens = 0, completion_tokens = 0, total_tokens = 0 } = completion.usage ?? {};
      expect(prompt_tokens).toBeGreaterThan(0);
      expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    },
  },
  {
    name: "openai: create with a raw response",
    run: async (endpoint, model) => {
      const request = openai(endpoint).chat.completions.create({
        model,
        messages,
        max_completion_tokens: maxTokens,
      });
      const { response, request_id: requestId } = await request.withResponse();
      expect(requestId).toMatch(/^req_/);
      expect(response.headers.get("x-ratelimit-remaining-tokens")).toMatch(/^\d+$/);
    },
  },
  {
    name: "openai: raw stream",
    run: async (endpoint, model) => {
      const stream = await openai(endpoint).chat.completions.create({
        model,
        messages,
        ...limit,
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = "";
      let finishReason: string | null = null;
      let totalTokens = 0;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        finishReason = chunk.choices[0]?.finish_reason ?? finishReason;
        totalTokens = chunk.usage?.total_tokens ?? totalTokens;
      }
      expectText(text);
      expect(["stop", "length"]).toContain(finishReason);
      expect(totalTokens).toBeGreaterThan(0);
    },
  },
  {
    name: "openai: the .stream() helper",
    run: async (endpoint, model) => {
      const stream = openai(endpoint).chat.completions.stream({ model, messages, ...limit });
      let text = "";
      stream.on("content", (delta) => {
        text += delta;
      });
      const completion = await stream.finalChatCompletion();
      expectText(text);
      expect(completion.choices[0]?.message).toMatchObject({ role: "assistant", content: text });
    },
  },
  {
    name: "openai: a stream left early",
    run: async (endpoint, model) => {
      const stream = await openai(endpoint).chat.completions.create({ model, messages, stream: true });
      for await (const chunk of stream) {
        expect(chunk.choices[0]?.delta.role).toBe("assistant");
        break;
      }
    },
  },
  {
    name: "openai: models",
    run: async (endpoint, model) => {
      const client = openai(endpoint);
      const listed = [];
      for await (const item of client.models.list()) listed.push(item.id);
      expect(listed.slice(0, 3)).toEqual(["omega", "prism", "lambda"]);
      expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: "model" });
    },
  },
  {
    name: "ai: generateText",
    run: async (endpoint, model) => {
      const result = await generateText({
        model: aiSdk(endpoint, model),
        system: "Be brief.",
        prompt,
        maxOutputTokens: maxTokens,
        maxRetries: 0,
      });
      expectText(result.text);
      expect(["stop", "length"]).toContain(result.finishReason);
      expect(result.usage.outputTokens).toBeGreaterThan(0);
    },
  },
  {
    name: "ai: streamText",
    run: async (endpoint, model) => {
      const result = streamText({
        model: aiSdk(endpoint, model),
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "Say " },
              { type: "text", text: "hello." },
            ],
          },
        ],
        maxOutputTokens: maxTokens,
        maxRetries: 0,
      });
      let text = "";
      for await (const delta of result.textStream) text += delta;
      expectText(text);
      expect(["stop", "length"]).toContain(await result.finishReason);
      expect((await result.usage).outputTokens).toBeGreaterThan(0);
    },
  },
  {
    name: "langchain: invoke",
    run: async (endpoint, model) => {
      const message = await langChain(endpoint, model).invoke([
        ["system", "Be brief."],
        ["user", prompt],
      ]);
      expectText(message.text);
      expect(message).toMatchObject({ usage_metadata: { total_tokens: anyNumber } });
    },
  },
  {
    name: "langchain: stream",
    run: async (endpoint, model) => {
      let text = "";
      for await (const chunk of await langChain(endpoint, model, true).stream(prompt)) text += chunk.text;
      expectText(text);
    },
  },
];

function expectText(text: string | null | undefined): void {
  expect(typeof text).toBe("string");
  expect(text).not.toBe("");
}
