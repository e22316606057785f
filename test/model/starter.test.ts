import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelIds } from "../../src/protocol/models.js";
import { eventually } from "../support/eventually.js";
import { startSotto, type SottoProcess } from "../support/sotto-process.js";

/** The program exactly as a newcomer starts it: nothing configured, the starter weights answering. */
let sotto: SottoProcess;
let client: OpenAI;

beforeAll(async () => {
  sotto = await startSotto();
  const key = await eventually(() => /sk-sotto-\w+/.exec(sotto.output())?.[0]);
  client = new OpenAI({ baseURL: sotto.baseURL, apiKey: key, maxRetries: 0 });
}, 300_000);
afterAll(() => sotto.stop());

const question = (content: string) => ({
  temperature: 0,
  max_tokens: 24,
  messages: [{ role: "user" as const, content }],
});

describe("the starter weights", () => {
  it.each(modelIds)("%s answers a question sensibly", { timeout: 300_000 }, async (model) => {
    const reply = await client.chat.completions.create({
      model,
      ...question("What is the capital of France?"),
    });
    expect(reply.choices[0]?.message.content).toMatch(/Paris/);
    expect(reply.usage?.total_tokens).toBe(
      (reply.usage?.prompt_tokens ?? 0) + (reply.usage?.completion_tokens ?? 0),
    );
  });

  it("streams the same text that it answers at once", { timeout: 300_000 }, async () => {
    const request = { model: "lambda", ...question("Name three fruits.") };
    const whole = await client.chat.completions.create(request);
    const stream = await client.chat.completions.create({ ...request, stream: true });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(text.length).toBeGreaterThan(5);
  });

  it("says at start which file answers for which model", () => {
    for (const model of modelIds) expect(sotto.output()).toMatch(new RegExp(`${model} +tinyllama-1.1b-chat`));
  });

  it("prints no secret on a later start", { timeout: 300_000 }, async () => {
    await sotto.stop();
    sotto = await startSotto({ dataDir: sotto.dataDir });
    expect(sotto.output()).toContain("Ready.");
    expect(sotto.output()).not.toContain("sk-sotto-");
  });
});
