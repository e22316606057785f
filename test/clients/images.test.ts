/** Images by the official SDKs, to a model that sees. How the starter treats them: test/model/starter-weights. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataUrl, pngBlock } from "../support/inputs/images.js";
import { startServer, type TestServer } from "../support/processes/server.js";

describe("a model that sees", () => {
  let server: TestServer;
  beforeAll(async () => {
    const follows = { jsonSchema: true, logprobs: true, tools: true, reasoning: true, vision: true };
    server = await startServer({ engine: { follows } });
  });
  afterAll(() => server.close());
  const lastImage = () => server.engine.generations.at(-1)?.messages.at(-1)?.parts?.at(-1);

  it("gets images from each SDK", async () => {
    const openai = new OpenAI({ baseURL: server.baseURL, apiKey: server.apiKey, maxRetries: 0 });
    const content = [{ type: "image_url" as const, image_url: { url: dataUrl(), detail: "high" as const } }];
    await openai.chat.completions.create({ model: "omega", messages: [{ role: "user", content }] });
    expect(lastImage()).toMatchObject({ type: "image", url: dataUrl(), detail: "high" });
    const part = { type: "input_image" as const, image_url: dataUrl(), detail: "low" as const };
    await openai.responses.create({ model: "omega", input: [{ role: "user", content: [part] }] });
    expect(lastImage()).toMatchObject({ type: "image", url: dataUrl(), detail: "low" });
    const anthropic = new Anthropic({ baseURL: server.url, apiKey: server.apiKey, authToken: null });
    await anthropic.messages.create({
      model: "omega",
      max_tokens: 9,
      messages: [{ role: "user", content: [pngBlock] }],
    });
    expect(lastImage()).toMatchObject({ type: "image", url: dataUrl() });
  });
});
