import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { KeyView, KeyWithSecret } from "../../src/protocol/dashboard/api.js";
import { postChat } from "../support/clients/post-chat.js";
import { startDashboard, type Browser, type TestDashboard } from "../support/processes/dashboard-server.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";

describe("API keys", () => {
  let dashboard: TestDashboard;
  let ada: Browser;
  beforeAll(async () => {
    // The clock stands still: what is held in memory stays fresh unless it is told to go.
    dashboard = await startDashboard({ clock: new FakeClock() });
    ada = await dashboard.signUp("ada@example.com");
  });
  afterEach(() => dashboard.engine.release());
  afterAll(() => dashboard.close());

  const create = (who: Browser, key: object = {}) =>
    who.post<KeyWithSecret>("/api/keys", { name: "laptop", models: null, expiresInDays: null, ...key });
  const models = async (secret: string) =>
    (await fetch(`${dashboard.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status;
  const chat = (secret: string, body: object = {}) => postChat(dashboard.url, secret, body);
  const listed = async (who: Browser, id: string) =>
    (await who.get<{ keys: KeyView[] }>("/api/keys")).keys.find((key) => key.id === id);

  it("are shown once, work at once, and are listed without their secret", async () => {
    const { key, secret } = await create(ada, { name: "first", models: ["omega"], expiresInDays: 30 });
    expect(key).toMatchObject({ name: "first", models: ["omega"], status: "active", lastUsedDay: null });
    expect(secret.endsWith(key.lastFour)).toBe(true);
    expect(await models(secret)).toBe(200);
    expect((await chat(secret, { model: "prism" })).status).toBe(403);
    const { text } = await ada.send("GET", "/api/keys");
    expect(text).toContain(key.id);
    expect(text).not.toContain(secret);
    for (const [, rows] of dashboard.tables()) expect(rows).not.toContain(secret);
    expect((await listed(ada, key.id))?.lastUsedDay).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it("are refused at once while disabled, and work again when enabled", async () => {
    const { key, secret } = await create(ada);
    expect(await models(secret)).toBe(200);
    expect(await ada.post(`/api/keys/${key.id}/disable`)).toMatchObject({ status: "disabled" });
    expect(await models(secret)).toBe(401);
    expect((await ada.send("POST", `/api/keys/${key.id}/rotate`, { graceHours: 1 })).status).toBe(409);
    expect(await ada.post(`/api/keys/${key.id}/enable`)).toMatchObject({ status: "active" });
    expect(await models(secret)).toBe(200);
  });

  it("are rotated with a grace period in which both work, and revoked for good", async () => {
    const old = await create(ada, { models: ["prism"] });
    const fresh = await ada.post<KeyWithSecret>(`/api/keys/${old.key.id}/rotate`, { graceHours: 24 });
    expect(fresh.key).toMatchObject({ name: "laptop", models: ["prism"], status: "active" });
    expect(await listed(ada, old.key.id)).toMatchObject({
      status: "expiring",
      worksUntil: expect.any(String) as unknown,
    });
    expect([await models(old.secret), await models(fresh.secret)]).toEqual([200, 200]);
    expect(await ada.post(`/api/keys/${old.key.id}/revoke`)).toMatchObject({
      status: "revoked",
      worksUntil: null,
    });
    expect([await models(old.secret), await models(fresh.secret)]).toEqual([401, 200]);
    expect((await ada.send("POST", `/api/keys/${old.key.id}/enable`)).json).toMatchObject({
      status: "revoked",
    });
    expect(await models(old.secret)).toBe(401);
  });

  it("take their running streams with them when revoked", async () => {
    const { key, secret } = await create(ada);
    dashboard.engine.hold();
    dashboard.engine.release(1);
    const response = await chat(secret, { stream: true });
    expect(response.status).toBe(200);
    await eventually(() => dashboard.engine.active === 1);
    await ada.post(`/api/keys/${key.id}/revoke`);
    const text = await response.text();
    expect(text).toContain("invalid_api_key");
    expect(text).not.toContain("[DONE]");
    await eventually(() => dashboard.engine.active === 0);
  });

  it("of another account are not there, whatever is tried", async () => {
    const { key, secret } = await create(ada);
    const eve = await dashboard.signUp("eve@example.com");
    for (const [action, body] of [
      ["rotate", { graceHours: 0 }],
      ["disable", {}],
      ["enable", {}],
      ["revoke", {}],
    ] as const) {
      const theirs = await eve.send("POST", `/api/keys/${key.id}/${action}`, body);
      const none = await eve.send("POST", `/api/keys/key_doesnotexist/${action}`, body);
      expect(theirs).toMatchObject({ status: 404, json: { error: { code: "not_found" } } });
      expect(theirs.text).toBe(none.text);
    }
    expect(await eve.get("/api/keys")).toEqual({ keys: [], next: null });
    expect(await models(secret)).toBe(200);
  });

  it("are as many as the plan allows", async () => {
    const bob = await dashboard.signUp("bob@example.com");
    for (let i = 0; i < 20; i++) await create(bob);
    const { status, json } = await bob.send("POST", "/api/keys", {
      name: "one more",
      models: null,
      expiresInDays: null,
    });
    expect({ status, json }).toMatchObject({ status: 409, json: { error: { code: "limit_reached" } } });
  });

  it("keep a name as the text it is", async () => {
    const name = `<img src=x onerror="alert(1)"> & 'co'`;
    const { key } = await create(ada, { name });
    const answer = await ada.send("GET", "/api/keys");
    expect((answer.json as { keys: KeyView[] }).keys.find(({ id }) => id === key.id)?.name).toBe(name);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("take no permission from fields that are not asked for", async () => {
    const { key } = await create(ada, { accountId: "acc_other", hash: "x", operations: [], id: "key_mine" });
    expect(key.id).not.toBe("key_mine");
    const row = await dashboard.app.store.findKey(key.id);
    expect(row).toMatchObject({ operations: null });
    expect(row?.accountId).not.toBe("acc_other");
  });

  it.each([
    [{ name: "" }, "name"],
    [{ name: "x".repeat(81) }, "name"],
    [{ models: [] }, "models"],
    [{ models: ["gpt-4"] }, "models"],
    [{ expiresInDays: 0 }, "expiresInDays"],
    [{ expiresInDays: "30" }, "expiresInDays"],
  ])("are refused with the field named: %j", async (key, field) => {
    const body = { name: "laptop", models: null, expiresInDays: null, ...key };
    expect(await ada.send("POST", "/api/keys", body)).toMatchObject({
      status: 400,
      json: { error: { code: "bad_request", field } },
    });
  });
});
