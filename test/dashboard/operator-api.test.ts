/** The operator's API: who may use it, and that it does what the admin pages do. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DashboardParts } from "../../src/http/dashboard/parts.js";
import { dashboardRoutes } from "../../src/http/dashboard/routes.js";
import { operatorRoutes } from "../../src/http/operator/operator-api.js";
import type { AccountKeyPage, AccountPage } from "../../src/protocol/dashboard/accounts.js";
import type { AccountView, KeyView, KeyWithSecret, Me, PlanView } from "../../src/protocol/dashboard/api.js";
import type { AuditPage } from "../../src/protocol/dashboard/audit.js";
import type { AdminTeamDetail, AdminTeamList } from "../../src/protocol/dashboard/teams.js";
import type { UsageReport } from "../../src/core/usage/usage-views.js";
import { postChat } from "../support/clients/post-chat.js";
import { describedOperations, OperatorClient } from "../support/clients/operator-client.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";

/** Routes are listed without anything behind them. */
const nothing: unknown = new Proxy(() => undefined, { get: () => nothing, apply: () => nothing });
const routes = operatorRoutes(nothing as DashboardParts);
const reads = routes.filter(({ method }) => method === "GET");
const filled = (path: string) => path.replaceAll(/:\w+/g, "x");

const limits = { requestsPerMinute: 100, tokensPerMinute: 100_000, concurrentRequests: 4 };
const quotas = { requestsPerDay: null, tokensPerDay: null, requestsPerMonth: null, tokensPerMonth: null };
const plan = { name: "Team", maxKeys: 5, maxTokens: null, models: null, ...limits, ...quotas };

const clock = new FakeClock();
let dashboard: TestDashboard;
let operator: Browser;
let reader: OperatorClient;
let writer: OperatorClient;
beforeAll(async () => {
  // The clock stands still: what is held in memory stays fresh unless it is told to go.
  dashboard = await startDashboard({ clock, env: { SOTTO_LIMIT_REQUESTS_PER_MINUTE: "100000" } });
  operator = await dashboard.setUp();
  reader = client(await keyOf(operator, ["admin:read"]));
  writer = client(await keyOf(operator, ["admin:write"]));
});
afterAll(() => dashboard.close());

const client = (key: string | null) => new OperatorClient(dashboard.url, key);
const newKey = (scopes: string[]) => ({ name: "terraform", expiresInDays: null, scopes });
const keyOf = async (who: Browser, scopes: string[]) =>
  (await who.post<KeyWithSecret>("/api/admin/operator-keys", newKey(scopes))).secret;
const idOf = async (who: Browser) => (await who.get<Me>("/api/me")).account.id;
const chat = (secret: string) =>
  postChat(dashboard.url, secret, { messages: [{ role: "user", content: "canary-question" }] });

it("has every route of admins, but for those that say why not", () => {
  const admins = dashboardRoutes(nothing as DashboardParts).filter(({ access }) => access === "admin");
  expect(admins.length - routes.length).toBe(4);
  expect(admins.filter((route) => "sessionOnly" in route).map(({ path }) => path)).toEqual([
    "/admin/operator-keys",
    "/admin/home",
    "/admin/checklist/hide",
    "/admin/checklist/:id",
  ]);
});

it("has every route in its description, and no other", () => {
  const served = routes.map(({ method, path }) => `${method} /api/v1${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  expect(describedOperations().sort()).toEqual(served.sort());
});

describe("who may use it", () => {
  it.each(routes.map(({ method, path }) => [method, filled(path)] as const))(
    "%s %s needs a key of an admin with the scope",
    async (method, path) => {
      const needed = method === "GET" ? "admin:read" : "admin:write";
      // A session is not enough, whatever the browser says.
      expect(await operator.send(method, `/api/v1${path}`)).toMatchObject({
        status: 401,
        json: { error: { type: "authentication_error", code: "invalid_api_key" } },
      });
      // One kind of key that lacks it, or the other.
      const weak = method === "GET" ? client((await ordinary()).secret) : reader;
      const { status, json } = await weak.send(method, path);
      expect({ status, json }).toMatchObject({
        status: 403,
        json: { error: { type: "permission_error", message: expect.stringContaining(needed) as unknown } },
      });
      expect([401, 403]).not.toContain((await writer.send(method, path)).status);
    },
  );

  let made: KeyWithSecret | undefined;
  const ordinary = async () =>
    (made ??= await operator.post<KeyWithSecret>("/api/keys", {
      ...{ name: "laptop", models: null, expiresInDays: null },
    }));

  it("neither an ordinary key nor one for SCIM can read or write", async () => {
    const weak = [client((await ordinary()).secret), client(await keyOf(operator, ["scim"]))];
    for (const one of weak) {
      expect((await one.send("GET", "/plans")).status).toBe(403);
      expect((await one.send("POST", "/plans", { id: "free" })).status).toBe(403);
    }
    expect((await reader.send("GET", "/plans")).status).toBe(200);
    expect((await client(null).send("GET", "/plans")).status).toBe(401);
    expect((await fetch(`${dashboard.url}/api/v1/plans`, { method: "HEAD" })).status).toBe(401);
  });

  it("an address that does not exist is answered after the key", async () => {
    expect((await client(null).send("GET", "/nothing")).status).toBe(401);
    expect((await reader.send("GET", "/nothing")).json).toMatchObject({ error: { code: "not_found" } });
    expect((await writer.send("DELETE", "/plans")).status).toBe(404);
    expect((await client(null).send("GET", "/openapi.json")).json).toMatchObject({ openapi: "3.1.0" });
  });

  it("gives other sites nothing, and answers to no other host name", async () => {
    const { headers, status } = await writer.send("GET", "/plans", undefined, {
      ...{ origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    });
    expect(status).toBe(200);
    expect([...headers.keys()].filter((header) => header.startsWith("access-control"))).toEqual([]);
    expect(headers.get("cache-control")).toBe("no-store");
    const refused = await new Promise<number | undefined>((resolve, reject) => {
      const options = { port: dashboard.app.port, path: "/api/v1/plans", headers: { host: "evil.test" } };
      request(options, ({ statusCode }) => resolve(statusCode))
        .on("error", reject)
        .end();
    });
    expect(refused).toBe(403);
  });

  it("a key ends with its admin's power: demoted, suspended, deleted", async () => {
    const ada = await dashboard.signUp("ada@example.com");
    const id = await idOf(ada);
    expect((await ada.send("POST", "/api/admin/operator-keys", newKey(["admin:write"]))).status).toBe(403);
    await writer.must("POST", `/accounts/${id}/role`, { role: "admin" });
    const hers = client(await keyOf(ada, ["admin:write"]));
    const status = async () => (await hers.send("GET", "/plans")).status;
    expect(await status()).toBe(200);
    await writer.must("POST", `/accounts/${id}/role`, { role: "user" });
    expect(await status()).toBe(403);
    await writer.must("POST", `/accounts/${id}/role`, { role: "admin" });
    expect(await status()).toBe(200);
    await writer.must("POST", `/accounts/${id}/suspend`);
    expect(await status()).toBe(401);
    await writer.must("POST", `/accounts/${id}/resume`);
    expect(await status()).toBe(200);
    await writer.must("DELETE", `/accounts/${id}`);
    expect(await status()).toBe(401);
    expect((await writer.send("GET", `/accounts/${id}`)).status).toBe(404);
  });

  it("limits, networks, expiry and revocation apply as to any key", async () => {
    const create = (more: object) =>
      operator.post<KeyWithSecret>("/api/admin/operator-keys", { ...newKey(["admin:read"]), ...more });
    const ask = async ({ secret }: KeyWithSecret) => client(secret).send("GET", "/plans");
    const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null, ...quotas };
    const limited = await create({ limits: { ...none, requestsPerMinute: 1 } });
    expect((await ask(limited)).headers.get("x-ratelimit-limit-requests")).toBe("1");
    const { status, headers } = await ask(limited);
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);

    expect(await ask(await create({ allowFrom: ["192.0.2.0/24"] }))).toMatchObject({
      ...{ status: 403, json: { error: { code: "ip_not_allowed" } } },
    });
    const revoked = await create({});
    expect((await ask(revoked)).status).toBe(200);
    await writer.must("POST", `/keys/${revoked.key.id}/revoke`);
    expect((await ask(revoked)).status).toBe(401);
  });
});

describe("a key with scopes", () => {
  it("is created, edited and rotated only by an admin who has just proved who they are", async () => {
    const { key } = await operator.post<KeyWithSecret>("/api/admin/operator-keys", newKey(["admin:read"]));
    expect(key).toMatchObject({ scopes: ["admin:read"], models: null });
    clock.advance(11 * 60_000);
    const edit = { name: "renamed", models: null, limits: null, tags: [] };
    const attempts = [
      ["POST", "/api/admin/operator-keys", newKey(["admin:read"])],
      ["PUT", `/api/keys/${key.id}`, edit],
      ["POST", `/api/keys/${key.id}/rotate`, { graceHours: 0 }],
      ["POST", `/api/keys/${key.id}/enable`, {}],
    ] as const;
    for (const [method, path, body] of attempts) {
      expect((await operator.send(method, path, body)).json, path).toMatchObject({
        error: { code: "confirmation_required" },
      });
    }
    await operator.post("/api/me/confirm", { password });
    expect(await operator.must("PUT", `/api/keys/${key.id}`, edit)).toMatchObject({ name: "renamed" });
    const rotated = await operator.post<KeyWithSecret>(`/api/keys/${key.id}/rotate`, { graceHours: 0 });
    expect(rotated.key.scopes).toEqual(["admin:read"]);
    expect((await client(rotated.secret).send("GET", "/plans")).status).toBe(200);
  });

  it("cannot use models, nor create others of its kind", async () => {
    const secret = await keyOf(operator, ["admin:write"]);
    expect((await chat(secret)).status).toBe(403);
    const account = await idOf(operator);
    const body = { account, name: "more", models: null, expiresInDays: null, scopes: ["admin:write"] };
    const { key } = await client(secret).must<{ key: KeyView }>("POST", "/keys", body);
    expect(key.scopes).toEqual([]);
    expect((await client(secret).send("POST", "/operator-keys", newKey(["admin:read"]))).status).toBe(404);
  });

  it("names what is wrong with it", async () => {
    for (const scopes of [[], ["admin:all"]]) {
      expect((await operator.send("POST", "/api/admin/operator-keys", newKey(scopes))).status).toBe(400);
    }
  });
});

describe("what it does", () => {
  it("sets up a customer, serves them, and leaves nothing behind", async () => {
    const wanted = { id: "gold", ...plan };
    expect(await writer.must<PlanView>("POST", "/plans", wanted)).toMatchObject(wanted);
    expect(await writer.send("POST", "/plans", wanted)).toMatchObject({
      status: 409,
      json: { error: { type: "conflict_error", code: "conflict", param: "id" } },
    });
    const changed = await writer.must("PUT", "/plans/gold", { ...plan, name: "Gold" });
    expect(await writer.must("PUT", "/plans/gold", { ...plan, name: "Gold" })).toEqual(changed);
    expect(await reader.must("GET", "/plans/gold")).toEqual(changed);

    const email = "grace@example.com";
    const account = await writer.must<AccountView>("POST", "/accounts", { email, planId: "gold" });
    expect(account).toMatchObject({ email, planId: "gold", role: "user", canSignIn: false });
    expect(await writer.send("POST", "/accounts", { email: email.toUpperCase() })).toMatchObject({
      ...{ status: 409, json: { error: { code: "conflict", param: "email" } } },
    });
    expect(await writer.send("DELETE", "/plans/gold")).toMatchObject({ status: 409 });

    const { key, secret } = await writer.must<KeyWithSecret>("POST", "/keys", {
      ...{ account: account.id, name: "app", models: ["omega"], expiresInDays: 30 },
    });
    expect(await reader.must("GET", `/keys/${key.id}`)).toEqual(key);
    expect((await reader.send("GET", `/keys/${key.id}`)).text).not.toContain(secret);
    const reply = await chat(secret);
    expect(reply.status).toBe(200);
    await reply.text();
    await dashboard.app.dashboard.usage.flush();
    const now = clock.now().getTime();
    const from = new Date(now - 3_600_000).toISOString();
    const to = new Date(now + 3_600_000).toISOString();
    const period = new URLSearchParams({ from, to, step: "hour" }).toString();
    const usage = await reader.must<UsageReport>("GET", `/accounts/${account.id}/usage?${period}`);
    expect(usage.totals).toMatchObject({ requests: 1 });
    expect((await reader.send("GET", `/usage.csv?${period}`)).text).toContain(key.id);

    const { entries } = await reader.must<AuditPage>("GET", `/audit?account=${account.id}`);
    expect(entries.map(({ actor, action }) => `${actor}: ${action}`)).toEqual([
      "operator@example.com: created key",
      "operator@example.com: created account",
    ]);
    for (const { actorKey } of entries) expect(actorKey).toMatch(/^\S.* \(….{4}\)$/);
    expect(await writer.must("DELETE", `/accounts/${account.id}`)).toEqual({});
    expect((await chat(secret)).status).toBe(401);
    expect((await reader.send("GET", `/keys/${key.id}`)).status).toBe(404);
    await writer.must("DELETE", "/plans/gold");
    expect((await reader.send("GET", "/plans/gold")).json).toMatchObject({
      error: { type: "invalid_request_error", code: "not_found" },
    });
  });

  it("shows whatever it creates by its id, without its secret", async () => {
    const hook = await writer.must<{ webhook: { id: string }; secret: string }>("POST", "/webhooks", {
      ...{ url: "https://hooks.example.com/", events: null },
    });
    const read = await reader.send("GET", `/webhooks/${hook.webhook.id}`);
    expect(read.json).toEqual(hook.webhook);
    expect(read.text).not.toContain(hook.secret);

    const secret = "the-client-secret";
    const provider = { id: "okta", name: "Okta", issuer: "https://login.example.com", clientId: "sotto" };
    const saved = await writer.must("POST", "/providers", { ...provider, clientSecret: secret });
    expect((await writer.send("POST", "/providers", provider)).status).toBe(409);
    const shown = await reader.send("GET", "/providers/okta");
    expect(shown.json).toEqual(saved);
    expect(shown.text).not.toContain(secret);

    const { team } = await writer.must<AdminTeamDetail>("POST", "/teams", {
      ...{ name: "Compilers", planId: "free", ownerEmail: "operator@example.com" },
    });
    await writer.must("PUT", `/teams/${team.id}`, { name: "Linkers" });
    expect(await reader.must("GET", `/teams/${team.id}`)).toMatchObject({ team: { name: "Linkers" } });
    const service = await writer.must<KeyWithSecret>("POST", "/keys", {
      ...{ account: team.id, name: "ci", models: null, expiresInDays: null },
    });
    const { keys } = await reader.must<AccountKeyPage>("GET", `/keys?account=${team.id}`);
    expect(keys).toEqual([service.key]);

    const entry = await writer.must<{ id: string }>("POST", "/changelog", { title: "News", body: "Text" });
    expect(await reader.must("GET", `/changelog/${entry.id}`)).toEqual(entry);
    const window = await writer.must<{ id: string }>("POST", "/maintenance", {
      ...{ title: "Disks", body: "" },
      startsAt: new Date(clock.now().getTime() + 3_600_000).toISOString(),
      endsAt: new Date(clock.now().getTime() + 7_200_000).toISOString(),
    });
    expect(await reader.must("GET", `/maintenance/${window.id}`)).toEqual(window);
    await writer.must("POST", "/invites", { email: "new@example.com" });
    const { invites } = await reader.must<{ invites: { id: string }[] }>("GET", "/invites");
    expect(await reader.must("GET", `/invites/${invites[0]?.id}`)).toEqual(invites[0]);
    const facts = { name: "Example", contact: "help@example.com" };
    await writer.must("PUT", "/operator", facts);
    expect(await reader.must("GET", "/operator")).toMatchObject(facts);
  });

  it("reads everything that needs no id, as described, and changes nothing by it", async () => {
    const period = "?from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&step=hour&measure=requests";
    // Others are written in the background, as are some of the settings.
    const tables = ["accounts", "plans", "teams", "memberships", "links", "settings", "audit", "changes"];
    const before = dashboard.tables();
    for (const { path } of reads.filter((route) => !/:|^\/keys$/.test(route.path))) {
      const { status } = await reader.send("GET", path + (path.startsWith("/usage") ? period : ""));
      expect(status, path).toBe(200);
    }
    const after = dashboard.tables();
    for (const table of tables) {
      expect(before.get(table), table).toBeDefined();
      expect(writtenByRequests(after.get(table)), table).toEqual(writtenByRequests(before.get(table)));
    }
    expect(await reader.must("GET", "/models/omega")).toMatchObject({ model: "omega" });
  });

  it("says that nothing has an id that nothing has", async () => {
    for (const { path } of reads.filter((route) => route.path.includes(":"))) {
      const period = "?from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&step=hour";
      expect((await reader.send("GET", filled(path) + period)).json, path).toMatchObject({
        error: { type: "invalid_request_error", code: "not_found" },
      });
    }
  });

  it("lists accounts, teams and keys page by page", async () => {
    const many = Array.from({ length: 55 }, (_, index) => `page-${index}@example.com`);
    for (const email of many) {
      await dashboard.app.store.createAccount({ email, passwordHash: null, role: "user", planId: "free" });
    }
    const found = new Set<string>();
    let next: string | null = "";
    while (next !== null) {
      const query = new URLSearchParams({ search: "page-", ...(next === "" ? {} : { after: next }) });
      const page: AccountPage = await reader.must("GET", `/accounts?${query.toString()}`);
      for (const { email } of page.accounts) found.add(email);
      next = page.next;
    }
    expect(found.size).toBe(many.length);
    expect(await reader.must<AdminTeamList>("GET", "/teams")).toMatchObject({ total: 1, next: null });
    expect((await reader.send("GET", "/accounts?after=nonsense")).json).toMatchObject({
      error: { code: "invalid_value", param: "after" },
    });
    expect((await reader.send("GET", "/keys?account=acc_none")).status).toBe(404);
  });

  it("names the field that is wrong and repeats none of what was sent", async () => {
    const canary = "canary-7f3a";
    const attempts = [
      ["POST", "/plans", { id: canary, name: canary }],
      ["POST", "/accounts", { email: canary }],
      ["POST", "/accounts", { email: "a@b.c", planId: canary }],
      ["PUT", "/providers/okta", { issuer: canary }],
      ["POST", "/webhooks", { url: canary, events: [canary] }],
      ["POST", "/teams", { name: "a", planId: canary, ownerEmail: canary }],
    ] as const;
    for (const [method, path, body] of attempts) {
      const { status, json, text } = await writer.send(method, path, body);
      expect(status, path).toBe(400);
      expect(json).toMatchObject({ error: { param: expect.any(String) as unknown } });
      expect(text).not.toContain(canary);
    }
    const malformed = await fetch(`${dashboard.url}/api/v1/plans`, {
      method: "POST",
      headers: { authorization: `Bearer ${await keyOf(operator, ["admin:write"])}` },
      body: canary,
    });
    expect(malformed.status).toBe(400);
    expect(await malformed.text()).toContain("unsupported_content_type");
    expect(dashboard.log()).not.toContain(canary);
    expect(dashboard.log()).not.toContain("canary-question");
    for (const [, rows] of dashboard.tables()) expect(rows).not.toContain(canary);
  });
});

const writtenByRequests = (rows = ""): string[] =>
  rows.split("\n").filter((row) => !/^{"name":"(?:usage-batch|events)\./.test(row.trim()));
