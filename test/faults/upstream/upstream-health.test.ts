/** Who counts as an engine that is ready, of all that may answer at an address. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UpstreamEngine } from "../../../src/engines/upstream/upstream-engine.js";
import type { UpstreamOptions } from "../../../src/engines/upstream/options.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  answers,
  startScriptedUpstream,
  vllmAnswers,
  type ScriptedUpstream,
} from "../../support/engines/scripted-upstream.js";
import { cacheSaltSecret } from "../../support/engines/upstream-engine.js";

let upstream: ScriptedUpstream;
let engine: UpstreamEngine | undefined;
let clock: FakeClock;
beforeEach(async () => {
  upstream = await startScriptedUpstream();
  clock = new FakeClock();
});
afterEach(async () => {
  await engine?.close();
  await upstream.close();
});

function connect(given: ScriptedUpstream["answers"], options: Partial<UpstreamOptions> = {}): UpstreamEngine {
  upstream.answers = given;
  engine = new UpstreamEngine(
    {
      url: upstream.url,
      profile: "vllm",
      models: {},
      cacheSaltSecret,
      acceptSharedCache: true,
      ...options,
      timeouts: { healthIntervalMs: 20 },
    },
    { clock },
  );
  return engine;
}

/** As often as it takes to believe an engine, or not. */
const askedThrice = (path: string) =>
  eventually(() => upstream.questions.filter((asked) => asked.path === path).length >= 3);

const list = { data: [{ id: "big-model" }] };

describe("an engine on the network", () => {
  it.each<[string, ScriptedUpstream["answers"]]>([
    ["has nothing", {}],
    ["has a page for its health, as all the world does", { "/health": "OK" }],
    ["has a page for everything", { "/health": "<html>", "/v1/models": "<html>It works!</html>" }],
    ["has another kind of list", { "/health": 200, "/v1/models": { data: ["big-model"] } }],
    ["says no more than an error", { "/health": 200, "/v1/models": { error: "not here" } }],
    ["cannot say what it has", { "/health": 200, "/v1/models": 500 }],
    ["wants another key for its models", { "/health": 200, "/v1/models": 401 }],
    ["forbids our key its models", { "/health": 200, "/v1/models": 403 }],
  ])("is no address that %s", async (_, given) => {
    for (const profile of ["vllm", "openai"] as const) {
      const stranger = connect(given, { profile });
      upstream.questions.length = 0;
      await askedThrice("/v1/models");
      expect(stranger.status().state).toBe("starting");
      await stranger.close();
    }
    expect(upstream.chats).toEqual([]);
  });

  it.each([404, 405, 501])(
    "is one that answers %i for its health and has a list of models",
    async (status) => {
      const answering = connect({ "/health": status, "/v1/models": list });
      await eventually(() => answering.status().state === "ready");
    },
  );

  it("is one without a list of models where it has a name and refuses a chat without messages", async () => {
    for (const status of [400, 422]) {
      upstream.chat = answers(status, '{"error":{"message":"messages: Field required"}}');
      const named = connect({}, { profile: "openai", name: "big-model" });
      await eventually(() => named.status().state === "ready");
      expect(upstream.chats.at(-1)?.body).toEqual({ model: "big-model" });
      await named.close();
    }
  });

  it.each([
    ["has no chats", 404, "{}"],
    ["takes everything", 200, "<html>"],
    ["wants another key", 401, "{}"],
  ])("is no address without a list of models that %s, whatever its name", async (_, status, body) => {
    upstream.chat = answers(status, body);
    const named = connect({}, { profile: "openai", name: "big-model" });
    await eventually(() => upstream.chats.length >= 3);
    expect(named.status().state).toBe("starting");
  });

  it("goes down when another program answers at its address", async () => {
    const replaced = connect(vllmAnswers());
    await eventually(() => replaced.status().state === "ready");
    upstream.answers = { "/health": "OK", "/v1/models": "<html>" };
    clock.advance(61_000);
    await eventually(() => replaced.status().state === "down");
  });

  it("goes down when its key is refused, and recovers with it", async () => {
    const locked = connect(vllmAnswers());
    await eventually(() => locked.status().state === "ready");
    upstream.answers = { ...vllmAnswers(), "/v1/models": 401 };
    clock.advance(61_000);
    await eventually(() => locked.status().state === "down");
    upstream.answers = vllmAnswers();
    await eventually(() => locked.status().state === "ready");
  });

  it("stays available, with its known facts, when it is too busy to list its models", async () => {
    const busy = connect(vllmAnswers());
    await eventually(() => busy.status().state === "ready");
    upstream.answers = { ...vllmAnswers(), "/v1/models": 503 };
    clock.advance(61_000);
    upstream.questions.length = 0;
    await askedThrice("/v1/models");
    expect(busy.status()).toMatchObject({ state: "ready", contextTokens: 1000 });
  });
});
