import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Me } from "../../src/protocol/dashboard/api.js";
import type { AuditPage } from "../../src/protocol/dashboard/audit.js";
import type { SessionView } from "../../src/protocol/dashboard/factors.js";
import { startSmtpServer } from "../support/clients/smtp-server.js";
import { addPhoneApp } from "../support/clients/factors.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { textLike } from "../support/matchers.js";
import { password, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

const dayMs = 24 * 60 * 60_000;

let dashboard: TestDashboard;
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});
afterEach(() => dashboard.close());

const missing = { error: { code: "factor_required" } };

describe("a required second factor", () => {
  it("leaves an account time, and then nothing but adding one", async () => {
    dashboard = await startDashboard({ clock });
    const operator = await dashboard.setUp();
    const ada = await dashboard.signUp("ada@example.com");
    expect((await ada.get<Me>("/api/me")).missingFactor).toBeNull();
    await operator.must("PUT", "/api/admin/second-factor", { requiredFor: "all", graceDays: 3 });
    const by = new Date(clock.now().getTime() + 3 * dayMs).toISOString();
    expect((await ada.get<Me>("/api/me")).missingFactor).toEqual({ by, of: "service", isDue: false });
    expect((await ada.send("GET", "/api/keys")).status).toBe(200);

    clock.advance(3 * dayMs);
    expect((await ada.get<Me>("/api/me")).missingFactor).toEqual({ by, of: "service", isDue: true });
    for (const path of ["/api/keys", "/api/me/stored", "/api/me/sessions", "/api/limits"])
      expect((await ada.send("GET", path)).json, path).toMatchObject(missing);
    expect((await ada.send("POST", "/api/keys")).json).toMatchObject(missing);
    expect((await operator.send("GET", "/api/admin/accounts")).json).toMatchObject(missing);
    const again = dashboard.browser();
    await again.post("/api/sign-in", { email: "ada@example.com", password });
    expect((await again.send("GET", "/api/keys")).json).toMatchObject(missing);

    await addPhoneApp(again, clock);
    expect((await again.get<Me>("/api/me")).missingFactor).toBeNull();
    expect((await again.send("GET", "/api/keys")).status).toBe(200);
    expect((await again.send("DELETE", "/api/me/totp")).json).toMatchObject({
      error: { code: "conflict", message: textLike(/your last one/) },
    });
  });

  it("gives a new account as much time, and someone from an identity provider is not asked", async () => {
    dashboard = await startDashboard({ clock, env: { SOTTO_SECOND_FACTOR: "all" } });
    clock.advance(30 * dayMs);
    const ada = await dashboard.signUp("ada@example.com");
    expect((await ada.send("GET", "/api/keys")).status).toBe(200);
    const { id } = (await ada.get<Me>("/api/me")).account;
    clock.advance(8 * dayMs);
    const { token } = await dashboard.app.dashboard.sessions.open(id, { method: "oidc" });
    const visitor = dashboard.browser();
    visitor.cookies.set("sotto_session", token);
    expect((await visitor.send("GET", "/api/keys")).status).toBe(200);
    const byPassword = dashboard.browser();
    await byPassword.post("/api/sign-in", { email: "ada@example.com", password });
    expect((await byPassword.send("GET", "/api/keys")).json).toMatchObject(missing);
  });

  it("can be for admins alone, and by the configuration, which no page can change", async () => {
    const env = { SOTTO_SECOND_FACTOR: "admins", SOTTO_SECOND_FACTOR_GRACE_DAYS: "0" };
    dashboard = await startDashboard({ clock, env });
    const operator = await dashboard.setUp();
    const ada = await dashboard.signUp("ada@example.com");
    expect((await ada.send("GET", "/api/keys")).status).toBe(200);
    expect((await operator.send("GET", "/api/admin/second-factor")).json).toMatchObject(missing);
    await addPhoneApp(operator, clock);
    expect(await operator.get("/api/admin/second-factor")).toEqual({
      ...{ requiredFor: "admins", graceDays: 0, isConfigured: true },
    });
    const change = { requiredFor: "off", graceDays: 0 };
    expect((await operator.send("PUT", "/api/admin/second-factor", change)).status).toBe(409);
  });
});

it("lost second factors are reset by an admin, who is named in the audit trail, and their owner is told", async () => {
  const smtp = await startSmtpServer();
  dashboard = await startDashboard({ clock, env: { SOTTO_SMTP_URL: smtp.url } });
  const operator = await dashboard.setUp();
  const ada = await dashboard.signUp("ada@example.com");
  await addPhoneApp(ada, clock);
  const { id } = (await ada.get<Me>("/api/me")).account;
  expect(await operator.get<object>(`/api/admin/accounts/${id}`)).toMatchObject({
    factors: { hasTotp: true, passkeys: 0 },
  });
  await operator.post(`/api/admin/accounts/${id}/reset-factors`);
  expect((await ada.send("GET", "/api/me")).status).toBe(401);
  const again = dashboard.browser();
  const entry = await again.post("/api/sign-in", { email: "ada@example.com", password });
  expect(entry).toMatchObject({ account: { id } });
  const { entries } = await operator.get<AuditPage>("/api/admin/audit");
  expect(entries).toContainEqual(
    expect.objectContaining({
      ...{ actor: "operator@example.com", action: "reset second factors of account", targetAccountId: id },
    }),
  );
  const mail = await eventually(() => smtp.mails.find((text) => text.includes("were removed")));
  expect(mail).toContain("To: ada@example.com");
  await smtp.close();
});

describe("the list of sessions", () => {
  const agents = {
    firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    iphone:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  };
  const open = async (agent: string) => {
    const browser = dashboard.browser();
    const body = { email: "ada@example.com", password };
    await browser.send("POST", "/api/sign-in", body, { "user-agent": agent });
    return browser;
  };
  const list = async (browser: { get<T>(path: string): Promise<T> }) =>
    (await browser.get<{ sessions: SessionView[] }>("/api/me/sessions")).sessions;

  it("names browsers without keeping what they call themselves, and ends one or all others", async () => {
    dashboard = await startDashboard({ clock });
    const first = await dashboard.signUp("ada@example.com");
    const [firefox, iphone] = [await open(agents.firefox), await open(agents.iphone)];
    const sessions = await list(firefox);
    expect(sessions.map(({ device }) => device).sort()).toEqual([
      "Firefox on Linux",
      "Safari on iPhone",
      null,
    ]);
    expect(sessions.filter(({ isThisOne }) => isThisOne)).toMatchObject([{ device: "Firefox on Linux" }]);
    for (const rows of dashboard.tables().values()) expect(rows).not.toContain("Gecko");

    const phone = sessions.find(({ device }) => device === "Safari on iPhone")?.id ?? "";
    const bob = await dashboard.signUp("bob@example.com");
    expect((await bob.send("POST", `/api/me/sessions/${phone}/end`)).status).toBe(404);
    await firefox.post(`/api/me/sessions/${phone}/end`);
    expect((await iphone.send("GET", "/api/me")).status).toBe(401);
    expect((await first.send("GET", "/api/me")).status).toBe(200);
    await firefox.post("/api/me/sessions/end-others");
    expect((await first.send("GET", "/api/me")).status).toBe(401);
    expect((await bob.send("GET", "/api/me")).status).toBe(200);
    expect(await list(firefox)).toHaveLength(1);
  });
});
