import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UpstreamSource } from "../../../src/protocol/engine-member.js";
import { preflight } from "../../../src/engines/upstream/checks/preflight.js";
import { textWith } from "../../support/matchers.js";
import {
  answers,
  startScriptedUpstream,
  vllmAnswers,
  type ScriptedUpstream,
} from "../../support/engines/scripted-upstream.js";

const sglang = { "/health": 200, "/v1/models": { data: [{ id: "default", max_model_len: 2000 }] } };
const llamaServer = {
  "/health": { status: "ok" },
  "/v1/models": { data: [{ id: "tiny.gguf" }] },
  "/props": { default_generation_settings: { n_ctx: 512 }, total_slots: 4 },
};
const logs = { level: "warn", text: textWith("--log-prompts-dir") };

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

  it("finds nothing wrong with a new vLLM except what it does not report, also in strict mode", async () => {
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

  it("warns of an engine that may log prompts, and refuses it in strict mode", async () => {
    const logging = { level: "warn", text: expect.stringContaining("logs every prompt") as string };
    const loud = { ...vllmAnswers(), "/version": { version: "0.10.0" } };
    expect(await findings(loud)).toContainEqual(logging);
    expect(await findings(loud, {}, true)).toContainEqual({ ...logging, level: "refuse" });
  });

  it("reads SGLang's logging settings", async () => {
    const info = {
      version: "0.5.18",
      log_requests: true,
      crash_dump_folder: "/dumps",
      disable_radix_cache: false,
    };
    const source = { profile: "sglang" } as const;
    const found = await findings({ ...sglang, "/get_server_info": info }, source, true);
    expect(found.map(({ level }) => level)).toEqual(["refuse", "refuse"]);
    expect(found.map(({ text }) => text).join()).toMatch(/--log-requests.*--crash-dump-folder/);
    const old = { ...sglang, "/get_server_info": { version: "0.5.6" } };
    expect(await findings(old, source)).toMatchObject([{ level: "refuse" }]);
    const quiet = { ...sglang, "/server_info": { version: "0.5.18", log_requests: false } };
    expect(await findings(quiet, source, true)).toEqual([]);
  });

  it.each<[string, ScriptedUpstream["answers"], Partial<UpstreamSource>]>([
    [
      "logs requests",
      { ...sglang, "/server_info": { version: "0.5.18", log_requests: true } },
      { profile: "sglang" },
    ],
    [
      "dumps requests to files",
      { ...sglang, "/server_info": { version: "0.5.18", dump_requests_folder: "/dumps" } },
      { profile: "sglang" },
    ],
    [
      "sends conversations to a vendor's cloud",
      { "/api/version": { version: "0.20.0" }, "/v1/models": { data: [{ id: "gpt-oss:120b-cloud" }] } },
      { profile: "ollama", acceptSharedCache: true, name: "gpt-oss:120b-cloud" },
    ],
  ])("refuses an engine that certainly %s, unless its operator accepts it", async (_, answers, source) => {
    const refused = (await findings(answers, source)).filter(({ level }) => level === "refuse");
    expect(refused).toEqual([{ level: "refuse", text: textWith("acceptLogging") }]);
    const accepted = await findings(answers, { ...source, acceptLogging: true });
    expect(accepted.map(({ level }) => level)).not.toContain("refuse");
    expect(accepted.length).toBeGreaterThan(0);
    const strict = await findings(answers, { ...source, acceptLogging: true }, true);
    expect(strict.map(({ level }) => level)).toContain("refuse");
  });

  it("detects a llama-server that exposes prompts, and repeats none", async () => {
    const source = { profile: "llama-server" } as const;
    const shown = { ...llamaServer, "/slots": [{ id: 0, id_task: 1, prompt: "canary-77" }] };
    const found = await findings(shown, source, true);
    expect(found).toEqual([{ level: "refuse", text: textWith("--no-slots") }, logs]);
    expect(JSON.stringify(found)).not.toContain("canary-77");
    const unused = { ...llamaServer, "/slots": [{ id: 0, is_processing: false }] };
    const maybe = { level: "warn", text: textWith("may show prompts") };
    expect(await findings(unused, source, true)).toEqual([maybe, logs]);
    const hidden = { ...llamaServer, "/slots": [{ id: 0, id_task: 1, n_prompt_tokens: 27 }] };
    expect(await findings(hidden, source, true)).toEqual([logs]);
    expect(await findings({ ...llamaServer, "/slots": 501 }, source, true)).toEqual([logs]);
  });

  it("detects a llama-server that can save its slots to files, without saving one", async () => {
    const source = { profile: "llama-server" } as const;
    const files = { level: "refuse", text: textWith("--slot-save-path") };
    upstream.questions.length = 0;
    expect(await findings({ ...llamaServer, "/slots/none": 400 }, source, true)).toEqual([files, logs]);
    expect(await findings({ ...llamaServer, "/slots/none": 501 }, source, true)).toEqual([logs]);
    const acted = upstream.questions.filter(({ path }) => path.startsWith("/slots/"));
    expect(acted.map(({ path, body }) => [path, body])).toEqual([
      ["/slots/none", {}],
      ["/slots/none", {}],
    ]);
  });

  it("warns of an engine that does not report its context length, and names the setting", async () => {
    const list = { "/v1/models": { data: [{ id: "omega" }] } };
    const source = { profile: "openai", acceptSharedCache: true } as const;
    const unknown = { level: "warn", text: textWith("contextTokens") };
    expect(await findings(list, source)).toContainEqual(unknown);
    expect(await findings(list, { ...source, contextTokens: 4096 })).not.toContainEqual(unknown);
  });

  it("warns of engines started without tools or without a reasoning parser, and refuses none", async () => {
    const off = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
    const chat = upstream.chat;
    upstream.chat = answers(400, JSON.stringify({ message: off }));
    upstream.chats.length = 0;
    const vllm = { level: "warn", text: textWith("--enable-auto-tool-choice") };
    expect(await findings(vllmAnswers(), {}, true)).toContainEqual(vllm);
    // There is nothing in it to answer.
    expect(upstream.chats.map(({ body }) => body.messages)).toEqual([[]]);
    upstream.chat = answers(400, JSON.stringify({ message: "messages must not be empty" }));
    expect(await findings(vllmAnswers(), {}, true)).not.toContainEqual(vllm);
    upstream.chat = chat;

    const info = { version: "0.5.18", tool_call_parser: null, reasoning_parser: null };
    const source = { profile: "sglang" } as const;
    expect(await findings({ ...sglang, "/get_server_info": info }, source, true)).toEqual([
      { level: "warn", text: textWith("--tool-call-parser") },
      { level: "warn", text: textWith("--reasoning-parser") },
    ]);
    const on = { version: "0.5.18", tool_call_parser: "qwen25", reasoning_parser: "qwen3" };
    expect(await findings({ ...sglang, "/get_server_info": on }, source, true)).toEqual([]);

    const plain = answers(500, JSON.stringify({ error: { message: "tools param requires --jinja flag" } }));
    const jinja = { level: "warn", text: textWith("--jinja") };
    const server = { profile: "llama-server" } as const;
    expect(await findings({ ...llamaServer, "/apply-template": plain }, server, true)).toContainEqual(jinja);
    const rendered = { ...llamaServer, "/apply-template": { prompt: "" } };
    expect(await findings(rendered, server, true)).not.toContainEqual(jinja);

    const ollama = { profile: "ollama", acceptSharedCache: true } as const;
    const models = { "/api/version": { version: "0.20.0" }, "/v1/models": { data: [{ id: "gemma2" }] } };
    const cannot = { level: "warn", text: textWith("cannot call tools") };
    const able = (...capabilities: string[]) => ({ ...models, "/api/show": { capabilities } });
    expect(await findings(able("completion"), ollama)).toContainEqual(cannot);
    expect(await findings(able("completion", "tools"), ollama)).not.toContainEqual(cannot);
  });

  it("detects Ollama's cloud models", async () => {
    const source = { profile: "ollama", acceptSharedCache: true, name: "gpt-oss:120b-cloud" } as const;
    const ollama = { "/api/version": { version: "0.20.0" }, "/v1/models": { data: [{ id: source.name }] } };
    const found = await findings(ollama, source, true);
    expect(found).toContainEqual({
      level: "refuse",
      text: expect.stringContaining("sends conversations") as string,
    });
  });

  it("refuses engines without isolation and public addresses without contacting them", async () => {
    upstream.questions.length = 0;
    const found = await preflight({ url: "http://8.8.8.8/v1", profile: "openai" });
    expect(found.map(({ level }) => level)).toEqual(["refuse", "refuse"]);
    expect(upstream.questions).toEqual([]);
  });

  it("reports an engine that does not answer, and one that refuses the key", async () => {
    const nobody = await preflight({ url: "http://127.0.0.1:1/v1", profile: "vllm" });
    expect(nobody).toEqual([{ level: "useless", text: "127.0.0.1:1 does not answer (ECONNREFUSED)." }]);
    const key = [{ level: "useless", text: textWith("refuses the key") }];
    expect(await findings({ "/health": 401 })).toEqual(key);
    // vLLM and llama-server report their health to everyone, and their models only to holders of a key.
    expect(await findings({ ...vllmAnswers(), "/v1/models": 401 })).toEqual(key);
    const loading = [{ level: "useless", text: textWith("cannot answer now") }];
    expect(await findings({ ...vllmAnswers(), "/health": 503 })).toEqual(loading);
  });

  it("reports an address where another program answers", async () => {
    const stranger = [{ level: "useless", text: textWith("not as an engine does") }];
    for (const page of [404, "<html>It works!</html>", { hello: "world" }]) {
      for (const health of [200, 404]) {
        expect(await findings({ "/health": health, "/v1/models": page })).toEqual(stranger);
      }
    }
  });
});
