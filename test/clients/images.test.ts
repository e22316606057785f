/** Images by the official SDKs: in a long session on the starter, which reads text only, and on a model that sees. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { BadRequestError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { dataUrl, greyPng } from "../support/inputs/images.js";
import { startServer, type TestServer } from "../support/processes/server.js";
import { startSotto, type SottoProcess } from "../support/processes/sotto-process.js";

const png = {
  type: "image" as const,
  source: { type: "base64" as const, media_type: "image/png" as const, data: greyPng },
};

describe("the starter", () => {
  let sotto: SottoProcess;
  let apiKey: string;
  beforeAll(async () => {
    sotto = await startSotto();
    apiKey = await eventually(() => /sk-sotto-\w+/.exec(sotto.output())?.[0]);
  });
  afterAll(() => sotto.stop());

  it("goes on with a session of the Anthropic SDK that has images, turn after turn", async () => {
    const client = new Anthropic({ baseURL: sotto.url, apiKey, authToken: null, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [];
    const turn = async (content: Anthropic.MessageParam["content"]) => {
      messages.push({ role: "user", content });
      const request = { model: "claude-sonnet-4-5", max_tokens: 12, temperature: 0, messages };
      const { data: reply, response } = await client.messages.create(request).withResponse();
      messages.push({ role: "assistant", content: reply.content });
      return {
        text: reply.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        response,
      };
    };
    await turn("Hello.");
    const pictured = await turn([{ type: "text", text: "Here is a picture." }, png]);
    expect(pictured.response.headers.get("sotto-ignored")).toBe("image");
    const question = "What is the capital of France?";
    for (let later = 0; later < 8; later++) {
      const { text, response } = await turn(
        later % 2 === 0 ? question : [png, { type: "text", text: question }],
      );
      expect(text).not.toBe("");
      expect(response.headers.get("sotto-ignored")).toBe("image");
    }
    const counted = await client.messages.countTokens({ model: "claude-sonnet-4-5", messages });
    expect(counted.input_tokens).toBeGreaterThan(50);
  });

  it("goes on with a session in which a tool took a screenshot", async () => {
    const client = new Anthropic({ baseURL: sotto.url, apiKey, authToken: null, maxRetries: 0 });
    const reply = await client.messages.create({
      model: "omega",
      max_tokens: 12,
      messages: [
        { role: "user", content: "Take a screenshot." },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "screenshot", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [png] }] },
      ],
    });
    expect(reply.usage.output_tokens).toBeGreaterThan(0);
  });

  it("refuses an image in a chat of the OpenAI SDK, and says where it is", async () => {
    const client = new OpenAI({ baseURL: sotto.baseURL, apiKey, maxRetries: 0 });
    const content = [{ type: "image_url" as const, image_url: { url: dataUrl() } }];
    const refused = client.chat.completions.create({ model: "omega", messages: [{ role: "user", content }] });
    await expect(refused).rejects.toThrow(BadRequestError);
    await expect(refused).rejects.toMatchObject({
      code: "unsupported_value",
      param: "messages[0].content[0]",
    });
  });

  it("answers a response of the OpenAI SDK with an image in it", async () => {
    const client = new OpenAI({ baseURL: sotto.baseURL, apiKey, maxRetries: 0 });
    const response = await client.responses.create({
      model: "omega",
      max_output_tokens: 16,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is the capital of France?" },
            { type: "input_image", image_url: dataUrl(), detail: "auto" },
          ],
        },
      ],
    });
    expect(response.output_text).not.toBe("");
  });
});

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
      messages: [{ role: "user", content: [png] }],
    });
    expect(lastImage()).toMatchObject({ type: "image", url: dataUrl() });
  });
});
