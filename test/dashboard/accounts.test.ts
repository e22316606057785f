import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noUsage } from "../../src/core/usage/usage-recorder.js";
import type { KeyWithSecret, Me, Site } from "../../src/protocol/dashboard/api.js";
import type { StoredAboutMe, StoredRows } from "../../src/core/accounts/stored-views.js";
import { password, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

describe("accounts", () => {
  let dashboard: TestDashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  it("sign up, are signed in, sign out and sign in again", async () => {
    const ada = await dashboard.signUp("Ada@Example.com");
    const me = await ada.get<Me>("/api/me");
    expect(me).toMatchObject({ account: { email: "Ada@Example.com", role: "user" }, plan: { id: "free" } });
    expect((await ada.get<Site>("/api/site")).me).toEqual(me);

    await ada.post("/api/sign-out");
    expect([...ada.cookies.keys()]).toEqual(["sotto_device"]);
    expect((await ada.send("GET", "/api/me")).json).toMatchObject({ error: { code: "signed_out" } });

    expect(await ada.post("/api/sign-in", { email: "ada@example.com", password })).toEqual(me);
    expect(await ada.get("/api/me")).toEqual(me);
  });

  it("end the session in the store, not only in the browser, when they sign out", async () => {
    const eve = await dashboard.signUp("eve@example.com");
    const cookie = eve.cookieHeader();
    await eve.post("/api/sign-out");
    const replayed = await dashboard.browser().send("GET", "/api/me", undefined, { cookie });
    expect(replayed.status).toBe(401);
  });

  it("sign out everywhere", async () => {
    const first = await dashboard.signUp("everywhere@example.com");
    const second = dashboard.browser();
    await second.post("/api/sign-in", { email: "everywhere@example.com", password });
    await second.post("/api/sign-out-everywhere");
    expect((await first.send("GET", "/api/me")).status).toBe(401);
    expect((await second.send("GET", "/api/me")).status).toBe(401);
  });

  it("change their password, which ends all other sessions", async () => {
    const here = await dashboard.signUp("changes@example.com");
    const there = dashboard.browser();
    await there.post("/api/sign-in", { email: "changes@example.com", password });

    const short = await here.send("POST", "/api/me/password", { next: "short" });
    expect(short).toMatchObject({ status: 400, json: { error: { field: "next" } } });
    expect((await there.send("GET", "/api/me")).status).toBe(200);

    await here.post("/api/me/password", { next: "a new password" });
    expect((await here.send("GET", "/api/me")).status).toBe(200);
    expect((await there.send("GET", "/api/me")).status).toBe(401);
    const signIn = (text: string) =>
      there.send("POST", "/api/sign-in", { email: "changes@example.com", password: text });
    expect((await signIn(password)).status).toBe(400);
    expect((await signIn("a new password")).status).toBe(200);
  });

  it("get the name of the invalid input", async () => {
    const visitor = dashboard.browser();
    const signUp = (body: unknown) => visitor.send("POST", "/api/sign-up", body);
    expect((await signUp({ email: "short@example.com", password: "short" })).json).toEqual({
      error: {
        code: "bad_request",
        message: "The password must have at least 10 characters.",
        field: "password",
      },
    });
    expect((await signUp({ email: "no address", password })).json).toMatchObject({
      error: { code: "bad_request", field: "email" },
    });
    await dashboard.signUp("taken@example.com");
    expect(await signUp({ email: "TAKEN@example.com", password })).toMatchObject({
      status: 409,
      json: { error: { code: "conflict", field: "email" } },
    });
  });

  it("cannot give themselves a role or a plan", async () => {
    const visitor = dashboard.browser();
    const wishes = { role: "admin", plan: "gold", planId: "gold", suspendedAt: null, id: "acc_mine" };
    await visitor.post("/api/sign-up", { email: "wishes@example.com", password, ...wishes });
    await visitor.post("/api/me/password", { next: password, ...wishes });
    const { account, plan } = await visitor.get<Me>("/api/me");
    expect([account.role, plan.id]).toEqual(["user", "free"]);
    expect(account.id).not.toBe("acc_mine");
    expect((await visitor.send("GET", "/api/admin/accounts")).status).toBe(403);
  });

  it("see every row about them, without secrets, and can download it", async () => {
    const ada = await dashboard.signUp("stored@example.com");
    const { secret } = await ada.post<KeyWithSecret>("/api/keys", {
      name: "laptop",
      models: null,
      expiresInDays: null,
    });
    const stored = await ada.get<StoredAboutMe>("/api/me/stored");
    const rows = new Map(stored.tables.map((table) => [table.name, table.rows]));
    expect([...rows.keys()]).toEqual([
      ...[
        "accounts",
        "keys",
        "memberships",
        "scim_users",
        "sessions",
        "totp",
        "passkeys",
        "recovery_codes",
        "sign_in_steps",
      ],
      ...["oidc_identities", "oidc_rounds", "oidc_sessions"],
      ...["links", "usage", "account_days", "key_days", "key_spans"],
      ...["quota_days", "quota_warnings", "webhook_deliveries"],
      ...["audit", "changes"],
    ]);
    expect(rows.get("accounts")).toMatchObject([
      { email: "stored@example.com", password_hash: "(hash, not shown)" },
    ]);
    expect(rows.get("keys")).toMatchObject([{ name: "laptop", hash: "(hash, not shown)" }]);
    expect(rows.get("sessions")).toHaveLength(1);
    expect(rows.get("audit")?.map((row) => row.action)).toContain("signed up");
    expect(stored.tables.every((table) => table.why !== "")).toBe(true);

    const file = await ada.send("GET", "/api/me/export");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="sotto-account.json"');
    const { tables } = file.json as StoredAboutMe;
    expect(tables.map((table) => ({ ...table, next: null }))).toEqual(stored.tables);
    for (const text of [file.text, JSON.stringify(stored)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain("argon2");
    }
  });

  it("see a year of usage page by page, and download all of it", async () => {
    const ada = await dashboard.signUp("busy@example.com");
    const { account } = await ada.get<Me>("/api/me");
    const hours = Array.from({ length: 1_230 }, (_, hour) => ({
      accountId: account.id,
      keyId: "key_1",
      model: "omega" as const,
      start: new Date(Date.UTC(2030, 0, 1, hour)),
      ...noUsage,
      requests: hour,
    }));
    await dashboard.app.store.usage.add(hours);
    const { tables } = await ada.get<StoredAboutMe>("/api/me/stored");
    const first = tables.find(({ name }) => name === "usage");
    expect(first?.rows.length).toBeLessThanOrEqual(50);
    const seen = [...(first?.rows ?? [])];
    for (let next = first?.next ?? null; next !== null;) {
      const page = await ada.get<StoredRows>(
        `/api/me/stored/rows?${new URLSearchParams({ table: "usage", after: next }).toString()}`,
      );
      seen.push(...page.rows);
      next = page.next;
    }
    expect(seen.map((row) => row.requests)).toEqual(hours.map((row) => row.requests).reverse());

    const file = (await ada.send("GET", "/api/me/export")).json as StoredAboutMe;
    expect(file.tables.find(({ name }) => name === "usage")?.rows).toEqual(seen);
  });

  it.each(["table=usage&after=x", "table=usage&after=1+2", "table=plans&after=0", "table=audit&after='", ""])(
    "get 404 for an unknown page of their stored data: %s",
    async (query) => {
      const ada = await dashboard.signUp(`page-${encodeURIComponent(query)}@example.com`);
      expect((await ada.send("GET", `/api/me/stored/rows?${query}`)).status).toBe(400);
    },
  );
});
