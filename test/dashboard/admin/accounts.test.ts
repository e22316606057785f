import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  AccountDetail,
  AccountKeys,
  AccountPage,
  BulkResult,
} from "../../../src/protocol/dashboard/accounts.js";
import type { AuditPage } from "../../../src/protocol/dashboard/audit.js";
import type { Me } from "../../../src/protocol/dashboard/api.js";
import type { UsageReport } from "../../../src/core/usage/usage-views.js";
import { textLike } from "../../support/matchers.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";

let dashboard: TestDashboard;
let operator: Browser;
beforeAll(async () => {
  dashboard = await startDashboard({ clock: new FakeClock() });
  operator = await dashboard.setUp();
  await operator.must("PUT", "/api/admin/plans/team", {
    ...{ name: "Team", requestsPerMinute: 60, tokensPerMinute: 60_000, concurrentRequests: 4, maxKeys: 10 },
    ...{ maxTokens: null, models: null },
  });
});
afterAll(() => dashboard.close());

const idOf = async (who: Browser) => (await who.get<Me>("/api/me")).account.id;
const newKey = (who: Browser, name: string) =>
  who.post<{ key: { id: string }; secret: string }>("/api/keys", { name, models: null, expiresInDays: null });
const bulk = (body: object) => operator.post<BulkResult>("/api/admin/accounts/bulk", body);

describe("an admin", () => {
  it("deletes an account with all that belongs to it, but not the own one", async () => {
    const eve = await dashboard.signUp("eve@example.com");
    const id = await idOf(eve);
    const { secret } = await newKey(eve, "k");
    await operator.must("DELETE", `/api/admin/accounts/${id}`);
    expect((await eve.send("GET", "/api/me")).status).toBe(401);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${dashboard.url}/v1/models`, { headers })).status).toBe(401);
    expect((await operator.send("GET", `/api/admin/accounts/${id}`)).status).toBe(404);
    expect((await operator.send("DELETE", `/api/admin/accounts/${id}`)).status).toBe(404);
    const { entries } = await operator.get<AuditPage>("/api/admin/audit");
    expect(entries[0]).toMatchObject({
      ...{ actor: "operator@example.com", action: "deleted account", target: "deleted account" },
    });
    expect(await operator.send("DELETE", `/api/admin/accounts/${await idOf(operator)}`)).toMatchObject({
      ...{ status: 409, json: { error: { message: textLike(/Account page/) } } },
    });
  });

  it("revokes one key of an account, which others may not", async () => {
    const owner = await dashboard.signUp("mallory@example.com");
    const [first, second] = [await newKey(owner, "first"), await newKey(owner, "second")];
    const address = `/api/admin/keys/${first.key.id}/revoke`;
    expect((await owner.send("POST", address)).status).toBe(403);
    expect(await operator.post(address)).toMatchObject({ id: first.key.id, status: "revoked" });
    const statusOf = async (secret: string) =>
      (await fetch(`${dashboard.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status;
    expect([await statusOf(first.secret), await statusOf(second.secret)]).toEqual([401, 200]);
    expect((await operator.send("POST", "/api/admin/keys/key_none/revoke")).status).toBe(404);
    const { entries } = await operator.get<AuditPage>("/api/admin/audit");
    expect(entries[0]).toMatchObject({
      ...{ actor: "operator@example.com", action: "revoked key", targetOwner: "mallory@example.com" },
    });
  });

  it("sees which accounts nobody can sign in to", async () => {
    const local = { email: "local@localhost", passwordHash: null, role: "user", planId: "free" } as const;
    await dashboard.app.store.createAccount(local);
    const { accounts } = await operator.get<AccountPage>("/api/admin/accounts?search=local@localhost");
    expect(accounts).toMatchObject([{ email: "local@localhost", canSignIn: false }]);
  });
});

describe("the page of an account", () => {
  it("has its plan, its sessions, its keys without their secrets, and its usage", async () => {
    const ada = await dashboard.signUp("ada@example.com");
    const id = await idOf(ada);
    await dashboard.browser().post("/api/sign-in", { email: "ada@example.com", password });
    const { key, secret } = await newKey(ada, "laptop");
    dashboard.app.dashboard.usage.record({
      ...{
        accountId: id,
        keyId: key.id,
        model: "omega",
        outcome: "ok",
        promptTokens: 5,
        completionTokens: 7,
      },
    });

    const detail = await operator.get<AccountDetail>(`/api/admin/accounts/${id}`);
    expect(detail).toMatchObject({ account: { email: "ada@example.com", keys: 1 }, plan: { id: "free" } });
    expect(detail.sessions).toHaveLength(2);
    expect(Object.keys(detail.sessions[0] ?? {}).sort()).toEqual(["createdAt", "expiresAt", "lastSeenAt"]);

    const keys = await operator.send("GET", `/api/admin/accounts/${id}/keys`);
    expect(keys.json as AccountKeys).toMatchObject({ total: 1, keys: [{ id: key.id, name: "laptop" }] });
    expect(keys.text).not.toContain(secret);
    expect(keys.text).not.toContain("hash");

    const now = dashboard.app.dashboard.clock.now().getTime();
    const query = new URLSearchParams({
      from: new Date(now - 3_600_000).toISOString(),
      to: new Date(now + 3_600_000).toISOString(),
      step: "hour",
    });
    const usage = await operator.get<UsageReport>(`/api/admin/accounts/${id}/usage?${query.toString()}`);
    expect(usage.totals).toMatchObject({ requests: 1, promptTokens: 5, completionTokens: 7 });
    expect(await operator.send("GET", `/api/admin/accounts/${id}/usage?step=hour`)).toMatchObject({
      status: 400,
      json: { error: { field: "from" } },
    });
  });

  it("ends the sessions of its owner, who has to sign in again", async () => {
    const eve = await dashboard.signUp("eve@example.com");
    const id = await idOf(eve);
    await operator.post(`/api/admin/accounts/${id}/sessions/end`);
    expect((await eve.send("GET", "/api/me")).status).toBe(401);
    expect((await operator.get<AccountDetail>(`/api/admin/accounts/${id}`)).sessions).toEqual([]);
  });

  it.each(["", "/keys", "/usage?from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&step=hour"])(
    "of an unknown account is 404: %s",
    async (part) => {
      expect(await operator.send("GET", `/api/admin/accounts/acc_none${part}`)).toMatchObject({
        status: 404,
        json: { error: { code: "not_found" } },
      });
    },
  );
});

describe("the list of accounts", () => {
  it("continues where a page ended, and counts all accounts only without a search", async () => {
    for (let i = 0; i < 55; i++) {
      await dashboard.app.store.createAccount({
        ...{ email: `member${i}@list.example`, passwordHash: null, role: "user", planId: "free" },
      });
    }
    const get = (query: Record<string, string>) =>
      operator.get<AccountPage>(`/api/admin/accounts?${new URLSearchParams(query).toString()}`);
    const first = await get({ search: "list.example" });
    expect(first.accounts).toHaveLength(50);
    expect(first.total).toBeNull();
    const second = await get({ search: "list.example", after: first.next ?? "" });
    expect(second.next).toBeNull();
    const ids = [...first.accounts, ...second.accounts].map(({ id }) => id);
    expect(new Set(ids).size).toBe(55);
    expect((await get({})).total).toBeGreaterThanOrEqual(56);
  });

  it.each([
    ["after=nowhere", "after"],
    [`after=${"x".repeat(500)}`, "after"],
    [`search=${"x".repeat(201)}`, "search"],
  ])("refuses %s with the field named", async (query, field) => {
    expect(await operator.send("GET", `/api/admin/accounts?${query}`)).toMatchObject({
      status: 400,
      json: { error: { field } },
    });
  });
});

describe("a change to several accounts", () => {
  it("moves, suspends and resumes each, and leaves a line for each in the audit trail", async () => {
    const members = [await dashboard.signUp("m1@example.com"), await dashboard.signUp("m2@example.com")];
    const ids = await Promise.all(members.map(idOf));
    const moved = await bulk({ action: "plan", ids, planId: "team" });
    expect(moved.changed.map(({ planId }) => planId)).toEqual(["team", "team"]);
    expect((await bulk({ action: "suspend", ids })).changed.every(({ suspendedAt }) => suspendedAt)).toBe(
      true,
    );
    for (const member of members) expect((await member.send("GET", "/api/me")).status).toBe(401);
    expect((await bulk({ action: "resume", ids: [...ids, ...ids] })).changed).toHaveLength(2);
    const { entries } = await operator.get<{ entries: { action: string; target: string }[] }>(
      "/api/admin/audit",
    );
    for (const target of ["m1@example.com", "m2@example.com"]) {
      const actions = entries.filter((entry) => entry.target === target).map(({ action }) => action);
      expect(actions.slice(0, 3)).toEqual([
        "resumed account",
        "suspended account",
        "changed plan of account",
      ]);
    }
  });

  it("does not stop at those that cannot be changed, and says why", async () => {
    const id = await idOf(await dashboard.signUp("m3@example.com"));
    const own = await idOf(operator);
    const { changed, refused } = await bulk({ action: "suspend", ids: ["acc_none", own, id] });
    expect(changed.map((account) => account.id)).toEqual([id]);
    expect(refused).toMatchObject([
      { id: "acc_none", email: null, message: "There is no such account." },
      { id: own, email: "operator@example.com" },
    ]);
  });

  it.each([
    [{ action: "suspend", ids: [] }, "ids"],
    [{ action: "suspend", ids: Array.from({ length: 101 }, (_, i) => `acc_${i}`) }, "ids"],
    [{ action: "suspend" }, "ids"],
    [{ action: "delete", ids: ["acc_1"] }, "action"],
    [{ action: "plan", ids: ["acc_1"] }, "planId"],
    [{ action: "plan", ids: ["acc_1"], planId: "none" }, "planId"],
  ])("refuses %j with the field named", async (body, field) => {
    expect(await operator.send("POST", "/api/admin/accounts/bulk", body)).toMatchObject({
      status: 400,
      json: { error: { code: "bad_request", field } },
    });
  });
});
