/** The abuse inbox: what raises an alert, what an admin does about it in one click, and how each is undone. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultPlan } from "../../../src/core/accounts/accounts.js";
import type { AbuseAlert } from "../../../src/core/admin/service-views.js";
import { noUsage } from "../../../src/core/usage/usage-recorder.js";
import type { UsageBucketRow } from "../../../src/core/usage/ports.js";
import type { AbuseAlertList } from "../../../src/protocol/dashboard/admin.js";
import type { KeyView, KeyWithSecret, Me } from "../../../src/protocol/dashboard/api.js";
import type { AuditPage } from "../../../src/protocol/dashboard/audit.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  type Browser,
  startDashboard,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";

const hourMs = 3_600_000;
const minuteMs = 60_000;

describe("alerts about accounts", () => {
  let dashboard: TestDashboard;
  let clock: FakeClock;
  let operator: Browser;
  let ada: Browser;
  let adaId: string;
  beforeEach(async () => {
    clock = new FakeClock(new Date("2030-01-15T12:20:00Z"));
    dashboard = await startDashboard({ clock });
    operator = await dashboard.setUp();
    ada = await dashboard.signUp("ada@example.com");
    adaId = (await ada.get<Me>("/api/me")).account.id;
  });
  afterEach(() => dashboard.close());

  const alerts = async (): Promise<AbuseAlert[]> =>
    (await operator.get<AbuseAlertList>("/api/admin/alerts")).alerts;
  const emails = async () => (await alerts()).map(({ account }) => account.email);
  const audited = async () =>
    (await operator.get<AuditPage>(`/api/admin/audit?account=${adaId}`)).entries.map(({ action }) => action);
  /** Counts of one hour, so many hours ago. */
  const use = (counts: Partial<UsageBucketRow>, hoursAgo = 0, accountId = adaId) => {
    const nowMs = clock.now().getTime() - hoursAgo * hourMs;
    const start = new Date(nowMs - (nowMs % hourMs));
    const place = { accountId, keyId: "playground", model: "omega", start } as const;
    return dashboard.app.store.usage.add([{ ...noUsage, ...place, ...counts }]);
  };
  const newKey = async () =>
    (await ada.post<KeyWithSecret>("/api/keys", { name: "laptop", models: null, expiresInDays: null })).key;

  it("are none while nothing is unusual", async () => {
    await use({ requests: 299, errors: 49, rateLimited: 99, unavailable: 5_000, promptTokens: 999_999 });
    expect(await alerts()).toEqual([]);
  });

  it.each([
    ["requests", { requests: 300 }, 300],
    ["tokens", { promptTokens: 900_000, completionTokens: 100_000 }, 1_000_000],
    ["refusals", { rateLimited: 100 }, 100],
    ["errors", { errors: 50 }, 50],
  ] as const)("are raised by %s of an account without a past", async (kind, counts, count) => {
    await use(counts);
    expect(await alerts()).toMatchObject([
      {
        account: { id: adaId, email: "ada@example.com", role: "user" },
        hour: "2030-01-15T12:00:00.000Z",
        signals: [{ kind, count, usual: 0 }],
      },
    ]);
  });

  it("compare with the usual hour of the week before, without the last day", async () => {
    for (const daysAgo of [2, 3, 4]) await use({ requests: 100 }, daysAgo * 24);
    // Neither what it did today nor what is long ago is its usual.
    await use({ requests: 10_000 }, 5);
    await use({ requests: 10_000 }, 9 * 24);
    await use({ requests: 500 });
    expect(await alerts()).toEqual([]);
    await use({ requests: 1 });
    expect(await alerts()).toMatchObject([{ signals: [{ kind: "requests", count: 501, usual: 100 }] }]);
  });

  it("stay for the hour after, and no longer", async () => {
    await use({ requests: 300 });
    clock.advance(hourMs);
    expect(await emails()).toEqual(["ada@example.com"]);
    clock.advance(hourMs);
    expect(await alerts()).toEqual([]);
  });

  it("come in the order of how unusual they are, ten at most", async () => {
    await use({ requests: 300 });
    for (let index = 0; index < 10; index++) {
      const browser = await dashboard.signUp(`user${index}@example.com`);
      await use({ requests: 400 + index }, 0, (await browser.get<Me>("/api/me")).account.id);
    }
    expect(await emails()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((index) => `user${index}@example.com`));
  });

  it("are dismissed for a day, which can be undone; both are audited", async () => {
    await use({ requests: 300 });
    await operator.post(`/api/admin/alerts/${adaId}/dismiss`);
    expect(await alerts()).toEqual([]);
    clock.advance(minuteMs);
    await operator.post(`/api/admin/alerts/${adaId}/restore`);
    expect(await emails()).toEqual(["ada@example.com"]);
    expect((await audited()).slice(0, 2)).toEqual([
      "restored alert of account",
      "dismissed alert of account",
    ]);
    clock.advance(minuteMs);
    await operator.post(`/api/admin/alerts/${adaId}/dismiss`);
    clock.advance(24 * hourMs - minuteMs);
    await use({ requests: 300 });
    expect(await alerts()).toEqual([]);
    clock.advance(2 * minuteMs);
    expect(await emails()).toEqual(["ada@example.com"]);
    expect((await operator.send("POST", "/api/admin/alerts/acc_none/dismiss")).status).toBe(404);
  });

  it("leave with a suspension and come back when it is undone", async () => {
    await use({ requests: 300 });
    await operator.post(`/api/admin/accounts/${adaId}/suspend`);
    expect(await alerts()).toEqual([]);
    await operator.post(`/api/admin/accounts/${adaId}/resume`);
    expect(await emails()).toEqual(["ada@example.com"]);
  });

  it("name the next lower plan, and none below the lowest", async () => {
    const { store } = dashboard.app;
    const limits = { requestsPerMinute: 10, tokensPerMinute: 10_000, concurrentRequests: 1 };
    await store.putPlan({ ...defaultPlan(limits), id: "small", name: "Small" });
    await store.putPlan({ ...defaultPlan({ ...limits, tokensPerMinute: 1 }), id: "tiny", name: "Tiny" });
    await store.putPlan({
      ...defaultPlan({ ...limits, requestsPerMinute: 1_000_000 }),
      id: "other",
      name: "Other",
    });
    await use({ requests: 300 });
    const [alert] = await alerts();
    expect(alert).toMatchObject({ plan: { id: "free" }, lowerPlan: { id: "small", name: "Small" } });
    await operator.post(`/api/admin/accounts/${adaId}/plan`, { planId: "tiny" });
    expect(await alerts()).toMatchObject([{ plan: { id: "tiny" }, lowerPlan: null }]);
  });

  it("name the key behind them, which is revoked and restored by the same admin within an hour", async () => {
    const key = await newKey();
    await use({ requests: 100 });
    await use({ keyId: key.id, requests: 200 });
    expect(await alerts()).toMatchObject([{ key: { id: key.id, name: "laptop", lastFour: key.lastFour } }]);
    await operator.post(`/api/admin/keys/${key.id}/revoke`);
    expect(await alerts()).toMatchObject([{ key: null }]);
    expect(await operator.post<KeyView>(`/api/admin/keys/${key.id}/restore`)).toMatchObject({
      status: "active",
    });
    expect(await alerts()).toMatchObject([{ key: { id: key.id } }]);
    expect((await audited()).slice(0, 2)).toEqual(["restored key", "revoked key"]);
    await operator.post(`/api/admin/keys/${key.id}/revoke`);
    clock.advance(hourMs + 1);
    expect((await operator.send("POST", `/api/admin/keys/${key.id}/restore`)).status).toBe(409);
  });

  it("cannot restore a key that its owner revoked", async () => {
    const key = await newKey();
    await operator.post(`/api/admin/keys/${key.id}/revoke`);
    await operator.post(`/api/admin/keys/${key.id}/restore`);
    clock.advance(minuteMs);
    await ada.post(`/api/keys/${key.id}/revoke`);
    expect((await operator.send("POST", `/api/admin/keys/${key.id}/restore`)).json).toMatchObject({
      error: { code: "conflict" },
    });
  });
});
