/** The openai package's `completions` against the built program, on a tiny base model with tokens for filling in. */
import OpenAI, { BadRequestError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SottoProcess } from "../support/processes/sotto-process.js";
import { startTinySotto } from "../support/processes/tiny-sotto.js";

let sotto: SottoProcess;
let client: OpenAI;
beforeAll(async () => {
  sotto = await startTinySotto({}, { chatTemplate: null, infill: "with-middle" });
  client = new OpenAI({ baseURL: sotto.baseURL, apiKey: await sotto.newKey(), maxRetries: 0 });
});
afterAll(() => sotto.stop());

const usual = { model: "omega", prompt: "the water", max_tokens: 8, temperature: 0 };

describe("the openai package", () => {
  it("continues a text, whole and streamed alike", async () => {
    const whole = await client.completions.create(usual);
    expect(whole).toMatchObject({
      object: "text_completion",
      model: "omega",
      choices: [{ index: 0, finish_reason: "length", logprobs: null }],
      usage: { prompt_tokens: 11, completion_tokens: 8 },
    });
    let text = "";
    let tokens: number | undefined;
    const stream = await client.completions.create({
      ...usual,
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
      text += chunk.choices[0]?.text ?? "";
      tokens = chunk.usage?.completion_tokens ?? tokens;
    }
    expect(text).toBe(whole.choices[0]?.text);
    expect(tokens).toBe(8);
  });

  it("fills in between a prompt and a suffix, whole and streamed", async () => {
    const gap = { ...usual, prompt: "const a ", suffix: " 1;\n" };
    const whole = await client.completions.create(gap);
    expect(whole.choices).toMatchObject([{ text: "=", finish_reason: "stop" }]);
    let text = "";
    for await (const chunk of await client.completions.create({ ...gap, stream: true })) {
      text += chunk.choices[0]?.text ?? "";
    }
    expect(text).toBe("=");
  });

  it("gives several choices of several prompts, numbered prompt by prompt", async () => {
    const { choices, usage } = await client.completions.create({
      ...usual,
      prompt: ["the water", "many people"],
      n: 2,
      best_of: 2,
    });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(choices[0]?.text).toBe(choices[1]?.text);
    expect(usage?.completion_tokens).toBe(32);
  });

  it("gives log probabilities, and the prompt before the reply", async () => {
    const { choices } = await client.completions.create({ ...usual, logprobs: 2 });
    const [choice] = choices;
    expect(choice?.logprobs?.tokens).toHaveLength(8);
    expect(choice?.logprobs?.tokens?.join("")).toBe(choice?.text);
    expect(choice?.logprobs?.text_offset?.[0]).toBe(0);
    const echoed = await client.completions.create({ ...usual, echo: true });
    expect(echoed.choices[0]?.text).toBe(`the water${choice?.text ?? ""}`);
  });

  it("takes tokens", async () => {
    const { usage } = await client.completions.create({ ...usual, prompt: [1, 300, 301] });
    expect(usage?.prompt_tokens).toBe(3);
  });

  it("is told that the model does not chat, and that it fills in", async () => {
    const chat = client.chat.completions.create({
      model: "omega",
      messages: [{ role: "user", content: "Hi" }],
    });
    await expect(chat).rejects.toBeInstanceOf(BadRequestError);
    await expect(chat).rejects.toThrow(/POST \/v1\/completions/);
    expect(await client.models.retrieve("omega")).toMatchObject({
      capabilities: { chat: false, infill: true },
    });
  });
});
