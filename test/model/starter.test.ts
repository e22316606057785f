import OpenAI from "openai";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { startSotto } from "../support/processes/sotto-process.js";

it("answers as a newcomer starts it: nothing configured, with the starter weights", async () => {
  const sotto = await startSotto();
  try {
    const apiKey = await eventually(() => /sk-sotto-\w+/.exec(sotto.output())?.[0]);
    const client = new OpenAI({ baseURL: sotto.baseURL, apiKey, maxRetries: 0 });
    const reply = await client.chat.completions.create({
      model: "omega",
      temperature: 0,
      max_completion_tokens: 12,
      messages: [{ role: "user", content: "What is the capital of France?" }],
    });
    expect(reply.choices[0]?.message.content).toMatch(/Paris/);
  } finally {
    await sotto.stop();
  }
});
