import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureSetupLink, OneTimeLinks } from "../../src/core/sign-in/one-time-links.js";
import type { Me, OneTimeLink, Site } from "../../src/protocol/dashboard/api.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  tokenOf,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

const hourMs = 60 * 60_000;

let dashboard: TestDashboard;
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});
afterEach(() => dashboard.close());

const start = async (env: Record<string, string> = {}) => {
  dashboard = await startDashboard({ clock, env });
};
const setupLink = () => ensureSetupLink(dashboard.app.store, clock, "https://chat.example.com");
const setUp = (link: string | null, email: string) =>
  dashboard.browser().send("POST", "/api/setup", { token: tokenOf(link ?? ""), email, password });
const accountId = async (email: string) =>
  (await dashboard.app.store.findAccountByEmail(email))?.id ?? "none";

describe("the set-up link", () => {
  it("makes exactly one account out of thirty that try at once", async () => {
    await start();
    const link = await setupLink();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => setUp(link, `operator${i}@example.com`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    expect(await dashboard.app.store.listAccounts()).toMatchObject([{ role: "admin" }]);
  });

  it("is given out once, and never again once there is an admin", async () => {
    await start();
    const link = await setupLink();
    expect(link).toMatch(/^https:\/\/chat\.example\.com\/setup#token=[A-Za-z0-9_-]{43}$/);
    expect(await setupLink()).toBeNull();
    expect((await dashboard.browser().get<Site>("/api/site")).needsSetup).toBe(true);
    expect((await setUp(link, "operator@example.com")).json).toMatchObject({ account: { role: "admin" } });
    expect((await dashboard.browser().get<Site>("/api/site")).needsSetup).toBe(false);
    clock.advance(100 * hourMs);
    expect(await setupLink()).toBeNull();
    expect((await setUp(link, "second@example.com")).status).toBe(404);
  });

  it("expires after a day, and the next start makes a new one", async () => {
    await start();
    const old = await setupLink();
    clock.advance(24 * hourMs);
    expect((await setUp(old, "operator@example.com")).status).toBe(404);
    const renewed = await setupLink();
    expect((await setUp(renewed, "operator@example.com")).status).toBe(200);
  });

  it("survives a mistake", async () => {
    await start();
    const link = await setupLink();
    await dashboard.signUp("taken@example.com");
    expect((await setUp(link, "taken@example.com")).status).toBe(409);
    expect((await setUp(link, "no address")).status).toBe(400);
    expect((await setUp(link, "operator@example.com")).status).toBe(200);
  });

  it("is refused when made up", async () => {
    await start();
    await setupLink();
    for (const token of ["a".repeat(43), "a".repeat(20), "' or 1=1 --".padEnd(43, "x")]) {
      const body = { token, email: "x@example.com", password };
      expect((await dashboard.browser().send("POST", "/api/setup", body)).status).toBe(404);
    }
  });
});

describe("a reset link", () => {
  it("sets a new password once and ends all sessions", async () => {
    await start();
    const operator = await dashboard.setUp();
    const ada = await dashboard.signUp("ada@example.com");
    const path = `/api/admin/accounts/${await accountId("ada@example.com")}/reset-link`;
    const { link, expiresAt } = await operator.post<OneTimeLink>(path);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/reset#token=/);
    expect(new Date(expiresAt).getTime() - clock.now().getTime()).toBe(hourMs);
    for (const [, rows] of dashboard.tables()) expect(rows).not.toContain(tokenOf(link));

    const reset = (next: string) =>
      dashboard.browser().send("POST", "/api/reset", { token: tokenOf(link), password: next });
    expect((await reset("short")).status).toBe(400);
    const done = await reset("a brand new one");
    expect(done).toMatchObject({ status: 200, json: { account: { email: "ada@example.com" } } });
    expect(done.headers.getSetCookie()).toHaveLength(2);
    expect((await ada.send("GET", "/api/me")).status).toBe(401);
    expect((await reset("yet another one")).status).toBe(404);
    await ada.post("/api/sign-in", { email: "ada@example.com", password: "a brand new one" });
  });

  it("expires after an hour", async () => {
    await start();
    const operator = await dashboard.setUp();
    await dashboard.signUp("ada@example.com");
    const path = `/api/admin/accounts/${await accountId("ada@example.com")}/reset-link`;
    const { link } = await operator.post<OneTimeLink>(path);
    clock.advance(hourMs);
    const body = { token: tokenOf(link), password: "a brand new one" };
    expect((await dashboard.browser().send("POST", "/api/reset", body)).status).toBe(404);
  });

  it("is requested with the same answer whether or not the address has an account", async () => {
    await start();
    await dashboard.signUp("ada@example.com");
    const ask = (email: string) => dashboard.browser().send("POST", "/api/reset/request", { email });
    const [known, unknown] = [await ask("ada@example.com"), await ask("nobody@example.com")];
    expect(known).toMatchObject({ status: 200, text: "{}" });
    expect(unknown).toMatchObject({ status: 200, text: "{}" });
    for (let i = 0; i < 2; i++) {
      await ask("ada@example.com");
      await ask("nobody@example.com");
    }
    expect((await ask("ada@example.com")).status).toBe(429);
    expect((await ask("nobody@example.com")).status).toBe(429);
  });
});

describe("an invitation", () => {
  const invite = async (body: object = {}) => {
    const operator = await dashboard.setUp();
    return tokenOf((await operator.post<OneTimeLink>("/api/admin/invites", body)).link);
  };
  const signUp = (email: string, token?: string) =>
    dashboard.browser().send("POST", "/api/sign-up", {
      email,
      password,
      ...(token === undefined ? {} : { invite: token }),
    });

  it("is needed where sign-up is by invitation, and works once", async () => {
    await start({ SOTTO_SIGN_UP: "invite" });
    const token = await invite();
    expect(await signUp("ada@example.com")).toMatchObject({ status: 403 });
    expect((await signUp("ada@example.com", "a".repeat(43))).status).toBe(404);
    expect((await signUp("ada@example.com", token)).json).toMatchObject({ account: { role: "user" } });
    expect((await signUp("bob@example.com", token)).status).toBe(404);
  });

  it("makes one account out of ten that try at once", async () => {
    await start({ SOTTO_SIGN_UP: "invite" });
    const token = await invite();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => signUp(`user${i}@example.com`, token)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await dashboard.app.store.listAccounts()).toHaveLength(2);
  });

  it("for an address is for that address, which is stored only while it is pending", async () => {
    await start({ SOTTO_SIGN_UP: "invite" });
    const token = await invite({ email: "Ada@example.com" });
    expect(dashboard.tables().get("links")).toMatch(/Ada@example/);
    expect((await signUp("eve@example.com", token)).json).toMatchObject({ error: { field: "email" } });
    expect((await signUp("ada@Example.com", token)).status).toBe(200);
    expect(dashboard.tables().get("links")).toBe("");
  });

  it("does not open a closed door", async () => {
    await start({ SOTTO_SIGN_UP: "closed" });
    const operator = await dashboard.setUp();
    expect((await operator.send("POST", "/api/admin/invites", {})).status).toBe(409);
    expect((await signUp("ada@example.com")).status).toBe(403);
    expect((await operator.get<Site>("/api/site")).signUp).toBe("closed");
    expect((await operator.get<Me>("/api/me")).account.role).toBe("admin");
  });
});

describe("the link of sotto open", () => {
  const enter = (path: string) =>
    dashboard.browser().send("POST", "/api/sign-in/link", { token: tokenOf(path) });
  const newLink = async () => {
    await start();
    const { store } = dashboard.app;
    await setUp(await setupLink(), "operator@example.com");
    return new OneTimeLinks(store.links, clock).signIn(await accountId("operator@example.com"));
  };

  it("signs the admin in exactly once, and the audit trail has it", async () => {
    const { path } = await newLink();
    expect(path).toMatch(/^\/sign-in#token=[A-Za-z0-9_-]{43}$/);
    const answers = await Promise.all([enter(path), enter(path), enter(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(answers.find(({ status }) => status === 200)?.json).toMatchObject({ account: { role: "admin" } });
    const [line] = await dashboard.app.store.audit.list(null, 1);
    expect(line).toMatchObject({ action: "signed in", actor: await accountId("operator@example.com") });
  });

  it("works for five minutes, and not as any other link", async () => {
    const { path } = await newLink();
    const reset = { token: tokenOf(path), password };
    expect((await dashboard.browser().send("POST", "/api/reset", reset)).status).toBe(404);
    clock.advance(5 * 60_000);
    expect((await enter(path)).status).toBe(404);
  });
});
