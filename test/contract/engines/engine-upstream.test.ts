import { describe, expect, it } from "vitest";
import { CallingEngine } from "../../support/engines/calling-engine.js";
import { serveAsUpstream } from "../../support/engines/engine-as-upstream.js";
import { startTinyEngine } from "../../support/engines/tiny-engine.js";
import { connectUpstream } from "../../support/engines/upstream-engine.js";
import { describeEngineContract, generationOf, never, replyTo } from "./engine-contract.js";
import { describeToolContract, eventsOf, saidIn, usageIn } from "./engine-tools-contract.js";

describeEngineContract("An upstream engine", async () => {
  const tiny = startTinyEngine();
  await tiny.engine.ready();
  const upstream = await serveAsUpstream(tiny.engine);
  const engine = await connectUpstream({ url: upstream.url, key: upstream.key, maxConcurrent: 4 });
  return {
    engine,
    dispose: async () => {
      await engine.close();
      await upstream.close();
      await tiny.dispose();
    },
  };
});

const serveCalls = async (profile: "vllm" | "openai") => {
  const upstream = await serveAsUpstream(new CallingEngine());
  const engine = await connectUpstream({
    url: profile === "vllm" ? upstream.url : upstream.sottoUrl,
    key: upstream.key,
    profile,
    acceptSharedCache: true,
  });
  const dispose = async () => {
    await engine.close();
    await upstream.close();
  };
  return { engine, dispose };
};

describeToolContract("An upstream engine", () => serveCalls("vllm"));

describe("another Sotto as an engine", () => {
  it("thinks and calls through both", async () => {
    const { engine, dispose } = await serveCalls("openai");
    const parameters = { type: "object", properties: { city: { enum: ["Rome"] } } };
    const tool = { name: "weather", description: undefined, parameters, strict: false };
    const tooling = { tools: [tool], choice: "required", parallel: true } as const;
    const events = await eventsOf(engine, generationOf("Hi", { tooling }));
    expect(saidIn(events)).toMatchObject({
      text: "",
      reasoning: "I must call.",
      calls: [{ id: "call_0_0", name: "weather", arguments: '{"city":"Rome"}' }],
      finishReason: "tool_calls",
    });
    expect(usageIn(events)).toMatchObject({ completionTokens: 8, reasoningTokens: 3 });
    const silent = await eventsOf(engine, generationOf("Hi", { tooling, reasoningEffort: "none" }));
    expect(saidIn(silent)).toMatchObject({ reasoning: "", calls: [{ name: "weather" }] });
    await dispose();
  });

  it("answers under our name for the model, counts usage, and reports a prompt that is too long", async () => {
    const tiny = startTinyEngine();
    await tiny.engine.ready();
    const served = await serveAsUpstream(tiny.engine);
    const engine = await connectUpstream({
      url: served.sottoUrl,
      key: served.key,
      profile: "openai",
      acceptSharedCache: true,
    });
    const generation = generationOf("Say something.");
    const direct = await replyTo(tiny.engine, generation);
    const through = await replyTo(engine, generation);
    expect(through.text).toBe(direct.text);
    expect(through.usage).toEqual({ ...direct.usage, cachedTokens: through.usage.cachedTokens });
    // Nobody counts beforehand: what is reserved is an estimate.
    expect((await engine.prepare(generation, never())).promptTokens).not.toBe(direct.usage.promptTokens);
    const long = generationOf("word ".repeat(tiny.engine.status("omega").contextTokens));
    await expect(replyTo(engine, long)).rejects.toMatchObject({ code: "context_length_exceeded" });
    await engine.close();
    await served.close();
    await tiny.dispose();
  });
});
