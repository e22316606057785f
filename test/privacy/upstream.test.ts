/** What reaches an engine on the network, and what of its answers goes on. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp } from "../../src/app/app.js";
import { loadConfig } from "../../src/config.js";
import { createKey } from "../../src/core/keys/issue-keys.js";
import { systemClock } from "../../src/core/clock.js";
import { UpstreamEngine } from "../../src/engines/upstream/upstream-engine.js";
import type { ProfileName } from "../../src/engines/upstream/profiles.js";
import { createLog } from "../../src/log.js";
import { generationOf, greedy, never, replyTo } from "../contract/engines/engine-contract.js";
import { postChat } from "../support/clients/post-chat.js";
import {
  answers,
  chunk,
  event,
  sends,
  speaks,
  startScriptedUpstream,
  usageChunk,
  type ScriptedUpstream,
} from "../support/engines/scripted-upstream.js";
import { dataUrl, pngWith } from "../support/inputs/images.js";
import { newDataDir } from "../support/processes/sotto-process.js";
import { cacheSaltSecret, connectUpstream } from "../support/engines/upstream-engine.js";

describe("a request to an engine on the network", () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
  });
  afterAll(() => upstream.close());

  const bodyFor = async (profile: ProfileName, changes: Parameters<typeof generationOf>[1] = {}) => {
    const engine = await connectUpstream({
      url: upstream.url,
      profile,
      acceptSharedCache: true,
      name: "big-model",
    });
    await replyTo(engine, generationOf("Hi", changes));
    await engine.close();
    return upstream.chats.at(-1)?.body ?? {};
  };

  it.each(["vllm", "sglang"] as const)("carries a salt of the account to %s", async (profile) => {
    const first = await bodyFor(profile, { accountId: "acc_a" });
    const again = await bodyFor(profile, { accountId: "acc_a" });
    const other = await bodyFor(profile, { accountId: "acc_b" });
    expect(first.cache_salt).toMatch(/^[\w-]{43}$/);
    expect(again.cache_salt).toBe(first.cache_salt);
    expect(other.cache_salt).not.toBe(first.cache_salt);
    expect(JSON.stringify(first)).not.toContain("acc_a");
  });

  it("carries another salt from a server with another secret", async () => {
    const engine = await connectUpstream({
      url: upstream.url,
      cacheSaltSecret: "another secret of the tests",
    });
    await replyTo(engine, generationOf("Hi", { accountId: "acc_a" }));
    await engine.close();
    const elsewhere = upstream.chats.at(-1)?.body.cache_salt;
    expect(elsewhere).not.toBe((await bodyFor("vllm", { accountId: "acc_a" })).cache_salt);
  });

  it("switches llama-server's prompt cache off", async () => {
    const body = await bodyFor("llama-server");
    expect(body.cache_prompt).toBe(false);
    expect(body).not.toHaveProperty("cache_salt");
  });

  it("carries a grammar of ours to llama-server, and no schema", async () => {
    const schema = { type: "object", properties: { a: { const: 1 } }, required: ["a"] };
    const body = await bodyFor("llama-server", { format: { type: "json_schema", name: "answer", schema } });
    expect(body.grammar).toMatch(/^root ::= /);
    expect(Object.keys(body).sort()).toEqual(
      [
        ...["cache_prompt", "grammar", "max_tokens", "messages", "model", "reasoning_format", "stream"],
        ...["stream_options", "temperature"],
      ].sort(),
    );
  });

  it.each(["ollama", "openai"] as const)(
    "goes to %s only where a shared cache was accepted",
    async (profile) => {
      const options = { url: upstream.url, profile, models: {}, cacheSaltSecret };
      expect(() => new UpstreamEngine(options)).toThrow("--accept-shared-cache");
      const engine = new UpstreamEngine({ ...options, acceptSharedCache: true });
      await engine.close();
    },
  );

  it("has the fields of the contract and no others", async () => {
    const all = await bodyFor("vllm", {
      sampling: {
        ...greedy,
        topP: 0,
        topPGiven: true,
        frequencyPenalty: 1,
        presencePenalty: -1,
        seed: 5,
        logitBias: [[7, -100]],
      },
      stop: ["END"],
      topLogprobs: 2,
      format: { type: "json_schema", name: "answer", schema: { type: "object" } },
    });
    expect(all).toEqual({
      model: "big-model",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 24,
      temperature: 0,
      top_p: 1e-6,
      frequency_penalty: 1,
      presence_penalty: -1,
      logit_bias: { "7": -100 },
      seed: 5,
      stop: ["END"],
      logprobs: true,
      top_logprobs: 2,
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: { type: "object" }, strict: true },
      },
      cache_salt: expect.any(String) as string,
    });
    expect(Object.keys(await bodyFor("ollama")).sort()).toEqual(
      ["max_tokens", "messages", "model", "stream", "stream_options", "temperature"].sort(),
    );
  });

  it("is not sent if the engine would ignore one of its parameters", async () => {
    const engine = await connectUpstream({ url: upstream.url, profile: "ollama", acceptSharedCache: true });
    const biased = generationOf("Hi", { sampling: { ...greedy, logitBias: [[1, 1]] } });
    await expect(engine.prepare(biased, never())).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "logit_bias",
    });
    await engine.close();
  });
});

describe("a whole service in front of an engine on the network", () => {
  const canary = "canary-a81c";
  let upstream: ScriptedUpstream;
  let close: () => Promise<void>;
  let ask: (body: object) => Promise<{ status: number; text: string }>;
  const logged: string[] = [];
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    const engine = await connectUpstream({ url: upstream.url });
    const config = loadConfig({ env: { SOTTO_DATA_DIR: newDataDir(), SOTTO_PORT: "0" } });
    const log = createLog("trace", { write: (line) => void logged.push(line) });
    const app = await startApp(config, { engine, log });
    const account = await app.store.createAccount({
      email: "ada@example.com",
      passwordHash: null,
      role: "user",
      planId: "free",
    });
    const { text: key } = await createKey(app.store, systemClock, account, {
      name: "test",
      models: null,
      operations: null,
      expiresAt: null,
    });
    ask = async (body) => {
      const response = await postChat(app.url, key, body);
      return { status: response.status, text: await response.text() };
    };
    close = async () => {
      await app.close();
      await upstream.close();
    };
  });
  afterAll(() => close());

  it("forwards no cache salt of the client, nor anything else it added", async () => {
    upstream.chat = speaks("Hello");
    const { status } = await ask({
      cache_salt: canary,
      user: canary,
      cache_prompt: true,
      metadata: { canary },
    });
    expect(status).toBe(200);
    const sent = upstream.chats.at(-1)?.body;
    expect(sent?.cache_salt).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(sent)).not.toContain(canary);
    expect(sent).not.toHaveProperty("cache_prompt");
  });

  it.each([
    ["a refusal", answers(400, JSON.stringify({ error: { message: canary } })), 500],
    ["a context error", answers(400, `maximum context length: ${canary}`), 400],
    ["overload", answers(503, canary, { "retry-after": "9" }), 503],
    ["a failure", answers(500, canary), 503],
    ["an error in band", sends(event({ error: { message: canary } })), 503],
    ["garbage", sends(`data: ${canary}\n\n`), 503],
    ["a redirect", answers(302, canary, { location: `http://${canary}/` }), 503],
  ])("lets nothing of %s reach client or log", async (_, script, expected) => {
    upstream.chat = script;
    for (const stream of [false, true]) {
      const { status, text } = await ask({ stream });
      expect(status).toBe(expected);
      expect(text).not.toContain(canary);
    }
    expect(logged.join("")).not.toContain(canary);
  });

  it("passes on an image, and logs nothing of it", async () => {
    const url = dataUrl(pngWith(canary));
    const content = [{ type: "image_url", image_url: { url } }];
    const messages = [{ role: "user", content }];
    upstream.chat = speaks("Hello");
    expect((await ask({ messages })).status).toBe(200);
    expect(upstream.chats.at(-1)?.body.messages).toEqual(messages);
    upstream.chat = answers(400, JSON.stringify({ error: { message: canary + url } }));
    const { status, text } = await ask({ messages });
    expect(status).toBe(400);
    expect(text).not.toContain(canary);
    const inBase64 = url.slice(-12);
    expect(text).not.toContain(inBase64);
    expect(logged.join("")).not.toContain(canary);
    expect(logged.join("")).not.toContain(inBase64);
  });

  describe("with tools", () => {
    const parameters = { type: "object", properties: { [canary]: { const: canary } } };
    const tools = [{ type: "function", function: { name: canary, description: canary, parameters } }];
    const call = { id: `call_${canary}`, type: "function", function: { name: canary, arguments: canary } };
    const messages = [
      { role: "user", content: canary },
      { role: "assistant", content: null, reasoning_content: canary, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: canary },
    ];
    const callsWith = (name: string, args: string) =>
      sends(
        event(chunk({ role: "assistant", reasoning_content: canary })),
        event(chunk({ tool_calls: [{ index: 0, id: "call_1", function: { name, arguments: args } }] })),
        event(chunk({}, "tool_calls")),
        event(usageChunk(7, 3)),
        event("[DONE]"),
      );

    it("passes on calls, results and reasoning, and logs none of them", async () => {
      upstream.chat = callsWith(canary, JSON.stringify({ [canary]: canary }));
      const linesBefore = logged.length;
      for (const stream of [false, true]) {
        const { status, text } = await ask({ messages, tools, tool_choice: "required", stream });
        expect(status).toBe(200);
        expect(text).toContain(canary);
        expect(upstream.chats.at(-1)?.body).toMatchObject({ tools, messages: [{ content: canary }, {}, {}] });
      }
      expect(logged.length).toBeGreaterThan(linesBefore);
      expect(logged.join("")).not.toContain(canary);
    });

    it.each([
      ["a refusal", answers(400, JSON.stringify({ error: { message: canary, param: canary } })), 400],
      ["arguments that are no JSON", callsWith(canary, `{${canary}`), 503],
    ])("lets nothing of %s reach client or log", async (_, script, expected) => {
      upstream.chat = script;
      const { status, text } = await ask({ messages, tools });
      expect(status).toBe(expected);
      expect(text).not.toContain(canary);
      expect(logged.join("")).not.toContain(canary);
    });
  });
});
