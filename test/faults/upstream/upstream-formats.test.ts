import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/serving/engine-port.js";
import type { ProfileName } from "../../../src/engines/upstream/profiles.js";
import { generationOf, greedy, never, replyTo, startReply } from "../../contract/engines/engine-contract.js";
import { eachOf } from "../../support/engines/each-of.js";
import {
  chunk,
  event,
  type ScriptedUpstream,
  sends,
  startScriptedUpstream,
  usageChunk,
  vllmAnswers,
} from "../../support/engines/scripted-upstream.js";
import { connectUpstream } from "../../support/engines/upstream-engine.js";
import { eventually } from "../../support/eventually.js";

const fixture = (name: string): Buffer => readFileSync(`test/fixtures/upstream/${name}.sse`);

/** What each kind of engine reports about itself. */
const reports: Record<ProfileName, ScriptedUpstream["answers"]> = {
  vllm: vllmAnswers(),
  sglang: {
    "/health": 200,
    "/v1/models": { data: [{ id: "default", max_model_len: 2000 }] },
    "/tokenize": { tokens: [1, 2, 3], count: 3, max_model_len: 2000 },
  },
  "llama-server": {
    "/health": { status: "ok" },
    "/v1/models": { data: [{ id: "tiny.gguf", meta: { n_vocab: 525, n_ctx: 512, n_ctx_train: 9999 } }] },
    "/props": { default_generation_settings: { n_ctx: 512 }, total_slots: 16, build_info: "b1-de3ff81" },
    "/apply-template": { prompt: "<|im_start|>user\nHi" },
    "/tokenize": { tokens: [1, 2, 3, 4, 5] },
  },
  ollama: {
    "/api/version": { version: "0.20.0" },
    "/v1/models": { data: [{ id: "llama3.2" }] },
    "/api/ps": { models: [{ name: "llama3.2", model: "llama3.2", context_length: 4096 }] },
  },
  openai: { "/v1/models": { data: [{ id: "omega" }, { id: "prism" }] } },
};

describe("engines of each kind", () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
  });
  afterAll(() => upstream.close());

  const connect = (profile: ProfileName) => {
    upstream.answers = reports[profile];
    return connectUpstream({ url: upstream.url, profile, acceptSharedCache: true });
  };

  it.each([
    ["vllm", "stop", 8],
    ["sglang", "stop", 0],
    ["llama-server", "length", 0],
    ["ollama", "stop", 0],
  ] as const)("%s is read right, also a byte at a time", async (profile, finishReason, cachedTokens) => {
    const engine = await connect(profile);
    const bytes = fixture(profile);
    const torn = Array.from(bytes, (byte) => Buffer.of(byte));
    for (const parts of [[bytes], torn, [Buffer.from(bytes.toString().replaceAll("\n", "\r\n"))]]) {
      upstream.chat = sends(...parts);
      expect(await replyTo(engine, generationOf("Hi"))).toMatchObject({
        fragments: ["The", " sea 🌊"],
        text: "The sea 🌊",
        finishReason,
        usage: { promptTokens: 12, completionTokens: 3, cachedTokens },
      });
    }
    await engine.close();
  });

  it.each([
    ["vllm", { contextTokens: 1000, capacity: 128 }, "big-model", 7],
    ["sglang", { contextTokens: 2000, capacity: 128 }, "default", 3],
    ["llama-server", { contextTokens: 512, capacity: 16 }, "tiny.gguf", 5],
    ["ollama", { contextTokens: 4096, capacity: 4 }, "llama3.2", 9],
    ["openai", { contextTokens: 0, capacity: 64 }, "omega", 9],
  ] as const)(
    "%s reports its context, its name for the model and the count of a prompt",
    async (profile, status, model, promptTokens) => {
      const engine = await connect(profile);
      expect(engine.status()).toMatchObject({ state: "ready", ...status });
      expect((await engine.prepare(generationOf("Hi"), never())).promptTokens).toBe(promptTokens);
      upstream.chat = sends(fixture("vllm"));
      await replyTo(engine, generationOf("Hi"));
      expect(upstream.chats.at(-1)?.body.model).toBe(model);
      await engine.close();
    },
  );

  it("reports its context in a list of models of any kind", async () => {
    for (const listed of [
      { max_model_len: 300 },
      { meta: { n_ctx: 300, n_ctx_train: 9999 } },
      { context_length: 300 },
    ]) {
      upstream.answers = { "/v1/models": { data: [{ id: "other" }, { id: "mine", ...listed }] } };
      const options = { url: upstream.url, profile: "openai", acceptSharedCache: true } as const;
      const named = await connectUpstream({ ...options, name: "mine" });
      expect(named.status().contextTokens).toBe(300);
      await named.close();
      const said = await connectUpstream({ ...options, name: "other", contextTokens: 200 });
      expect(said.status().contextTokens).toBe(200);
      await said.close();
    }
  });

  it("has a prompt estimated if it does not count in time, and is not asked again immediately", async () => {
    const engine = await connect("vllm");
    upstream.answers = { ...vllmAnswers(), "/tokenize": 500 };
    upstream.questions.length = 0;
    const { promptTokens, maxTokens } = await engine.prepare(generationOf("x".repeat(300)), never());
    expect(promptTokens).toBe(108);
    expect(maxTokens).toBe(24);
    await engine.prepare(generationOf("Hi"), never());
    expect(upstream.questions.filter(({ path }) => path === "/tokenize")).toHaveLength(1);
    await engine.close();
  });

  it("reports how many requests wait there, of whichever of its engines", async () => {
    upstream.answers = {
      ...vllmAnswers(),
      "/metrics": [
        "# TYPE vllm:num_requests_waiting gauge",
        'vllm:num_requests_waiting{engine="0",model_name="big-model"} 3.0',
        'vllm:num_requests_waiting{engine="1",model_name="big-model"} 2.0',
        'vllm:num_requests_waiting_by_reason{reason="capacity"} 9.0',
      ].join("\n"),
    };
    const engine = await connectUpstream({ url: upstream.url });
    expect(engine.waiting()).toBe(5);
    await engine.close();
  });

  it("is found by its name, which every connection looks up again", async () => {
    upstream.answers = vllmAnswers();
    const engine = await connectUpstream({ url: `http://localhost:${upstream.port}/v1` });
    upstream.chat = sends(fixture("vllm"));
    expect((await replyTo(engine, generationOf("Hi"))).text).toBe("The sea 🌊");
    await engine.close();
  });

  it("puts the model's system message first when a conversation has none", async () => {
    upstream.answers = vllmAnswers();
    const models = { omega: { systemPrompt: "Be brief.", maxTokens: 50 } };
    const engine = await connectUpstream({ url: upstream.url, models });
    upstream.chat = sends(fixture("vllm"));
    await replyTo(engine, generationOf("Hi", { maxTokens: undefined }));
    const system = { role: "system", content: "Be brief." };
    const user = { role: "user", content: "Hi" };
    const expected = { messages: [system, user], max_tokens: 50 };
    expect(upstream.chats.at(-1)?.body).toMatchObject(expected);
    expect(upstream.questions.filter(({ path }) => path === "/tokenize").at(-1)?.body).toMatchObject({
      messages: [system, user],
    });
    await engine.close();
  });

  it("gives log probabilities, no more alternatives than asked for, and none that a stop sequence hides", async () => {
    const engine = await connect("vllm");
    upstream.chat = sends(fixture("vllm"));
    const events = await eventsOf(engine, generationOf("Hi", { topLogprobs: 1 }));
    expect(events[0]).toEqual({
      type: "text",
      choice: 0,
      text: "The",
      logprobs: [
        {
          token: "The",
          logprob: -0.25,
          bytes: [84, 104, 101],
          top: [{ token: "The", logprob: -0.25, bytes: [84, 104, 101] }],
        },
      ],
    });
    upstream.chat = sends(fixture("vllm"));
    const cut = await eventsOf(engine, generationOf("Hi", { topLogprobs: 1, stop: ["e sea"] }));
    expect(cut).toMatchObject([{ type: "text", text: "Th" }, { type: "finished" }, { type: "done" }]);
    // The sequence itself is named where the reply ended.
    expect(JSON.stringify(cut.filter(({ type }) => type !== "finished"))).not.toContain("sea");
    await engine.close();
  });

  it("gives several choices in one request where it can", async () => {
    const engine = await connect("vllm");
    upstream.chats.length = 0;
    upstream.chat = sends(
      event(chunk({ content: "a" }, null, 1)),
      event(chunk({ content: "b" }, "stop", 0)),
      event(chunk({}, "length", 1)),
      event(usageChunk(7, 2)),
      event("[DONE]"),
    );
    expect(await eventsOf(engine, generationOf("Hi", { choices: 2 }))).toEqual([
      { type: "text", choice: 1, text: "a" },
      { type: "text", choice: 0, text: "b" },
      { type: "finished", choice: 0, finishReason: "stop" },
      { type: "finished", choice: 1, finishReason: "length" },
      { type: "done", usage: { promptTokens: 7, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0 } },
    ]);
    expect(upstream.chats.map(({ body }) => body.n)).toEqual([2]);
    await engine.close();
  });

  it("is unavailable when one of several choices is missing", async () => {
    const engine = await connect("vllm");
    upstream.chat = sends(event(chunk({ content: "b" }, "stop", 0)), event("[DONE]"));
    await expect(eventsOf(engine, generationOf("Hi", { choices: 2 }))).rejects.toMatchObject({
      code: "engine_unavailable",
    });
    await engine.close();
  });

  it("gives several choices by as many requests where it cannot, each with a seed of its own", async () => {
    const engine = await connect("llama-server");
    upstream.chats.length = 0;
    upstream.chat = sends(fixture("llama-server"));
    const generation = generationOf("Hi", { choices: 3, sampling: { ...greedy, seed: 40 } });
    const events = await eventsOf(engine, generation);
    for (const choice of [0, 1, 2]) {
      const own = events.filter((item) => item.type !== "done" && item.choice === choice);
      expect(own.map(({ type }) => type)).toEqual(["text", "text", "finished"]);
    }
    expect(events.at(-1)).toEqual({
      type: "done",
      usage: { promptTokens: 12, completionTokens: 9, cachedTokens: 0, reasoningTokens: 0 },
    });
    expect(upstream.chats.map(({ body }) => body.seed).sort()).toEqual([40, 41, 42]);
    expect(upstream.chats.every(({ body }) => !("n" in body))).toBe(true);
    await engine.close();
  });

  it("closes all requests of several choices when reading stops", async () => {
    const engine = await connect("llama-server");
    upstream.chat = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(event(chunk({ content: "a" })));
    };
    const controller = new AbortController();
    await startReply(engine, generationOf("Hi", { choices: 3 }), controller.signal);
    // What they still say fails for nobody: a rejection that is not handled would end the process.
    controller.abort(new Error("hung up"));
    await eventually(() => engine.status().active === 0 && upstream.open === 0);
    await engine.close();
  });

  it("refuses a bias for an unknown token, which llama-server would ignore", async () => {
    const engine = await connect("llama-server");
    const biased = (token: number) =>
      engine.prepare(generationOf("Hi", { sampling: { ...greedy, logitBias: [[token, 1]] } }), never());
    await expect(biased(524)).resolves.toBeDefined();
    await expect(biased(525)).rejects.toMatchObject({ code: "invalid_value", param: "logit_bias" });
    await engine.close();
  });

  it("ends all of several requests when one of them fails", async () => {
    const engine = await connect("llama-server");
    let asked = 0;
    upstream.chat = (response, request) => {
      asked += 1;
      if (asked === 3) sends("data: garbage\n\n")(response, request);
      else
        response
          .writeHead(200, { "content-type": "text/event-stream" })
          .write(event(chunk({ content: "a" })));
    };
    await expect(eventsOf(engine, generationOf("Hi", { choices: 3 }))).rejects.toMatchObject({
      code: "engine_unavailable",
    });
    expect(engine.status().active).toBe(0);
    await engine.close();
  });
});

async function eventsOf(
  engine: Awaited<ReturnType<typeof connectUpstream>>,
  generation: ReturnType<typeof generationOf>,
): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  const prepared = await engine.prepare(generation, never());
  for await (const event of eachOf(engine.generate(prepared, never()))) events.push(event);
  return events;
}
