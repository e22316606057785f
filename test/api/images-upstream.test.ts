/** What of an image reaches an engine on the network, and how it is known which engines can see. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type App } from "../../src/app/app.js";
import { loadConfig } from "../../src/config.js";
import { systemClock } from "../../src/core/clock.js";
import { createKey } from "../../src/core/keys/issue-keys.js";
import type { UpstreamEngine } from "../../src/engines/upstream/upstream-engine.js";
import type { UpstreamOptions } from "../../src/engines/upstream/options.js";
import { PoolEngine } from "../../src/engines/pool/pool-engine.js";
import { generationOf, replyTo } from "../contract/engines/engine-contract.js";
import {
  answers,
  startScriptedUpstream,
  vllmAnswers,
  type ScriptedUpstream,
} from "../support/engines/scripted-upstream.js";
import { memberOf } from "../support/engines/pool-member.js";
import { connectUpstream } from "../support/engines/upstream-engine.js";
import { dataUrl, imageQuestions } from "../support/inputs/images.js";
import { newDataDir } from "../support/processes/sotto-process.js";

const sentence = "[image omitted: this model reads text only]";
const image = { type: "image_url", image_url: { url: dataUrl() } };

let upstream: ScriptedUpstream;
beforeEach(async () => {
  upstream = await startScriptedUpstream();
});
afterEach(() => upstream.close());

describe.each(Object.entries(imageQuestions))("a whole service, by %s", (_, { path, body, place }) => {
  let app: App;
  let engine: UpstreamEngine;
  let key: string;
  const start = async (options: Partial<UpstreamOptions> = {}) => {
    engine = await connectUpstream({ url: upstream.url, ...options });
    const env = { SOTTO_DATA_DIR: newDataDir(), SOTTO_PORT: "0", SOTTO_LOG_LEVEL: "silent" };
    app = await startApp(loadConfig({ env }), { engine });
    const account = { email: "ada@example.com", passwordHash: null, role: "user", planId: "free" } as const;
    const wanted = { name: "test", models: null, operations: null, expiresAt: null };
    key = (await createKey(app.store, systemClock, await app.store.createAccount(account), wanted)).text;
  };
  afterEach(() => app.close());
  const post = async () => {
    const response = await fetch(app.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body()),
    });
    return {
      status: response.status,
      ignored: response.headers.get("sotto-ignored"),
      text: await response.text(),
    };
  };

  it("hands the image to an engine that sees, and settles its tokens", async () => {
    await start();
    const { status, ignored, text } = await post();
    expect([status, ignored]).toEqual([200, null]);
    expect(upstream.chats[0]?.body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "What is it?" }, image] },
    ]);
    // As the engine reports: the estimate was over a thousand.
    expect(text).toMatch(/"(?:prompt_tokens|input_tokens)":7\b/);
  });

  it("hands no image to one that does not", async () => {
    await start({ vision: false });
    const { status, ignored } = await post();
    if (path === "/v1/chat/completions") {
      expect(status).toBe(400);
      return;
    }
    expect([status, ignored]).toEqual([200, "image"]);
    expect(upstream.chats[0]?.body.messages).toEqual([
      { role: "user", content: `What is it?\n\n${sentence}` },
    ]);
  });

  it("names the image where the engine refuses it, and nothing that the engine says", async () => {
    await start();
    upstream.chat = answers(400, JSON.stringify({ error: { message: "cannot identify image file secret" } }));
    const { status, text } = await post();
    expect(status).toBe(400);
    expect(text).toContain(place);
    expect(text).not.toContain("secret");
  });
});

describe("whether an engine sees", () => {
  const list = { "/v1/models": { data: [{ id: "big-model", max_model_len: 1000 }] } };
  const show = (...capabilities: string[]) => ({
    ...list,
    "/api/version": {},
    "/api/show": { capabilities },
  });
  const props = (vision: boolean) => ({ ...list, "/health": {}, "/props": { modalities: { vision } } });
  const sglang = (path: string, has: boolean) => ({
    ...list,
    "/health": 200,
    [path]: { has_image_understanding: has },
  });

  it.each([
    ["vllm", "tokenizes an image", vllmAnswers(), true],
    ["vllm", "refuses one", { ...vllmAnswers(), "/tokenize": 400 }, false],
    ["vllm", "has no such endpoint", { ...vllmAnswers(), "/tokenize": 404 }, false],
    ["sglang", "says so", sglang("/model_info", true), true],
    ["sglang", "said so in earlier releases", sglang("/get_model_info", true), true],
    ["sglang", "says that it does not", sglang("/model_info", false), false],
    ["llama-server", "has a projector", props(true), true],
    ["llama-server", "has none", props(false), false],
    ["ollama", "lists it", show("completion", "vision"), true],
    ["ollama", "does not list it", show("completion"), false],
    [
      "openai",
      "is another Sotto",
      { "/v1/models": { data: [{ id: "omega", capabilities: { vision: true } }] } },
      true,
    ],
    ["openai", "says nothing", list, false],
  ] as const)("is known of %s: it %s", async (profile, _, found, sees) => {
    upstream.answers = { ...found };
    const engine = await connectUpstream({ url: upstream.url, profile, acceptSharedCache: true });
    expect(engine.status().follows.vision).toBe(sees);
    await engine.close();
  });

  it("is as the operator says", async () => {
    const options = { url: upstream.url, profile: "openai", acceptSharedCache: true } as const;
    upstream.answers = { ...list };
    for (const vision of [true, false]) {
      const engine = await connectUpstream({ ...options, vision });
      expect(engine.status().follows.vision).toBe(vision);
      await engine.close();
    }
  });
});

describe("a conversation with images", () => {
  const seen = { type: "image" as const, url: dataUrl() };
  const call = { id: "c1", name: "look", arguments: "{}" };
  const calling = { role: "assistant" as const, content: "", toolCalls: [call] };
  const result = { role: "tool" as const, content: sentence, parts: [seen], toolCallId: "c1" };

  it("has those of a tool's result in the user's turn after it", async () => {
    const engine = await connectUpstream({ url: upstream.url });
    const hi = { role: "user" as const, content: "Hi" };
    const note = { type: "text", text: "[images of the tool results above]" };
    const tool = { role: "tool", content: "[image: see the next message]" };
    await replyTo(engine, generationOf("", { messages: [hi, calling, result] }));
    expect(upstream.chats.at(-1)?.body.messages).toMatchObject([
      hi,
      {},
      tool,
      { role: "user", content: [note, image] },
    ]);
    await replyTo(engine, generationOf("", { messages: [hi, calling, result, { ...hi, content: "And?" }] }));
    expect(upstream.chats.at(-1)?.body.messages).toMatchObject([
      hi,
      {},
      tool,
      { role: "user", content: [note, image, { type: "text", text: "And?" }] },
    ]);
    const questions = upstream.questions.filter(({ path }) => path === "/tokenize");
    // They are not sent to be counted.
    expect(JSON.stringify(questions.slice(1))).not.toContain("base64");
    await engine.close();
  });

  it("goes to a member of a pool that sees", async () => {
    const blind = await startScriptedUpstream();
    const pool = new PoolEngine([
      memberOf("blind", await connectUpstream({ url: blind.url, vision: false })),
      memberOf("seeing", await connectUpstream({ url: upstream.url, vision: true })),
    ]);
    expect(pool.status("omega").follows.vision).toBe(true);
    const messages = [{ role: "user" as const, content: sentence, parts: [seen] }];
    for (let turn = 0; turn < 4; turn++) await replyTo(pool, generationOf("", { messages }));
    expect([upstream.chats.length, blind.chats.length]).toEqual([4, 0]);
    await pool.close();
    await blind.close();
  });
});
