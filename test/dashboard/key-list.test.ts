import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noKeyLimits } from "../../src/core/entities.js";
import type { KeyList, KeyView, KeyWithSecret, Me } from "../../src/protocol/dashboard/api.js";
import type { KeyPageView, KeyUsageView } from "../../src/protocol/dashboard/keys.js";
import { postChat } from "../support/clients/post-chat.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { type Browser, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

let dashboard: TestDashboard;
const clock = new FakeClock();
beforeAll(async () => {
  dashboard = await startDashboard({ clock });
  const operator = await dashboard.setUp();
  await operator.must("PUT", "/api/admin/plans/free", {
    ...{ name: "Free", requestsPerMinute: 600, tokensPerMinute: 60_000, concurrentRequests: 4, maxKeys: 600 },
    ...{ maxTokens: null, models: null },
  });
});
afterAll(() => dashboard.close());

const plain = { models: null, expiresInDays: null };
const create = (who: Browser, key: object) =>
  who.post<KeyWithSecret>("/api/keys", { name: "laptop", ...plain, ...key });
const page = (who: Browser, query: Record<string, string> = {}) =>
  who.get<KeyPageView>(`/api/keys/page?${new URLSearchParams(query).toString()}`);
const names = async (who: Browser, query: Record<string, string>) =>
  (await page(who, query)).keys.map(({ name }) => name);
const chat = (secret: string, model: string) => postChat(dashboard.url, secret, { model });

describe("among many keys", () => {
  let ada: Browser;
  let secret: string;
  beforeAll(async () => {
    ada = await dashboard.signUp("ada@example.com");
    ({ secret } = await create(ada, { name: "Alpha", tags: ["CI", "team a"] }));
    await create(ada, { name: "beta 10", models: ["omega"], tags: ["ci"] });
    await create(ada, { name: "beta 2", models: ["prism"], expiresInDays: 30 });
    const revoked = await create(ada, { name: "old" });
    await ada.post(`/api/keys/${revoked.key.id}/revoke`);
    const disabled = await create(ada, { name: "paused" });
    await ada.post(`/api/keys/${disabled.key.id}/disable`);
  });

  it("finds by name, tag, last four characters and id", async () => {
    expect(await names(ada, { search: "BETA", sort: "name" })).toEqual(["beta 2", "beta 10"]);
    expect(await names(ada, { search: "team" })).toEqual(["Alpha"]);
    expect(await names(ada, { search: secret.slice(-4), status: "all" })).toContain("Alpha");
    const [first] = (await page(ada, { search: "paused" })).keys;
    expect(await names(ada, { search: first?.id ?? "" })).toEqual(["paused"]);
    expect(await names(ada, { search: "%" })).toEqual([]);
  });

  it("filters by status, model and tag, and counts", async () => {
    expect(await names(ada, { sort: "name" })).toEqual(["Alpha", "beta 2", "beta 10", "paused"]);
    expect(await names(ada, { status: "revoked" })).toEqual(["old"]);
    expect(await names(ada, { status: "disabled" })).toEqual(["paused"]);
    expect(await names(ada, { status: "expired" })).toEqual([]);
    expect(await names(ada, { model: "prism", sort: "name" })).toEqual(["Alpha", "beta 2", "paused"]);
    expect(await names(ada, { tag: "ci", sort: "name" })).toEqual(["Alpha", "beta 10"]);
    expect(await page(ada, { tag: "ci" })).toMatchObject({
      ...{ total: 2, all: 5, working: 4, tags: ["ci", "team a"] },
    });
  });

  it("sorts by name, age, expiry and last use", async () => {
    expect((await names(ada, { sort: "expiry" }))[0]).toBe("beta 2");
    expect((await chat(secret, "omega")).status).toBe(200);
    expect((await names(ada, { sort: "used" }))[0]).toBe("Alpha");
    expect((await names(ada, { sort: "unused" })).at(-1)).toBe("Alpha");
  });

  it("shows the day and the model of the last use, and stores nothing finer", async () => {
    const today = clock.now().toISOString().slice(0, 10);
    const [key] = (await page(ada, { search: "Alpha" })).keys;
    expect(key).toMatchObject({ lastUsedDay: today, lastUsedModel: "omega" });
    const row =
      dashboard
        .tables()
        .get("keys")
        ?.split("\n")
        .find((text) => text.includes('"Alpha"')) ?? "";
    expect(row).toContain(`"last_used_at":${Date.parse(today)}`);
  });

  it("pages through 500 of them", async () => {
    const bob = await dashboard.signUp("bob@example.com");
    const { id } = (await bob.get<Me>("/api/me")).account;
    for (let i = 0; i < 120; i++) {
      await dashboard.app.store.createKey({
        ...{ accountId: id, name: `key ${i}`, hash: Buffer.from(`${i}`.padStart(32, "-")), lastFour: "abcd" },
        ...{ models: null, operations: null, expiresAt: null },
        limits: noKeyLimits,
      });
    }
    const pages = await Promise.all(["0", "1", "2", "3"].map((number) => page(bob, { page: number })));
    expect(pages.map(({ keys }) => keys.length)).toEqual([50, 50, 20, 0]);
    expect(new Set(pages.flatMap(({ keys }) => keys.map((key) => key.id))).size).toBe(120);
    expect(pages[0]?.total).toBe(120);
  });

  it("lists them a page at a time, even if some are created or end in between", async () => {
    const cid = await dashboard.signUp("cid@example.com");
    const { id } = (await cid.get<Me>("/api/me")).account;
    const makeKey = (name: string) =>
      dashboard.app.store.createKey({
        ...{ accountId: id, name, hash: Buffer.from(name.padStart(32, "=")), lastFour: "abcd" },
        ...{ models: null, operations: null, expiresAt: null },
        limits: noKeyLimits,
      });
    for (let i = 0; i < 230; i++) await makeKey(`key ${i}`);
    const list = (after: string | null) =>
      cid.get<KeyList>(`/api/keys${after === null ? "" : `?${new URLSearchParams({ after }).toString()}`}`);
    const found: KeyView[] = [];
    const sizes: number[] = [];
    let after: string | null = null;
    do {
      const { keys, next }: KeyList = await list(after);
      found.push(...keys);
      sizes.push(keys.length);
      after = next;
      clock.advance(1_000);
      await makeKey(`later ${sizes.length}`);
      await cid.post(`/api/keys/${keys.at(-1)?.id ?? ""}/revoke`);
    } while (after !== null);
    expect(sizes).toEqual([100, 100, 30]);
    expect(new Set(found.map(({ name }) => name))).toEqual(
      new Set(Array.from({ length: 230 }, (_, i) => `key ${i}`)),
    );
    const times = found.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
  });

  it.each(["x", "1", "1 key_1 more", "-1 key_1", "1".repeat(101)])(
    "refuses the page %j of the list",
    async (after) => {
      const query = new URLSearchParams({ after }).toString();
      expect(await ada.send("GET", `/api/keys?${query}`)).toMatchObject({
        status: 400,
        json: { error: { code: "bad_request", field: "after" } },
      });
    },
  );

  it.each([
    ["status=gone", "status"],
    ["model=gpt-4", "model"],
    ["sort=size", "sort"],
    ["page=-1", "page"],
    ["page=1.5", "page"],
    [`search=${"x".repeat(201)}`, "search"],
    [`tag=${"x".repeat(31)}`, "tag"],
  ])("refuses %s with the field named", async (query, field) => {
    expect(await ada.send("GET", `/api/keys/page?${query}`)).toMatchObject({
      status: 400,
      json: { error: { code: "bad_request", field } },
    });
  });
});

describe("editing a key", () => {
  let editors = 0;
  const edit = { name: "Nightly", models: ["prism"], tags: ["Batch"] };
  const limits = { requestsPerMinute: 1, tokensPerMinute: null, concurrentRequests: null };

  it("renames it, and applies its new models and limits to the next request", async () => {
    const ada = await dashboard.signUp("edits@example.com");
    const { key, secret } = await create(ada, {});
    expect((await chat(secret, "omega")).status).toBe(200);
    const edited = await ada.must<KeyView>("PUT", `/api/keys/${key.id}`, { ...edit, limits });
    expect(edited).toMatchObject({ name: "Nightly", models: ["prism"], tags: ["batch"], limits });
    expect((await chat(secret, "omega")).status).toBe(403);
    expect((await chat(secret, "prism")).status).toBe(429);
    await ada.must("PUT", `/api/keys/${key.id}`, { name: "Nightly", models: null, tags: [], limits: null });
    expect((await chat(secret, "omega")).status).toBe(200);
    const rows = dashboard.tables().get("audit") ?? "";
    expect(rows).toContain("edited key");
    expect(rows).not.toContain("Nightly");
    expect(rows).not.toContain(secret);
  });

  it("changes its expiry, and leaves it where none is given", async () => {
    const ada = await dashboard.signUp("expiries@example.com");
    const { key } = await create(ada, {});
    const change = async (expiry: object) =>
      (await ada.must<KeyView>("PUT", `/api/keys/${key.id}`, { ...edit, limits: null, ...expiry })).expiresAt;
    const inThirtyDays = await change({ expiresInDays: 30 });
    expect(inThirtyDays).toBe(new Date(clock.now().getTime() + 30 * 86_400_000).toISOString());
    expect(await change({})).toBe(inThirtyDays);
    expect(await change({ expiresInDays: null })).toBeNull();
  });

  it.each([
    [{ name: "" }, "name"],
    [{ name: "a\u202eb" }, "name"],
    [{ models: [] }, "models"],
    [{ models: ["gpt-4"] }, "models"],
    [{ limits: { ...limits, requestsPerMinute: 0 } }, "limits.requestsPerMinute"],
    [{ limits: { ...limits, tokensPerDay: -1 } }, "limits.tokensPerDay"],
    [{ limits: {} }, "limits.requestsPerMinute"],
    [{ limits: "none" }, "limits"],
    [{ expiresInDays: 0 }, "expiresInDays"],
    [{ tags: Array.from({ length: 11 }, (_, i) => `t${i}`) }, "tags"],
    [{ tags: ["x".repeat(31)] }, "tags"],
    [{ tags: ["a,b"] }, "tags"],
    [{ tags: "ci" }, "tags"],
  ])("refuses %j with the field named", async (change, field) => {
    editors += 1;
    const ada = await dashboard.signUp(`editor${editors}@example.com`);
    const { key } = await create(ada, {});
    const body = { ...edit, limits: null, ...change };
    expect(await ada.send("PUT", `/api/keys/${key.id}`, body)).toMatchObject({
      status: 400,
      json: { error: { code: "bad_request", field } },
    });
    expect((await page(ada)).keys[0]).toMatchObject({ name: "laptop", tags: [], models: null });
  });

  it("refuses one that has ended, and one of another account as if it were not there", async () => {
    const ada = await dashboard.signUp("ended@example.com");
    const { key } = await create(ada, {});
    const eve = await dashboard.signUp("eve@example.com");
    const theirs = await eve.send("PUT", `/api/keys/${key.id}`, { ...edit, limits: null });
    const none = await eve.send("PUT", "/api/keys/key_none", { ...edit, limits: null });
    expect(theirs).toMatchObject({ status: 404, json: none.json as object });
    await ada.post(`/api/keys/${key.id}/revoke`);
    expect(await ada.send("PUT", `/api/keys/${key.id}`, { ...edit, limits: null })).toMatchObject({
      status: 409,
      json: { error: { code: "conflict" } },
    });
  });
});

describe("a rotated key", () => {
  it("is shown with what replaced it, and the new one with what it replaced", async () => {
    const ada = await dashboard.signUp("rotates@example.com");
    const old = await create(ada, { tags: ["ci"] });
    const fresh = await ada.post<KeyWithSecret>(`/api/keys/${old.key.id}/rotate`, { graceHours: 0 });
    const { keys } = await page(ada, { status: "all" });
    const byId = (id: string) => keys.find((key) => key.id === id);
    expect(byId(fresh.key.id)).toMatchObject({
      ...{ tags: ["ci"], replaces: { id: old.key.id, lastFour: old.key.lastFour }, replacedBy: null },
    });
    expect(byId(old.key.id)).toMatchObject({
      ...{ replaces: null, replacedBy: { id: fresh.key.id, name: "laptop" } },
    });
  });
});

describe("usage by key", () => {
  it("has the requests and tokens of each key of the account, of the last seven days", async () => {
    const ada = await dashboard.signUp("uses@example.com");
    const { id: accountId } = (await ada.get<Me>("/api/me")).account;
    const keys = [await create(ada, {}), await create(ada, {})].map(({ key }) => key.id);
    const used = { accountId, model: "omega", outcome: "ok", promptTokens: 5, completionTokens: 7 } as const;
    for (const keyId of [keys[0] ?? "", keys[0] ?? "", keys[1] ?? ""]) {
      dashboard.app.dashboard.usage.record({ ...used, keyId });
    }
    const read = async () => (await ada.get<KeyUsageView>("/api/keys/usage")).keys;
    expect(await read()).toContainEqual({ keyId: keys[0], requests: 2, tokens: 24 });
    await dashboard.app.dashboard.usage.flush();
    expect(await read()).toContainEqual({ keyId: keys[1], requests: 1, tokens: 12 });
    expect(await read()).toHaveLength(2);
  });
});
