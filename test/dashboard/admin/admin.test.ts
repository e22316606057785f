import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { nothingKept } from "../../../src/core/serving/engine-port.js";
import { KeptMemory } from "../../../src/core/serving/kept-memory.js";
import { noQuotas } from "../../../src/core/entities.js";
import type { Access } from "../../../src/http/dashboard/route.js";
import { dashboardRoutes } from "../../../src/http/dashboard/routes.js";
import type { AccountPage } from "../../../src/protocol/dashboard/accounts.js";
import type { AccountView, KeyWithSecret, Me } from "../../../src/protocol/dashboard/api.js";
import type { EngineView } from "../../../src/protocol/dashboard/engines.js";
import { postChat } from "../../support/clients/post-chat.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  type Browser,
  password,
  startDashboard,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";
import { startServer } from "../../support/processes/server.js";

const adminRoutes = [
  ["GET", "/api/admin/accounts"],
  ["POST", "/api/admin/accounts"],
  ["POST", "/api/admin/accounts/bulk"],
  ["GET", "/api/admin/accounts/x"],
  ["DELETE", "/api/admin/accounts/x"],
  ["GET", "/api/admin/accounts/x/keys"],
  ["GET", "/api/admin/accounts/x/usage"],
  ["GET", "/api/admin/accounts/x/month"],
  ["GET", "/api/admin/keys"],
  ["POST", "/api/admin/keys"],
  ["GET", "/api/admin/keys/x"],
  ["POST", "/api/admin/operator-keys"],
  ["POST", "/api/admin/keys/x/revoke"],
  ["POST", "/api/admin/keys/x/restore"],
  ["POST", "/api/admin/accounts/x/sessions/end"],
  ["POST", "/api/admin/accounts/x/suspend"],
  ["POST", "/api/admin/accounts/x/resume"],
  ["POST", "/api/admin/accounts/x/plan"],
  ["POST", "/api/admin/accounts/x/role"],
  ["POST", "/api/admin/accounts/x/reset-link"],
  ["GET", "/api/admin/operator"],
  ["PUT", "/api/admin/operator"],
  ["GET", "/api/admin/invites"],
  ["POST", "/api/admin/invites"],
  ["GET", "/api/admin/invites/x"],
  ["DELETE", "/api/admin/invites/x"],
  ["GET", "/api/admin/plans"],
  ["GET", "/api/admin/plans/month"],
  ["POST", "/api/admin/plans"],
  ["GET", "/api/admin/plans/x"],
  ["PUT", "/api/admin/plans/x"],
  ["DELETE", "/api/admin/plans/x"],
  ["GET", "/api/admin/engines"],
  ["GET", "/api/admin/model-suggestion"],
  ["GET", "/api/admin/models"],
  ["GET", "/api/admin/models/choices"],
  ["GET", "/api/admin/models/x"],
  ["POST", "/api/admin/models/preflight"],
  ["POST", "/api/admin/models/x/weights"],
  ["POST", "/api/admin/models/x/engine"],
  ["POST", "/api/admin/models/x/default"],
  ["POST", "/api/admin/models/x/roll-back"],
  ["POST", "/api/admin/pulls"],
  ["GET", "/api/admin/pulls/x"],
  ["POST", "/api/admin/pulls/x/pause"],
  ["POST", "/api/admin/pulls/x/resume"],
  ["DELETE", "/api/admin/pulls/x"],
  ["GET", "/api/admin/changelog"],
  ["GET", "/api/admin/changelog/x"],
  ["POST", "/api/admin/changelog"],
  ["PUT", "/api/admin/changelog/x"],
  ["DELETE", "/api/admin/changelog/x"],
  ["GET", "/api/admin/changelog/drafts"],
  ["POST", "/api/admin/changelog/drafts/x"],
  ["DELETE", "/api/admin/changelog/drafts/x"],
  ["GET", "/api/admin/maintenance"],
  ["GET", "/api/admin/maintenance/x"],
  ["POST", "/api/admin/maintenance"],
  ["PUT", "/api/admin/maintenance/x"],
  ["POST", "/api/admin/maintenance/x/end"],
  ["GET", "/api/admin/audit"],
  ["GET", "/api/admin/audit.csv"],
  ["GET", "/api/admin/home"],
  ["GET", "/api/admin/alerts"],
  ["POST", "/api/admin/alerts/x/dismiss"],
  ["POST", "/api/admin/alerts/x/restore"],
  ["POST", "/api/admin/checklist/hide"],
  ["POST", "/api/admin/checklist/x"],
  ["GET", "/api/admin/usage"],
  ["GET", "/api/admin/usage/top"],
  ["GET", "/api/admin/usage.csv"],
  ["GET", "/api/admin/second-factor"],
  ["PUT", "/api/admin/second-factor"],
  ["POST", "/api/admin/accounts/x/reset-factors"],
  ["GET", "/api/admin/providers"],
  ["POST", "/api/admin/providers"],
  ["GET", "/api/admin/providers/x"],
  ["PUT", "/api/admin/providers/x"],
  ["POST", "/api/admin/providers/x/test"],
  ["DELETE", "/api/admin/providers/x"],
  ["GET", "/api/admin/webhooks"],
  ["POST", "/api/admin/webhooks"],
  ["GET", "/api/admin/webhooks/x"],
  ["PUT", "/api/admin/webhooks/x"],
  ["DELETE", "/api/admin/webhooks/x"],
  ["POST", "/api/admin/webhooks/x/secret"],
  ["POST", "/api/admin/webhooks/x/test"],
  ["GET", "/api/admin/webhook-deliveries"],
  ["GET", "/api/admin/webhook-deliveries/x"],
  ["POST", "/api/admin/webhook-deliveries/x/redeliver"],
  ["GET", "/api/admin/teams"],
  ["POST", "/api/admin/teams"],
  ["GET", "/api/admin/teams/x"],
  ["PUT", "/api/admin/teams/x"],
  ["DELETE", "/api/admin/teams/x"],
  ["POST", "/api/admin/teams/x/plan"],
  ["PUT", "/api/admin/teams/x/quotas"],
  ["PUT", "/api/admin/teams/x/security"],
  ["POST", "/api/admin/teams/x/suspend"],
  ["POST", "/api/admin/teams/x/resume"],
  ["PUT", "/api/admin/teams/x/members/x"],
  ["DELETE", "/api/admin/teams/x/members/x"],
  ["GET", "/api/admin/teams/x/usage"],
  ["GET", "/api/admin/teams/x/month"],
] as const;

describe("an admin", () => {
  let dashboard: TestDashboard;
  let operator: Browser;
  let ada: Browser;
  let adaId: string;
  /** Were admins, until they were demoted and suspended. */
  let demoted: Browser;
  let suspended: Browser;
  beforeAll(async () => {
    // The clock stands still: what is held in memory stays fresh unless it is told to go.
    dashboard = await startDashboard({ clock: new FakeClock() });
    operator = await dashboard.setUp();
    ada = await dashboard.signUp("ada@example.com");
    adaId = (await ada.get<Me>("/api/me")).account.id;
    const former = async (email: string, end: string, body: object) => {
      const browser = await dashboard.signUp(email);
      const { id } = (await browser.get<Me>("/api/me")).account;
      await operator.post(`/api/admin/accounts/${id}/role`, { role: "admin" });
      expect((await browser.send("GET", "/api/admin/plans")).status).toBe(200);
      await operator.post(`/api/admin/accounts/${id}/${end}`, body);
      return browser;
    };
    demoted = await former("demoted@example.net", "role", { role: "user" });
    suspended = await former("suspended@example.net", "suspend", {});
  });
  afterEach(() => dashboard.engine.release());
  afterAll(() => dashboard.close());

  const find = async (search: string) =>
    (await operator.get<AccountPage>(`/api/admin/accounts?search=${search}`)).accounts;

  it.each(adminRoutes)("%s %s is for admins only", async (method, path) => {
    for (const user of [ada, demoted])
      expect((await user.send(method, path)).json).toMatchObject({ error: { code: "forbidden" } });
    for (const stranger of [dashboard.browser(), suspended])
      expect((await stranger.send(method, path)).json).toMatchObject({ error: { code: "signed_out" } });
    expect([401, 403]).not.toContain((await operator.send(method, path)).status);
  });

  it("has all of its routes in the list above, so that none is left open by mistake", async () => {
    const server = await startServer();
    const routes = dashboardRoutes({
      http: server.parts,
      dashboard: dashboard.app.dashboard,
      memory: new KeptMemory({
        engine: dashboard.engine,
        schemasOf: () => nothingKept,
        items: null,
        tellOthers: null,
      }),
      models: dashboard.app.models,
      version: "1",
      publicUrl: undefined,
      listenHost: "127.0.0.1",
      machineName: "test",
      feedId: "feed",
      queue: () => ({ running: 0, waiting: 0 }),
      sharers: () => [],
      defaultMaxTokens: () => 256,
      limitsHealth: () => "ok",
      memoryBytes: () => null,
      compute: () => null,
      members: () => [],
      weights: async () => null,
      suggestion: () => null,
      backupCommand: null,
      typed: (text) => text,
      webDir: "",
    });
    await server.close();
    const addresses = (who: Access) =>
      routes
        .filter(({ access }) => access === who)
        .map(({ method, path }) => `${method} /api${path.replaceAll(/:\w+/g, "x")}`)
        .sort();
    expect(addresses("admin")).toEqual(adminRoutes.map((route) => route.join(" ")).sort());
    expect(addresses("anyone")).toEqual([
      "GET /api/changelog",
      "GET /api/models",
      "GET /api/sign-in/join",
      "GET /api/site",
      "GET /api/status",
      "GET /api/status/history",
      "POST /api/confirm",
      "POST /api/reset",
      "POST /api/reset/request",
      "POST /api/setup",
      "POST /api/sign-in",
      "POST /api/sign-in/join",
      "POST /api/sign-in/link",
      "POST /api/sign-in/passkey",
      "POST /api/sign-in/passkey/options",
      "POST /api/sign-in/second-factor",
      "POST /api/sign-in/second-factor/passkey",
      "POST /api/sign-out",
      "POST /api/sign-up",
      "POST /api/sign-up/provider",
    ]);
    for (const route of addresses("user")) {
      const [method = "", path = ""] = route.split(" ");
      for (const stranger of [dashboard.browser(), suspended])
        expect((await stranger.send(method, path)).json, route).toMatchObject({
          error: { code: "signed_out" },
        });
    }
  });

  it("finds accounts by part of their address", async () => {
    await dashboard.signUp("bob@example.org");
    expect((await find("EXAMPLE.ORG")).map(({ email }) => email)).toEqual(["bob@example.org"]);
    expect(await find("nobody")).toEqual([]);
    expect(await find("%25")).toEqual([]);
    expect(await find(encodeURIComponent("' or '1'='1"))).toEqual([]);
  });

  it("suspends an account: keys answer 401, sessions and streams end, until it is resumed", async () => {
    const eve = await dashboard.signUp("eve@example.com");
    const { id } = (await eve.get<Me>("/api/me")).account;
    const { secret } = await eve.post<KeyWithSecret>("/api/keys", {
      name: "laptop",
      models: null,
      expiresInDays: null,
    });
    const authorization = `Bearer ${secret}`;
    const models = async () =>
      (await fetch(`${dashboard.url}/v1/models`, { headers: { authorization } })).status;
    expect(await models()).toBe(200);
    dashboard.engine.hold();
    const messages = [{ role: "user", content: "Hi" }];
    dashboard.engine.release(1);
    const stream = await postChat(dashboard.url, secret, { stream: true, messages });
    const opening = eve.open("POST", "/api/playground", { model: "omega", stream: true, messages });
    await eventually(() => dashboard.engine.active === 2);
    dashboard.engine.release(2);
    const playground = await opening;

    const suspended = await operator.post<AccountView>(`/api/admin/accounts/${id}/suspend`);
    expect(suspended.suspendedAt).not.toBeNull();
    expect(await models()).toBe(401);
    expect((await eve.send("GET", "/api/me")).status).toBe(401);
    expect(await stream.text()).not.toContain("[DONE]");
    expect(await playground.text()).not.toContain("[DONE]");
    await eventually(() => dashboard.engine.active === 0);

    const resumed = await operator.post<AccountView>(`/api/admin/accounts/${id}/resume`);
    expect(resumed.suspendedAt).toBeNull();
    expect(await models()).toBe(200);
    expect((await eve.send("GET", "/api/me")).status).toBe(401);
    await eve.post("/api/sign-in", { email: "eve@example.com", password });
  });

  it("who is the last admin cannot be suspended or demoted, even by themselves", async () => {
    const { id } = (await operator.get<Me>("/api/me")).account;
    for (const [action, body] of [
      ["suspend", {}],
      ["role", { role: "user" }],
    ] as const) {
      expect((await operator.send("POST", `/api/admin/accounts/${id}/${action}`, body)).json).toMatchObject({
        error: { code: "conflict" },
      });
    }
    await operator.post(`/api/admin/accounts/${adaId}/role`, { role: "admin" });
    expect((await ada.send("GET", "/api/admin/plans")).status).toBe(200);
    await operator.post(`/api/admin/accounts/${adaId}/role`, { role: "user" });
    expect((await ada.send("GET", "/api/admin/plans")).status).toBe(403);
  });

  it("creates plans, puts accounts on them, and deletes unused ones", async () => {
    const plan = {
      name: "Gold",
      requestsPerMinute: 1,
      tokensPerMinute: 1000,
      concurrentRequests: 2,
      maxKeys: 3,
      maxTokens: 100,
      requiresEncryption: true,
      weight: 5,
      models: ["omega"],
      ...noQuotas,
    };
    expect(await operator.must("PUT", "/api/admin/plans/gold", plan)).toEqual({ id: "gold", ...plan });
    expect(await operator.post(`/api/admin/accounts/${adaId}/plan`, { planId: "gold" })).toMatchObject({
      planId: "gold",
    });
    expect((await ada.get<Me>("/api/me")).plan).toEqual({ id: "gold", ...plan });
    const { plans } = await operator.get<{ plans: { id: string; accounts: number }[] }>("/api/admin/plans");
    expect(plans.find(({ id }) => id === "gold")?.accounts).toBe(1);
    expect((await operator.send("DELETE", "/api/admin/plans/gold")).status).toBe(409);
    const unknown = await operator.send("POST", `/api/admin/accounts/${adaId}/plan`, { planId: "none" });
    expect(unknown).toMatchObject({ status: 400, json: { error: { field: "planId" } } });
    await operator.post(`/api/admin/accounts/${adaId}/plan`, { planId: "free" });
    await operator.must("DELETE", "/api/admin/plans/gold");
    expect((await operator.send("DELETE", "/api/admin/plans/gold")).status).toBe(404);
    expect((await operator.send("DELETE", "/api/admin/plans/free")).status).toBe(409);
    expect((await operator.send("PUT", "/api/admin/plans/UP%20PER", plan)).status).toBe(400);
  });

  it("sees an engine once, with the models it serves, and its tokens while it works", async () => {
    const read = async () => (await operator.get<{ engines: EngineView[] }>("/api/admin/engines")).engines;
    dashboard.engine.hold();
    const body = { model: "prism", messages: [{ role: "user", content: "Hi" }], stream: true };
    const reply = await Promise.all([
      ada.open("POST", "/api/playground", body),
      eventually(async () => (await read()).some(({ active }) => active === 1)).then(() =>
        dashboard.engine.release(2),
      ),
    ]);
    const [engine, ...others] = await eventually(async () => {
      const engines = await read();
      return engines.some(({ tokensPerSecond }) => tokensPerSecond > 0) && engines;
    });
    expect(others).toEqual([]);
    expect(engine).toMatchObject({
      models: ["omega", "prism", "lambda"],
      serving: "fake",
      state: "ready",
      active: 1,
      capacity: 4,
      waiting: 0,
      memoryBytes: null,
    });
    dashboard.engine.release();
    await reply[0].text();
    await eventually(async () => (await read()).some(({ queueWaitMsP50 }) => queueWaitMsP50 !== null));
  });

  it("sees the audit trail, newest first, page by page", async () => {
    interface Page {
      entries: { id: string; actor: string; action: string; target: string }[];
      next: string | null;
    }
    for (let i = 0; i < 105; i++) {
      await operator.post("/api/admin/changelog", { title: `Entry ${i}`, body: "" });
    }
    const first = await operator.get<Page>("/api/admin/audit");
    expect(first.entries).toHaveLength(100);
    const second = await operator.get<Page>(`/api/admin/audit?before=${first.next ?? ""}`);
    const all = [...first.entries, ...second.entries];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(second.next).toBeNull();
    expect(all).toContainEqual(
      expect.objectContaining({
        actor: "operator@example.com",
        action: "suspended account",
        target: "eve@example.com",
      }),
    );
    // Announcements and plans by what they are called.
    expect(first.entries[0]).toMatchObject({ target: "Entry 104", targetIsId: false });
    expect(all.at(-1)).toMatchObject({ action: "set up the service", actor: "operator@example.com" });
    expect(all.map(({ action }) => action)).not.toContain("signed in failed");
    // Addresses are looked up when it is read; none are in the rows, of people or of networks.
    const rows = dashboard.tables().get("audit") ?? "";
    expect(rows).not.toContain("@");
    expect(rows).not.toContain("127.0.0.1");
  });
});
