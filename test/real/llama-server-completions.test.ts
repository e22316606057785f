/** Raw prompts on a real llama-server: its own shapes, which only it can show. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RawPrompt } from "../../src/core/chat/request.js";
import type { Generation } from "../../src/core/serving/engine-port.js";
import type { UpstreamEngine } from "../../src/engines/upstream/upstream-engine.js";
import { generationOf, never, replyTo } from "../contract/engines/engine-contract.js";
import { connectUpstream } from "../support/engines/upstream-engine.js";
import type { TinyModel } from "../support/engines/tiny-gguf.js";
import { startLlamaServer, type LlamaServer } from "./llama-server.js";

const raw = (rawPrompt: RawPrompt, changes: Partial<Generation> = {}): Generation =>
  generationOf("", { messages: [], rawPrompt, ...changes });
const gap: RawPrompt = { type: "infill", prefix: "a ", suffix: " b" };

/** A server with this model, for the tests of one block. */
function useServer(model: TinyModel): () => UpstreamEngine {
  let server: LlamaServer;
  let engine: UpstreamEngine;
  beforeAll(async () => {
    server = await startLlamaServer({ model });
    engine = await connectUpstream({ url: server.url, profile: "llama-server" });
  });
  afterAll(async () => {
    await engine.close();
    await server.close();
  });
  return () => engine;
}

describe("a llama-server whose model fills in", () => {
  const engine = useServer({ infill: "with-middle" });

  it("does so by its own endpoint, and says what it used", async () => {
    expect(engine().status().follows.infill).toBe(true);
    const reply = await replyTo(engine(), raw(gap, { topLogprobs: 2 }));
    expect(reply).toMatchObject({ text: "=", finishReason: "stop" });
    expect(reply.usage.promptTokens).toBeGreaterThan(4);
    expect(reply.logprobs[0]).toMatchObject({ token: "=" });
    expect(reply.logprobs[0]?.top).toHaveLength(2);
  });

  it("continues a text as it was counted, and tokens", async () => {
    const text = raw({ type: "text", text: "the water" });
    const { promptTokens } = await engine().prepare(text, never());
    const reply = await replyTo(engine(), text);
    expect(reply).toMatchObject({ finishReason: "length", usage: { promptTokens, completionTokens: 24 } });
    const ofTokens = await replyTo(
      engine(),
      raw({ type: "tokens", tokens: [1, 300, 301] }, { topLogprobs: 1 }),
    );
    expect(ofTokens.usage.promptTokens).toBe(3);
    expect(ofTokens.logprobs).toHaveLength(24);
  });
});

describe("a llama-server whose model does not", () => {
  const engine = useServer({});

  it("is known not to, and the suffix is refused", async () => {
    expect(engine().status().follows.infill).toBe(false);
    await expect(engine().prepare(raw(gap), never())).rejects.toMatchObject({ param: "suffix" });
  });
});
