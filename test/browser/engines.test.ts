/** What the operator sees of a pool with engines in every state, and what everyone sees of a model that is away. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type App } from "../../src/app/app.js";
import { loadConfig, type Config } from "../../src/config.js";
import { ensureSetupLink } from "../../src/core/sign-in/one-time-links.js";
import { systemClock } from "../../src/core/clock.js";
import { createLog } from "../../src/log.js";
import type { EngineView } from "../../src/protocol/dashboard/engines.js";
import { launchBrowser } from "../support/browser.js";
import { postChat } from "../support/clients/post-chat.js";
import { Browser as Visitor, tokenOf } from "../support/processes/dashboard-server.js";
import { eventually } from "../support/eventually.js";
import {
  answers,
  chunk,
  event,
  openStream,
  startScriptedUpstream,
  type ChatScript,
  type ScriptedUpstream,
} from "../support/engines/scripted-upstream.js";
import { violations } from "./support/axe.js";
import { openPage, password } from "./support/visit.js";

const account = { email: "operator@example.com", password };
const neverEnds: ChatScript = (response) => void openStream(response).write(event(chunk({ content: "Hel" })));
const hangUp = new AbortController();
/** Held on to: fetch() hangs up by itself on a reply that was collected as garbage. */
const replies: Response[] = [];

let dataDir: string;
let busy: ScriptedUpstream, gone: ScriptedUpstream, failing: ScriptedUpstream, leaving: ScriptedUpstream;
let app: App;
let browser: Browser;

// Longer than this file takes: replies that do not end, and who leaves with one, stay as they are.
const longMs = 300_000;
const timeouts = { healthIntervalMs: 100, nextTokenMs: longMs };
const memberOf = ({ url }: ScriptedUpstream) => ({ url, profile: "vllm", timeouts });
const configOf = (...pool: ScriptedUpstream[]): Config => {
  const list = (...members: ScriptedUpstream[]) => JSON.stringify(members.map(memberOf));
  return loadConfig({
    env: {
      SOTTO_DATA_DIR: dataDir,
      SOTTO_PORT: "0",
      SOTTO_DRAIN_MS: String(longMs),
      SOTTO_MODELS_OMEGA_UPSTREAMS: list(busy),
      SOTTO_MODELS_PRISM_UPSTREAMS: list(...pool),
      SOTTO_MODELS_LAMBDA_UPSTREAMS: list(gone),
    },
  });
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sotto-engines-"));
  [busy, gone, failing, leaving] = await Promise.all([
    startScriptedUpstream(),
    startScriptedUpstream(),
    startScriptedUpstream(),
    startScriptedUpstream(),
  ]);
  busy.chat = leaving.chat = neverEnds;
  failing.chat = answers(500, "{}");
  // It does not tell its context.
  busy.answers["/v1/models"] = { data: [{ id: "big-model" }] };
  const log = createLog("error", { write: () => undefined });
  app = await startApp(configOf(busy, gone, failing, leaving), { log, webDir: "dist/web" });
  const operator = new Visitor(app.url);
  const link = await ensureSetupLink(app.store, systemClock, app.url);
  await operator.post("/api/setup", { token: tokenOf(link ?? ""), ...account });
  const key = { name: "Program", models: null, expiresInDays: null, limits: null };
  const { secret } = await operator.post<{ secret: string }>("/api/keys", key);
  const prism = async () => {
    const { engines } = await operator.get<{ engines: EngineView[] }>("/api/admin/engines");
    return engines.find(({ models }) => models.includes("prism"))?.members ?? [];
  };

  await eventually(async () => (await prism()).every(({ state }) => state === "ready"));
  await gone.close();
  await eventually(async () => (await prism()).some(({ state }) => state === "down"));
  await eventually(async () => {
    void ask(secret);
    const members = await prism();
    return members.some(({ note }) => note === "left out") && leaving.open > 0;
  });
  await app.followModels(configOf(busy, gone, failing));
  browser = await launchBrowser();
});
afterAll(async () => {
  hangUp.abort();
  await browser.close();
  await app.close();
  await Promise.all([busy, failing, leaving].map((upstream) => upstream.close()));
  await rm(dataDir, { recursive: true, force: true });
});

/** A conversation of its own each time, which no engine is warm for; its reply does not end. */
async function ask(secret: string): Promise<void> {
  const messages = [{ role: "user", content: `Hello ${busy.chats.length} ${leaving.chats.length}` }];
  const reply = await postChat(
    app.url,
    secret,
    { model: "prism", stream: true, messages },
    hangUp.signal,
  ).catch(() => undefined);
  if (reply) replies.push(reply);
}

const card = (page: Page, model: string) => page.getByRole("region", { name: model });
const hostOf = ({ port }: ScriptedUpstream) => `127.0.0.1:${port}`;

describe.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
] as const)("in %s, %i pixels wide,", (colorScheme, width) => {
  const visit = async (path: string) => {
    const viewport = { width, height: 844 };
    const context = await browser.newContext({ colorScheme, viewport, reducedMotion: "reduce" });
    context.setDefaultTimeout(60_000);
    await context.request.post(`${app.url}/api/sign-in`, { data: account, headers: { origin: app.url } });
    const { page } = await openPage(context, app.url);
    await page.goto(app.url + path);
    return page;
  };
  const leave = async (page: Page) => {
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.context().close();
  };

  it("the operator sees the state of each engine of a pool, and why", async () => {
    const page = await visit("/admin/engines");
    const prism = card(page, "prism");
    await prism.getByText("Partially available").waitFor();
    await prism.getByText("1 of 3 engines available").waitFor();
    const rowOf = async (upstream: ScriptedUpstream) =>
      prism
        .getByRole("listitem")
        .filter({ hasText: hostOf(upstream) })
        .textContent();
    expect(await rowOf(busy)).toMatch(/running *Ready$/);
    expect(await rowOf(gone)).toContain("does not answer (ECONNREFUSED).Down");
    expect(await rowOf(failing)).toContain("Unhealthy");
    expect(await rowOf(leaving)).toMatch(/[1-9]\d* running.*Draining$/);
    await card(page, "lambda")
      .getByText(`${hostOf(gone)} (vLLM). It is unreachable.`)
      .waitFor();
    await card(page, "omega").getByText("Unknown: set contextTokens").waitFor();
    await leave(page);
  });

  it("everyone sees which model is unavailable", async () => {
    const page = await visit("/status");
    await page.getByText("Partial outage").waitFor();
    const lambda = page.getByRole("listitem").filter({ hasText: "lambda" });
    expect(await lambda.textContent()).toContain("The engine is not responding.Down");
    await leave(page);
  });
});
