/** Raw prompts through an engine on the network: the requests it gets, and how its replies are translated. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RawPrompt } from "../../../src/core/chat/request.js";
import type { Generation } from "../../../src/core/serving/engine-port.js";
import type { ProfileName } from "../../../src/engines/upstream/profiles.js";
import type { UpstreamEngine } from "../../../src/engines/upstream/upstream-engine.js";
import { generationOf, never, replyTo } from "../../contract/engines/engine-contract.js";
import {
  event,
  openStream,
  startScriptedUpstream,
  vllmAnswers,
  type ChatScript,
  type ScriptedUpstream,
} from "../../support/engines/scripted-upstream.js";
import { connectUpstream } from "../../support/engines/upstream-engine.js";

const raw = (rawPrompt: RawPrompt, changes: Partial<Generation> = {}): Generation =>
  generationOf("", { messages: [], rawPrompt, ...changes });
const text = { type: "text", text: "Once" } as const;
const gap = { type: "infill", prefix: "a = ", suffix: "\nb" } as const;

const streams =
  (...events: object[]): ChatScript =>
  (response) => {
    openStream(response);
    for (const data of events) response.write(event(data));
    response.end("data: [DONE]\n\n");
  };

const chunk = (said: string, more: object = {}) => ({
  object: "text_completion",
  choices: [{ index: 0, text: said, finish_reason: null, ...more }],
});
const usage = { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } };
const says = streams(chunk(" upon"), chunk(" a"), chunk("", { finish_reason: "stop" }), usage);

describe("a raw prompt", () => {
  let upstream: ScriptedUpstream;
  const engines: UpstreamEngine[] = [];
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
  });
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await upstream.close();
  });
  beforeEach(() => {
    upstream.answers = { ...vllmAnswers(), "/v1/completions": says };
    upstream.questions.length = 0;
  });

  const connect = async (profile: ProfileName): Promise<UpstreamEngine> => {
    const engine = await connectUpstream({ url: upstream.url, profile, acceptSharedCache: true });
    engines.push(engine);
    return engine;
  };
  const askedAt = (path: string) => upstream.questions.filter((asked) => asked.path === path);

  it("is counted and continued by vLLM, with the account's salt", async () => {
    const engine = await connect("vllm");
    const generation = raw(text, { maxTokens: 9, stop: ["x"], topLogprobs: 0, choices: 1 });
    const reply = await replyTo(engine, generation);
    expect(reply).toMatchObject({
      text: " upon a",
      finishReason: "stop",
      usage: { promptTokens: 7, completionTokens: 2 },
    });
    expect(askedAt("/tokenize").at(-1)?.body).toEqual({
      model: "big-model",
      prompt: "Once",
      add_special_tokens: true,
    });
    expect(askedAt("/v1/completions")[0]?.body).toEqual({
      model: "big-model",
      prompt: "Once",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      temperature: 0,
      stop: ["x"],
      logprobs: 0,
      cache_salt: expect.any(String) as string,
    });
    await replyTo(engine, raw(text, { accountId: "acc_other" }));
    const salts = askedAt("/v1/completions").map(({ body }) => body.cache_salt);
    expect(new Set(salts).size).toBe(2);
  });

  it("of tokens is sent as they are, and needs no counting", async () => {
    const engine = await connect("sglang");
    const prepared = await engine.prepare(raw({ type: "tokens", tokens: [4, 5] }), never());
    expect(prepared.promptTokens).toBe(2);
    expect(askedAt("/tokenize")).toEqual([]);
    await replyTo(engine, raw({ type: "tokens", tokens: [4, 5] }));
    expect(askedAt("/v1/completions")[0]?.body).toMatchObject({ prompt: [4, 5] });
  });

  it("has log probabilities read from lists side by side", async () => {
    const lists = {
      tokens: [" upon"],
      token_logprobs: [-0.1],
      top_logprobs: [{ " on": -2, " upon": -0.1 }],
      text_offset: [0],
    };
    upstream.answers["/v1/completions"] = streams(
      chunk(" upon", { logprobs: lists }),
      chunk("", { finish_reason: "length" }),
      usage,
    );
    const reply = await replyTo(await connect("vllm"), raw(text, { topLogprobs: 2 }));
    expect(reply.logprobs).toMatchObject([
      { token: " upon", logprob: -0.1, top: [{ token: " upon" }, { token: " on", logprob: -2 }] },
    ]);
    expect(reply.finishReason).toBe("length");
  });

  it.each(["vllm", "sglang", "openai"] as const)("with a suffix is refused for %s", async (profile) => {
    const engine = await connect(profile);
    expect(engine.status().follows.infill).toBe(false);
    await expect(engine.prepare(raw(gap), never())).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "suffix",
    });
  });

  it("with a suffix is passed on to another Sotto that takes one", async () => {
    const listed = { id: "omega", object: "model", context_length: 1000, capabilities: { infill: true } };
    upstream.answers["/v1/models"] = { object: "list", data: [listed] };
    const engine = await connect("openai");
    expect(engine.status().follows.infill).toBe(true);
    await replyTo(engine, raw(gap));
    expect(askedAt("/v1/completions")[0]?.body).toMatchObject({ prompt: "a = ", suffix: "\nb" });
  });

  it("with a suffix is passed on to Ollama where its model inserts, and tokens are refused", async () => {
    upstream.answers = {
      ...upstream.answers,
      "/api/version": { version: "0.20.0" },
      "/api/show": { capabilities: ["completion", "insert"] },
      "/api/ps": { models: [] },
    };
    const engine = await connect("ollama");
    await replyTo(engine, raw(gap));
    expect(askedAt("/v1/completions")[0]?.body).toMatchObject({ prompt: "a = ", suffix: "\nb" });
    const tokens = raw({ type: "tokens", tokens: [1] });
    await expect(engine.prepare(tokens, never())).rejects.toMatchObject({ param: "prompt" });
  });

  describe("of llama-server", () => {
    beforeEach(() => {
      upstream.answers = {
        ...upstream.answers,
        "/props": { default_generation_settings: { n_ctx: 1000 }, total_slots: 4 },
        "/tokenize": { tokens: [1, 2, 3] },
        "/infill": (response, asked) => {
          if (asked.body.input_prefix === undefined) response.writeHead(400).end();
          else infills(response, asked);
        },
      };
    });
    const infills = streams(
      {
        index: 0,
        content: "1",
        stop: false,
        completion_probabilities: [{ token: "1", logprob: -0.2, bytes: [49], top_logprobs: [] }],
      },
      {
        index: 0,
        content: "",
        stop: true,
        stop_type: "eos",
        stopping_word: "",
        tokens_evaluated: 9,
        tokens_predicted: 1,
        prompt: "a = ",
      },
    );

    it("is counted without a template, and never cached", async () => {
      const engine = await connect("llama-server");
      expect((await engine.prepare(raw(text), never())).promptTokens).toBe(3);
      expect(askedAt("/apply-template")).toEqual([]);
      expect(askedAt("/tokenize")[0]?.body).toEqual({
        content: "Once",
        add_special: true,
        parse_special: true,
      });
      await replyTo(engine, raw(text));
      expect(askedAt("/v1/completions")[0]?.body).toMatchObject({ prompt: "Once", cache_prompt: false });
    });

    it("with a suffix goes to its own endpoint, whose events are read", async () => {
      const engine = await connect("llama-server");
      expect(engine.status().follows.infill).toBe(true);
      const reply = await replyTo(engine, raw(gap, { topLogprobs: 0 }));
      expect(reply).toMatchObject({
        text: "1",
        finishReason: "stop",
        usage: { promptTokens: 9, completionTokens: 1 },
        logprobs: [{ token: "1", logprob: -0.2 }],
      });
      expect(askedAt("/infill").at(-1)?.body).toMatchObject({
        input_prefix: "a = ",
        input_suffix: "\nb",
        cache_prompt: false,
        logprobs: 1,
      });
    });

    it("with a suffix is refused where its model has no tokens for it", async () => {
      upstream.answers["/infill"] = 501;
      const engine = await connect("llama-server");
      expect(engine.status().follows.infill).toBe(false);
      await expect(engine.prepare(raw(gap), never())).rejects.toMatchObject({ param: "suffix" });
    });
  });

  it("that its engine refuses is an error that names the field", async () => {
    upstream.answers["/v1/completions"] = 400;
    const engine = await connect("vllm");
    const refused = replyTo(engine, raw({ type: "tokens", tokens: [99_999_999] }));
    await expect(refused).rejects.toMatchObject({ code: "invalid_value", param: "prompt" });
  });
});
