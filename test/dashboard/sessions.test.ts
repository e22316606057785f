import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { password, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

const dayMs = 24 * 60 * 60_000;

describe("a session", () => {
  let dashboard: TestDashboard;
  let clock: FakeClock;
  beforeEach(() => {
    clock = new FakeClock();
  });
  afterEach(() => dashboard.close());

  const start = async (env: Record<string, string> = {}) => {
    dashboard = await startDashboard({ clock, env });
    return dashboard.signUp("ada@example.com");
  };

  it("is a cookie that scripts cannot read and other sites cannot send with a POST", async () => {
    await start();
    const answer = await dashboard
      .browser()
      .send("POST", "/api/sign-in", { email: "ada@example.com", password });
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^sotto_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=[^;]+$/,
    );
  });

  it("is stored as a hash only", async () => {
    const ada = await start();
    const token = ada.cookies.get("sotto_session") ?? "";
    expect(token).toHaveLength(43);
    const hash = createHash("sha256").update(token).digest();
    expect(await dashboard.app.store.sessions.find(hash)).not.toBeNull();
    for (const [, rows] of dashboard.tables()) expect(rows).not.toContain(token);
  });

  it("is Secure and bound to the host when a trusted proxy says that it came over TLS", async () => {
    await start({ SOTTO_TRUST_PROXY: "loopback" });
    const tls = { "x-forwarded-proto": "https", origin: dashboard.url.replace("http:", "https:") };
    const ada = dashboard.browser();
    const answer = await ada.send("POST", "/api/sign-in", { email: "ada@example.com", password }, tls);
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-sotto_session=/);
    expect(cookie).toContain("; Secure");
    expect(cookie).not.toContain("Domain");
    expect((await ada.send("GET", "/api/me", undefined, tls)).status).toBe(200);

    // One that was planted over plain HTTP does not count over TLS.
    const planted = `sotto_session=${ada.cookies.get("__Host-sotto_session") ?? ""}`;
    const other = await dashboard.browser().send("GET", "/api/me", undefined, { ...tls, cookie: planted });
    expect(other.status).toBe(401);
  });

  it("ignores the headers of an untrusted proxy", async () => {
    await start();
    const answer = await dashboard
      .browser()
      .send("POST", "/api/sign-in", { email: "ada@example.com", password }, { "x-forwarded-proto": "https" });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^sotto_session=/);
    expect(answer.headers.getSetCookie()[0]).not.toContain("Secure");
  });

  it("ends when it was not used for seven days", async () => {
    const ada = await start();
    clock.advance(6.9 * dayMs);
    expect((await ada.send("GET", "/api/me")).status).toBe(200);
    clock.advance(6.9 * dayMs);
    expect((await ada.send("GET", "/api/me")).status).toBe(200);
    clock.advance(7 * dayMs);
    expect((await ada.send("GET", "/api/me")).status).toBe(401);
  });

  it("ends after thirty days however much it is used", async () => {
    const ada = await start();
    for (let day = 0; day < 29; day++) {
      clock.advance(dayMs);
      expect((await ada.send("GET", "/api/me")).status).toBe(200);
    }
    clock.advance(dayMs);
    expect((await ada.send("GET", "/api/me")).status).toBe(401);
  });

  it("writes when it was last seen at most once a minute", async () => {
    const ada = await start();
    const hash = createHash("sha256")
      .update(ada.cookies.get("sotto_session") ?? "")
      .digest();
    const lastSeen = async () => (await dashboard.app.store.sessions.find(hash))?.session.lastSeenAt;
    const begun = clock.now();
    clock.advance(59_000);
    await ada.get("/api/me");
    expect(await lastSeen()).toEqual(begun);
    clock.advance(1_000);
    await ada.get("/api/me");
    expect(await lastSeen()).toEqual(clock.now());
  });

  it("ends at once when its account is suspended by another process", async () => {
    const ada = await start();
    const account = await dashboard.app.store.findAccountByEmail("ada@example.com");
    await dashboard.app.store.setAccountSuspended(account?.id ?? "", clock.now());
    expect((await ada.send("GET", "/api/me")).status).toBe(401);
  });

  it("is a new one at every sign-in, and the old one is over", async () => {
    const ada = await start();
    const old = ada.cookieHeader();
    await ada.post("/api/sign-in", { email: "ada@example.com", password });
    expect(ada.cookieHeader()).not.toBe(old);
    const replayed = await dashboard.browser().send("GET", "/api/me", undefined, { cookie: old });
    expect(replayed.status).toBe(401);
  });

  it.each(["", "x", "sotto", "a".repeat(43), `${"a".repeat(42)}'`, "%00", "../../etc/passwd"])(
    "is not made up: %j",
    async (token) => {
      await start();
      const cookie = `other=1; sotto_session=${token}`;
      expect((await dashboard.browser().send("GET", "/api/me", undefined, { cookie })).status).toBe(401);
    },
  );
});
