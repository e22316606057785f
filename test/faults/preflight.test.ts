import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UpstreamSource } from "../../src/engines/upstream/options.js";
import { preflight } from "../../src/engines/upstream/preflight.js";
import { startScriptedUpstream, vllmAnswers, type ScriptedUpstream } from "../support/scripted-upstream.js";

describe("the preflight of an engine", () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
  });
  afterAll(() => upstream.close());

  const findings = async (
    answers: ScriptedUpstream["answers"],
    source: Partial<UpstreamSource> = {},
    strict = false,
  ) => {
    upstream.answers = answers;
    return preflight({ url: upstream.url, profile: "vllm", ...source }, { strict });
  };

  it("finds no fault with a new vLLM but what it keeps to itself, also in strict mode", async () => {
    for (const strict of [false, true]) {
      expect(await findings(vllmAnswers(), {}, strict)).toEqual([
        { level: "warn", text: expect.stringContaining("VLLM_NO_USAGE_STATS") as string },
      ]);
    }
  });

  it("refuses a vLLM that ignores salts, unless its cache is off or sharing is accepted", async () => {
    const old = { ...vllmAnswers(), "/version": { version: "0.8.5.post1" } };
    const salts = { text: expect.stringContaining("0.8.5.post1 ignores the salt") as string };
    expect(await findings(old)).toContainEqual({ level: "refuse", ...salts });
    expect(await findings(old, { acceptSharedCache: true })).toContainEqual({ level: "warn", ...salts });
    const off = {
      ...old,
      "/metrics": 'vllm:cache_config_info{block_size="16",enable_prefix_caching="False"} 1.0',
    };
    expect(await findings(off)).not.toContainEqual(expect.objectContaining(salts));
  });

  it("tells of logs of prompts, and in strict mode refuses them", async () => {
    const logging = { level: "warn", text: expect.stringContaining("logs every prompt") as string };
    const loud = { ...vllmAnswers(), "/version": { version: "0.10.0" } };
    expect(await findings(loud)).toContainEqual(logging);
    expect(await findings(loud, {}, true)).toContainEqual({ ...logging, level: "refuse" });
  });

  it("reads what SGLang says it does with requests", async () => {
    const info = {
      version: "0.5.18",
      log_requests: true,
      crash_dump_folder: "/dumps",
      disable_radix_cache: false,
    };
    const found = await findings({ "/health": 200, "/get_server_info": info }, { profile: "sglang" }, true);
    expect(found.map(({ level }) => level)).toEqual(["refuse", "refuse"]);
    expect(found.map(({ text }) => text).join()).toMatch(/--log-requests.*--crash-dump-folder/);
    const old = { "/health": 200, "/get_server_info": { version: "0.5.6" } };
    expect(await findings(old, { profile: "sglang" })).toMatchObject([{ level: "refuse" }]);
    const quiet = { "/health": 200, "/server_info": { version: "0.5.18", log_requests: false } };
    expect(await findings(quiet, { profile: "sglang" }, true)).toEqual([]);
  });

  it("sees a llama-server that shows prompts to whoever asks, and repeats none", async () => {
    const shown = { "/health": 200, "/slots": [{ id: 0, prompt: "canary-77" }] };
    const found = await findings(shown, { profile: "llama-server" }, true);
    expect(found).toEqual([{ level: "refuse", text: expect.stringContaining("--no-slots") as string }]);
    expect(JSON.stringify(found)).not.toContain("canary-77");
    const hidden = { "/health": 200, "/slots": [{ id: 0, is_processing: false }] };
    expect(await findings(hidden, { profile: "llama-server" }, true)).toEqual([]);
  });

  it("knows that Ollama's cloud models do not run here", async () => {
    const source = { profile: "ollama", acceptSharedCache: true, name: "gpt-oss:120b-cloud" } as const;
    const found = await findings({ "/api/version": { version: "0.20.0" } }, source, true);
    expect(found).toContainEqual({
      level: "refuse",
      text: expect.stringContaining("sends conversations") as string,
    });
  });

  it("refuses engines without isolation and public addresses without asking them anything", async () => {
    upstream.questions.length = 0;
    const found = await preflight({ url: "http://8.8.8.8/v1", profile: "openai" });
    expect(found.map(({ level }) => level)).toEqual(["refuse", "refuse"]);
    expect(upstream.questions).toEqual([]);
  });

  it("tells of an engine that does not answer, and of one that refuses the key", async () => {
    const nobody = await preflight({ url: "http://127.0.0.1:1/v1", profile: "vllm" });
    expect(nobody).toEqual([{ level: "warn", text: "127.0.0.1:1 does not answer." }]);
    expect(await findings({ "/health": 401 })).toMatchObject([
      { text: expect.stringContaining("key") as string },
    ]);
  });
});
