import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { KeyWithSecret } from "../../src/protocol/dashboard/api.js";
import { postChat } from "../support/clients/post-chat.js";
import { defaultReply } from "../support/engines/fake-engine.js";
import { startDashboard, type Browser, type TestDashboard } from "../support/processes/dashboard-server.js";
import { eventually } from "../support/eventually.js";

const body = {
  model: "omega",
  messages: [{ role: "user", content: "a private question" }],
  stream: true,
  stream_options: { include_usage: true },
};

describe("the playground", () => {
  let dashboard: TestDashboard;
  let ada: Browser;
  beforeAll(async () => {
    dashboard = await startDashboard({ env: { SOTTO_LIMIT_CONCURRENT_REQUESTS: "2" } });
    ada = await dashboard.signUp("ada@example.com");
  });
  afterEach(() => {
    dashboard.engine.release();
    dashboard.engine.script = defaultReply;
  });
  afterAll(() => dashboard.close());

  it("streams what the API streams", async () => {
    const { secret } = await ada.post<KeyWithSecret>("/api/keys", {
      name: "laptop",
      models: null,
      expiresInDays: null,
    });
    const playground = await ada.send("POST", "/api/playground", body);
    const api = await postChat(dashboard.url, secret, body);
    expect(playground.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(anonymous(playground.text)).toBe(anonymous(await api.text()));
    expect(playground.text).toContain("Hello");
    expect(playground.text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it("takes the session and nothing else", async () => {
    const { secret } = await ada.post<KeyWithSecret>("/api/keys", {
      name: "laptop",
      models: null,
      expiresInDays: null,
    });
    const visitor = dashboard.browser();
    const byKey = await visitor.send("POST", "/api/playground", body, { authorization: `Bearer ${secret}` });
    expect(byKey).toMatchObject({ status: 401, json: { error: { code: "signed_out" } } });
    const bySession = await fetch(`${dashboard.url}/v1/chat/completions`, {
      method: "POST",
      headers: { cookie: ada.cookieHeader(), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(bySession.status).toBe(401);
  });

  it("counts against the limits that the account's keys count against", async () => {
    const { secret } = await ada.post<KeyWithSecret>("/api/keys", {
      name: "laptop",
      models: null,
      expiresInDays: null,
    });
    dashboard.engine.hold();
    dashboard.engine.release(1);
    const byKey = await postChat(dashboard.url, secret, body);
    const opening = ada.open("POST", "/api/playground", body);
    await eventually(() => dashboard.engine.active === 2);
    dashboard.engine.release(2);
    const second = await opening;
    const third = await ada.send("POST", "/api/playground", body);
    expect(third).toMatchObject({ status: 429, json: { error: { code: "limit_reached" } } });
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
    dashboard.engine.release();
    await Promise.all([byKey.text(), second.text()]);
  });

  it("stops the generation when the page stops reading", async () => {
    dashboard.engine.hold();
    dashboard.engine.release(1);
    const stopped = new AbortController();
    const response = await fetch(`${dashboard.url}/api/playground`, {
      method: "POST",
      headers: {
        cookie: ada.cookieHeader(),
        origin: dashboard.url,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
      signal: stopped.signal,
    });
    expect(response.status).toBe(200);
    await eventually(() => dashboard.engine.active === 1);
    stopped.abort();
    await eventually(() => dashboard.engine.active === 0);
  });

  it("passes on HTML and images in a reply as the text they are", async () => {
    const html = `<img src=x onerror=alert(1)>![](https://evil.example/x.png)`;
    dashboard.engine.script = () => ({ fragments: [html] });
    const { text, headers } = await ada.send("POST", "/api/playground", body);
    expect(text).toContain(JSON.stringify(html).slice(1, -1));
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it.each([
    [{ messages: body.messages }, 400, "bad_request", "model"],
    [{ ...body, model: "gpt-4" }, 404, "not_found", "model"],
    [{ ...body, temperature: 3 }, 400, "bad_request", "temperature"],
  ])("reports errors in the dashboard's own shape: %j", async (request, status, code, field) => {
    const answer = await ada.send("POST", "/api/playground", request);
    expect(answer).toMatchObject({ status, json: { error: { code, field } } });
  });

  it("keeps nothing: neither rows nor log lines have anything of a conversation", async () => {
    dashboard.engine.script = () => ({ fragments: ["a private", " answer"] });
    await ada.send("POST", "/api/playground", body);
    await eventually(async () => {
      await dashboard.app.dashboard.usage.flush();
      return dashboard.tables().get("usage")?.includes("playground");
    });
    for (const [, rows] of dashboard.tables()) expect(rows).not.toContain("private");
    expect(dashboard.log()).not.toContain("private");
    expect(dashboard.log()).toContain('"route":"/api/playground"');
  });
});

/** A stream without what is different each time. */
const anonymous = (text: string): string =>
  text.replaceAll(/chatcmpl-\w+/g, "id").replaceAll(/"created":\d+/g, '"created":0');
