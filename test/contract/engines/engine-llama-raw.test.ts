/** Raw prompts on the real engine: texts, tokens, gaps, and a base model without a chat template. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RawPrompt } from "../../../src/core/chat/request.js";
import type { Generation } from "../../../src/core/serving/engine-port.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import { generationOf, never, replyTo } from "./engine-contract.js";

const raw = (rawPrompt: RawPrompt, changes: Partial<Generation> = {}): Generation =>
  generationOf("", { messages: [], rawPrompt, ...changes });

describe("a base model with tokens for filling in", () => {
  let tiny: TinyEngine;
  beforeAll(async () => {
    tiny = startTinyEngine({ chatTemplate: null, infill: "with-middle" });
    await tiny.engine.ready();
  });
  afterAll(() => tiny.dispose());

  it("says what it can do", () => {
    expect(tiny.engine.status("omega").follows).toMatchObject({
      chat: false,
      infill: true,
      reasoning: false,
    });
  });

  it("continues a text and tokens", async () => {
    const ofText = await replyTo(tiny.engine, raw({ type: "text", text: "the water" }));
    // One for the beginning of the text, one for each letter and space.
    const usage = { promptTokens: 11, completionTokens: 24 };
    expect(ofText).toMatchObject({ finishReason: "length", usage });
    const ofTokens = await replyTo(tiny.engine, raw({ type: "tokens", tokens: [1, 2, 3] }));
    expect(ofTokens.usage.promptTokens).toBe(3);
  });

  it("fills in what belongs between two texts, and ends there", async () => {
    const filled = await replyTo(tiny.engine, raw({ type: "infill", prefix: "a ", suffix: " b" }));
    expect(filled).toMatchObject({ text: "=", finishReason: "stop" });
    const continued = await replyTo(tiny.engine, raw({ type: "text", text: "a " }));
    expect(continued.text).not.toBe("=");
  });

  it("gives several choices, and log probabilities", async () => {
    const infill: RawPrompt = { type: "infill", prefix: "a ", suffix: " b" };
    const reply = await replyTo(tiny.engine, raw(infill, { topLogprobs: 2 }));
    expect(reply.logprobs[0]).toMatchObject({ token: "=" });
    expect(reply.logprobs[0]?.top).toHaveLength(2);
  });

  it("refuses a conversation, and names what to use instead", async () => {
    await expect(tiny.engine.prepare(generationOf("Hi"), never())).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "messages",
      message: expect.stringContaining("/v1/completions") as string,
    });
  });

  it("refuses tokens that it does not have, and prompts that do not fit", async () => {
    const unknown = raw({ type: "tokens", tokens: [1, 1_000_000] });
    await expect(tiny.engine.prepare(unknown, never())).rejects.toMatchObject({ param: "prompt" });
    const long = raw({ type: "tokens", tokens: Array<number>(5_000).fill(5) });
    await expect(tiny.engine.prepare(long, never())).rejects.toMatchObject({
      code: "context_length_exceeded",
      param: "prompt",
    });
  });
});

describe("a chat model without such tokens", () => {
  let tiny: TinyEngine;
  beforeAll(async () => {
    tiny = startTinyEngine();
    await tiny.engine.ready();
  });
  afterAll(() => tiny.dispose());

  it("continues texts as well, and refuses a suffix", async () => {
    expect(tiny.engine.status("omega").follows).toMatchObject({ chat: true, infill: false });
    const reply = await replyTo(tiny.engine, raw({ type: "text", text: "<|im_start|>user\nthe water" }));
    expect(reply.usage.promptTokens).toBeGreaterThan(3);
    const infill = raw({ type: "infill", prefix: "a", suffix: "b" });
    await expect(tiny.engine.prepare(infill, never())).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "suffix",
    });
  });
});
