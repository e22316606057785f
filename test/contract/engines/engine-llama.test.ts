import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config.js";
import type { ChatMessage } from "../../../src/core/chat/request.js";
import { eventually } from "../../support/eventually.js";
import { testDefaults } from "../../support/engines/model-defaults.js";
import { startTinyEngine, type TinyEngine } from "../../support/engines/tiny-engine.js";
import {
  describeEngineContract,
  drain,
  generationOf,
  greedy,
  never,
  replyTo,
  startReply,
  type Reply,
} from "./engine-contract.js";

const defaults = loadConfig({ env: {} });

describeEngineContract("The embedded engine", async () => {
  const tiny = startTinyEngine();
  await tiny.engine.ready();
  return tiny;
});

describe("the embedded engine", () => {
  let tiny: TinyEngine;
  beforeAll(async () => {
    const config = { ...defaults.engine, sequences: 9, contextTokens: 2048, prefillChunkTokens: 16 };
    const models = {
      omega: { ...testDefaults, maxTokens: 12, repeatPenalty: 1 },
      prism: { ...testDefaults, systemPrompt: "Be brief." },
    };
    tiny = startTinyEngine({}, { config, models });
    await tiny.engine.ready();
  });
  afterAll(() => tiny.dispose());

  it("reports the loaded model", () => {
    expect(tiny.events).toMatchObject([{ type: "loaded", sequences: 9, contextTokens: 2048, threads: 1 }]);
    expect(tiny.engine.status("omega")).toMatchObject({ serving: "tiny.gguf", capacity: 9, restarts: 0 });
  });

  /** The smallest lead that any token of a greedy reply had over the next. */
  const smallestLead = ({ logprobs }: Reply) =>
    Math.min(...logprobs.map(({ top }) => (top[0]?.logprob ?? 0) - (top[1]?.logprob ?? -Infinity)));

  it("generates the same reply beside eight others as alone, unless two tokens tie", async () => {
    const prompts = ["the sea", "a hill", "old clocks", "bread", "rain", "two friends", "a train", "tea"];
    let compared = 0;
    for (const [round, prompt] of prompts.entries()) {
      const generation = generationOf(`Tell me of ${prompt}.`, { maxTokens: 40, topLogprobs: 2 });
      const alone = await replyTo(tiny.engine, { ...generation, accountId: `alone ${round}` });
      // Batches of another shape round differently, in the fourth decimal: only a tie can turn on that.
      if (smallestLead(alone) < 0.02) continue;
      compared += 1;
      const others = Array.from({ length: 8 }, (_, index) =>
        replyTo(
          tiny.engine,
          generationOf(`${"x".repeat(40 * index)} number ${index}`, {
            maxTokens: 80 - 5 * index,
            sampling: { ...greedy, temperature: index % 2, seed: index },
          }),
        ),
      );
      const beside = await replyTo(tiny.engine, { ...generation, accountId: `beside ${round}` });
      expect(beside.text).toBe(alone.text);
      await Promise.all(others);
    }
    expect(compared).toBeGreaterThanOrEqual(2);
  });

  it("frees the sequence of an aborted request during prefill", async () => {
    const running = new AbortController();
    const besides = await startReply(tiny.engine, generationOf("Talk.", { maxTokens: 1900 }), running.signal);
    const reading = new AbortController();
    const prepared = await tiny.engine.prepare(generationOf("a".repeat(1900)), never());
    const events = tiny.engine.generate(prepared, reading.signal)[Symbol.asyncIterator]();
    const refused = expect(events.next()).rejects.toThrow("hung up");
    await eventually(() => tiny.engine.status("omega").active === 2);
    reading.abort(new Error("hung up"));
    await refused;
    await eventually(() => tiny.engine.status("omega").active === 1);
    running.abort(new Error("enough"));
    await expect(drain(besides.events)).rejects.toThrow("enough");
    await eventually(() => tiny.engine.status("omega").active === 0);
  });

  it("refuses more choices than it can run", async () => {
    const choices = tiny.engine.status("omega").capacity + 1;
    await expect(replyTo(tiny.engine, generationOf("Hello", { choices }))).rejects.toMatchObject({
      code: "invalid_value",
      param: "n",
    });
  });

  it("uses the model's cap when a request has none", async () => {
    const { maxTokens } = await tiny.engine.prepare(generationOf("Hi", { maxTokens: undefined }), never());
    expect(maxTokens).toBe(12);
  });

  it("puts the model's system message first, and counts it, when a request has none", async () => {
    const tokens = async (model: "omega" | "prism", messages: ChatMessage[]) =>
      (await tiny.engine.prepare(generationOf("", { model, messages }), never())).promptTokens;
    const hello: ChatMessage = { role: "user", content: "Hello" };
    const system: ChatMessage = { role: "system", content: "Be brief." };
    expect(await tokens("prism", [hello])).toBe(await tokens("omega", [system, hello]));
    expect(await tokens("prism", [system, hello])).toBe(await tokens("omega", [system, hello]));
    expect(await tokens("omega", [hello])).toBeLessThan(await tokens("prism", [hello]));
  });

  it("weighs repeated tokens as the request's penalties say", async () => {
    const repeats = async (frequencyPenalty: number) => {
      const sampling = { ...greedy, frequencyPenalty };
      const { text } = await replyTo(tiny.engine, generationOf("Go.", { sampling, maxTokens: 100 }));
      const words = text.trim().split(" ");
      return words.length - new Set(words).size;
    };
    const [negative, none, positive] = [await repeats(-2), await repeats(0), await repeats(2)];
    expect(positive).toBeLessThan(none);
    expect(none).toBeLessThan(negative);
  });

  it("refuses models that it does not serve", async () => {
    const lambda = generationOf("Hi", { model: "lambda" });
    await expect(tiny.engine.prepare(lambda, never())).rejects.toMatchObject({ code: "model_not_found" });
  });
});

describe("the embedded engine, on a model that speaks in many bytes", () => {
  let tiny: TinyEngine;
  beforeAll(async () => {
    tiny = startTinyEngine({ says: "multibyte" });
    await tiny.engine.ready();
  });
  afterAll(() => tiny.dispose());

  const generation = generationOf("你好 😀", { maxTokens: 120 });

  it("never splits a character", async () => {
    const { fragments, text } = await replyTo(tiny.engine, generation);
    expect(text).toMatch(/\p{Script=Han}/u);
    expect(text).toMatch(/\p{Emoji_Presentation}/u);
    for (const fragment of fragments) {
      expect(Buffer.from(fragment).toString()).toBe(fragment);
      expect(fragment).not.toContain("\uFFFD");
    }
  });

  it("cuts at a stop sequence of such characters", async () => {
    const { text } = await replyTo(tiny.engine, generation);
    const stop = /\p{Script=Han}\P{ASCII}/u.exec(text.slice(10))?.[0] ?? "";
    const reply = await replyTo(tiny.engine, { ...generation, stop: ["\0", stop] });
    const { text: cut, finishReason, stopSequence } = reply;
    expect(stop).not.toBe("");
    expect(cut).toBe(text.slice(0, text.indexOf(stop)));
    expect(finishReason).toBe("stop");
    expect(stopSequence).toBe(stop);
  });
});

describe("the embedded engine, on a model that ends its replies", () => {
  it("finishes with the end of the turn, which is neither shown nor counted", async () => {
    const [endless, ending] = [startTinyEngine(), startTinyEngine({ ends: true })];
    const generation = generationOf("Hello there", { maxTokens: 100 });
    const { text, finishReason, usage } = await replyTo(ending.engine, generation);
    expect(finishReason).toBe("stop");
    const { completionTokens } = usage;
    expect(completionTokens).toBeLessThan(100);
    // The two models differ in nothing but the end.
    const cut = await replyTo(endless.engine, { ...generation, maxTokens: completionTokens });
    expect(text).toBe(cut.text);
    await Promise.all([endless.dispose(), ending.dispose()]);
  });
});
