/** What an operator learns when an engine on the network fails: a code, never the engine's own words. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type App } from "../../../src/app/app.js";
import { loadConfig } from "../../../src/config.js";
import { UpstreamEngine } from "../../../src/engines/upstream/upstream-engine.js";
import type { UpstreamOptions } from "../../../src/engines/upstream/options.js";
import { createLog } from "../../../src/log.js";
import { generationOf, replyTo } from "../../contract/engines/engine-contract.js";
import { eventually } from "../../support/eventually.js";
import {
  answers,
  chunk,
  event,
  openStream,
  sends,
  startScriptedUpstream,
  vllmAnswers,
  type ChatScript,
  type ScriptedUpstream,
} from "../../support/engines/scripted-upstream.js";
import { cacheSaltSecret, connectUpstream } from "../../support/engines/upstream-engine.js";

let upstream: ScriptedUpstream;
let engine: UpstreamEngine | undefined;
beforeEach(async () => {
  upstream = await startScriptedUpstream();
});
afterEach(async () => {
  await engine?.close();
  await upstream.close();
});

function connect(options: Partial<UpstreamOptions>): UpstreamEngine {
  const timeouts = { healthIntervalMs: 20, connectMs: 1_000 };
  const given = { url: upstream.url, profile: "vllm" as const, models: {}, cacheSaltSecret };
  engine = new UpstreamEngine({ ...given, ...options, timeouts });
  return engine;
}

describe("an engine on the network that does not answer", () => {
  it.each<[string, string, (port: number) => [Partial<UpstreamOptions>, ScriptedUpstream["answers"]]]>([
    ["nobody listens", "ECONNREFUSED", () => [{ url: "http://127.0.0.1:1/v1" }, {}]],
    [
      "it does not speak TLS",
      "ERR_SSL_WRONG_VERSION_NUMBER",
      (port) => [{ url: `https://127.0.0.1:${port}` }, {}],
    ],
    ["it has no such name", "ENOTFOUND", () => [{ url: "http://engine.invalid/v1" }, {}]],
    ["it is loading", "HTTP_503", () => [{}, { "/health": 503 }]],
    ["it refuses the key", "HTTP_401", () => [{}, { ...vllmAnswers(), "/v1/models": 401 }]],
    ["it is something else", "NOT_AN_ENGINE", () => [{}, { "/health": 200, "/v1/models": "<html>" }]],
  ])("is explained by a code: %s", async (_, cause, given) => {
    const [options, reported] = given(upstream.port);
    upstream.answers = reported;
    const silent = connect(options);
    await silent.checked();
    const { problem } = silent.status();
    // A resolver without a network cannot know.
    expect(problem?.cause.replace("EAI_AGAIN", "ENOTFOUND")).toBe(cause);
    expect(problem?.text).toContain(problem?.cause);
  });

  it("has no problem any more once it answers", async () => {
    upstream.answers = { "/health": 503 };
    const slow = connect({});
    await slow.checked();
    expect(slow.status().problem).toBeDefined();
    upstream.answers = vllmAnswers();
    await eventually(() => slow.status().state === "ready");
    expect(slow.status().problem).toBeUndefined();
  });
});

describe("a request that an engine on the network fails", () => {
  const canary = "canary-8150";
  it.each<[string, string, ChatScript]>([
    ["an error", "HTTP_500", answers(500, `{"error":"${canary}"}`)],
    ["a refusal", "HTTP_400", answers(400, `{"error":"${canary}"}`)],
    ["too much to do", "HTTP_429", answers(429, `{"error":"${canary}"}`)],
    ["a closed connection", "UND_ERR_SOCKET", (response) => response.destroy()],
    [
      "an error in the stream",
      "ERROR_EVENT",
      sends(event({ error: { message: canary, code: "CANARY_8150" } })),
    ],
    ["a stream that stops", "REPLY_TRUNCATED", sends(event(chunk({ content: canary })))],
    [
      "silence",
      "FIRST_TOKEN_TIMEOUT",
      (response) => {
        openStream(response).flushHeaders();
      },
    ],
  ])("is reported with a code and nothing else: %s", async (_, cause, chat) => {
    upstream.chat = chat;
    const failures: string[] = [];
    engine = await connectUpstream(
      { url: upstream.url, timeouts: { firstTokenMs: 200 } },
      { onFailure: (failure) => failures.push(failure) },
    );
    await expect(replyTo(engine, generationOf("Hello"))).rejects.toThrow();
    expect(failures).toEqual([cause]);
  });
});

describe("the log", () => {
  let app: App | undefined;
  const folder = mkdtempSync(join(tmpdir(), "sotto-upstream-causes-"));
  afterEach(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("says which engine is unreachable and why, and when it is reachable again", async () => {
    const list = JSON.stringify([
      { url: upstream.url, profile: "vllm", timeouts: { healthIntervalMs: 100 } },
    ]);
    const models = ["OMEGA", "PRISM", "LAMBDA"].map((model): [string, string] => [
      `SOTTO_MODELS_${model}_UPSTREAMS`,
      list,
    ]);
    const env = { SOTTO_DATA_DIR: folder, SOTTO_PORT: "0", ...Object.fromEntries(models) };
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    app = await startApp(loadConfig({ env }), { log: createLog("trace", { write }) });
    await app.ready();
    const host = `127.0.0.1:${upstream.port}`;
    upstream.answers = { "/health": 503 };
    await eventually(() => app?.engine.status("omega").state === "down");
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: "engine unreachable", engine: host, cause: "HTTP_503" }),
    );
    expect(app.engine.status("omega").problem).toMatchObject({ cause: "HTTP_503" });
    lines.length = 0;
    upstream.answers = vllmAnswers();
    await eventually(() => app?.engine.status("omega").state === "ready");
    expect(lines).toContainEqual(expect.objectContaining({ msg: "engine reachable", engine: host }));
    upstream.chat = answers(500, "{}");
    await expect(replyTo(app.engine, generationOf("Hello"))).rejects.toMatchObject({
      code: "engine_unavailable",
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: "engine request failed", engine: host, cause: "HTTP_500" }),
    );
  });
});
