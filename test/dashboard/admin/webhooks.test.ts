import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { KeyWithSecret, Maintenance, Me } from "../../../src/protocol/dashboard/api.js";
import type {
  DeliveryPage,
  DeliveryView,
  WebhookView,
  WebhookWithSecret,
} from "../../../src/protocol/dashboard/webhooks.js";
import { postChat } from "../../support/clients/post-chat.js";
import { verify, WebhookReceiver } from "../../support/clients/webhook-receiver.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

describe("webhooks", () => {
  let dashboard: TestDashboard;
  let operator: Browser;
  let receiver: WebhookReceiver;
  const clock = new FakeClock();
  beforeAll(async () => {
    dashboard = await startDashboard({ clock });
    operator = await dashboard.setUp();
  });
  afterAll(() => dashboard.close());
  beforeEach(async () => {
    receiver = await new WebhookReceiver().listen();
  });
  afterEach(async () => {
    for (const { id } of await list()) await operator.must("DELETE", `/api/admin/webhooks/${id}`);
    await receiver.close();
  });

  const list = async () => (await operator.get<{ webhooks: WebhookView[] }>("/api/admin/webhooks")).webhooks;
  const create = (events: string[] | null = null) =>
    operator.post<WebhookWithSecret>("/api/admin/webhooks", { url: receiver.url, events });
  const deliveries = async () =>
    (await operator.get<DeliveryPage>("/api/admin/webhook-deliveries")).deliveries;
  const delivery = async (isExpected: (delivery: DeliveryView) => boolean): Promise<DeliveryView> => {
    let found: DeliveryView | undefined;
    await eventually(async () => (found = (await deliveries()).find(isExpected)) !== undefined);
    if (found === undefined) throw new Error("There is no such delivery.");
    return found;
  };
  const test = (id: string) => operator.post(`/api/admin/webhooks/${id}/test`);
  /** Moves the clock and lets the service look at it. */
  const pass = async (ms: number) => {
    const { events, eventWatch, deliverer } = dashboard.app.dashboard;
    // A claim ends by the same clock: what is being sent would be sent twice.
    await deliverer.idle();
    clock.advance(ms);
    await eventWatch.look();
    await events.close();
    await deliverer.wake();
    await deliverer.idle();
  };
  const types = () => receiver.received.map(({ type }) => type);

  it("get what happens to accounts and keys, signed, with ids and without addresses", async () => {
    const { secret } = await create();
    const ada = await dashboard.signUp("ada-canary@example.com");
    const { id: accountId } = (await ada.get<Me>("/api/me")).account;
    const { key } = await ada.post<KeyWithSecret>("/api/keys", {
      ...{ name: "name-canary", models: null, expiresInDays: null },
    });
    await ada.post(`/api/keys/${key.id}/revoke`);
    await operator.post("/api/admin/accounts/bulk", { action: "suspend", ids: [accountId] });
    await operator.post("/api/admin/accounts/bulk", { action: "resume", ids: [accountId] });
    await operator.post("/api/admin/accounts/bulk", { action: "plan", ids: [accountId], planId: "free" });
    await receiver.first(6);
    await operator.must("DELETE", `/api/admin/accounts/${accountId}`);
    const received = await receiver.first(7);
    const ofAccount = { account_id: accountId, plan_id: "free" };
    const ofKey = { account_id: accountId, key_id: key.id, expires_at: null };
    const now = clock.now().toISOString();
    const byType = new Map(received.map(({ type, data }) => [type, data]));
    expect(Object.fromEntries(byType)).toEqual({
      "account.created": ofAccount,
      "key.created": { ...ofKey, revoked_at: null },
      "key.revoked": { ...ofKey, revoked_at: now },
      "account.suspended": ofAccount,
      "account.reactivated": ofAccount,
      "account.plan_changed": ofAccount,
      "account.deleted": { account_id: accountId },
    });
    for (const message of received) {
      expect(verify(secret, message, clock)).toEqual({
        ...{ type: message.type, timestamp: now, data: message.data },
      });
      expect(message.body).not.toContain("canary");
    }
    expect(new Set(received.map(({ id }) => id)).size).toBe(7);
    expect(() => verify(`whsec_${btoa("another secret")}`, received[0] ?? neverReceived(), clock)).toThrow();
    // Of the account only the news of its end is left.
    await eventually(async () => (await deliveries()).map(({ type }) => type).join() === "account.deleted");
  });

  it("get only the events that they ask for, and nothing while they are off", async () => {
    const { webhook } = await create(["maintenance.announced", "maintenance.ended"]);
    await dashboard.signUp("eve@example.com");
    const at = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();
    const planned = { title: "Disks", body: "", startsAt: at(hourMs), endsAt: at(2 * hourMs) };
    const window = await operator.post<Maintenance>("/api/admin/maintenance", planned);
    const data = { maintenance_id: window.id, starts_at: planned.startsAt, ends_at: planned.endsAt };
    expect(await receiver.first(1)).toMatchObject([{ type: "maintenance.announced", data }]);
    await pass(2 * hourMs + 1);
    await pass(minuteMs);
    expect(await receiver.first(2)).toMatchObject([{}, { type: "maintenance.ended", data }]);
    const { url, description, events } = webhook;
    await operator.must("PUT", `/api/admin/webhooks/${webhook.id}`, {
      url,
      description,
      events,
      isOn: false,
    });
    expect((await operator.send("POST", `/api/admin/webhooks/${webhook.id}/test`)).status).toBe(409);
    await operator.post<Maintenance>("/api/admin/maintenance", { ...planned, endsAt: at(dayMs) });
    await pass(minuteMs);
    expect(types()).toEqual(["maintenance.announced", "maintenance.ended"]);
    expect(await deliveries()).toHaveLength(2);
  });

  it("hear of keys a week before they expire, once", async () => {
    await create(["key.expiring"]);
    const ada = await dashboard.signUp("grace@example.com");
    const body = { name: "ci", models: null, expiresInDays: 8 };
    const { key } = await ada.post<KeyWithSecret>("/api/keys", body);
    await pass(0);
    expect(receiver.received).toEqual([]);
    await pass(dayMs + minuteMs);
    await pass(hourMs);
    const [message] = await receiver.first(1);
    expect(message?.data).toMatchObject({ key_id: key.id, expires_at: key.expiresAt });
    await pass(2 * dayMs);
    expect(receiver.received).toHaveLength(1);
  });

  it("hear of engines that stop and of those that answer again", async () => {
    await create(["engine.down", "engine.up"]);
    const { engine } = dashboard;
    const status = engine.status.bind(engine);
    engine.status = (model) => ({ ...status(model), state: model === "omega" ? "down" : "ready" });
    await pass(0);
    await pass(0);
    engine.status = status;
    await pass(0);
    await receiver.first(2);
    expect(receiver.received.map(({ type, data }) => [type, data.model])).toEqual([
      ["engine.down", "omega"],
      ["engine.up", "omega"],
    ]);
  });

  it("hear of 80 % and of 100 % of a quota, once each, with or without a mail server", async () => {
    await create(["quota.reached"]);
    const plan = await dashboard.app.store.findPlan("free");
    if (plan === null) throw new Error("There is no plan.");
    await dashboard.app.store.putPlan({ ...plan, requestsPerDay: 5 });
    const ada = await dashboard.signUp("quota@example.com");
    const body = { name: "test", models: null, expiresInDays: null };
    const { key, secret } = await ada.post<KeyWithSecret>("/api/keys", body);
    const ask = () => postChat(dashboard.url, secret);
    const statuses: number[] = [];
    for (let times = 0; times < 7; times += 1) {
      statuses.push((await ask()).status);
      await dashboard.app.dashboard.usage.flush();
      clock.advance(10_000);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    await receiver.first(2);
    await pass(minuteMs);
    const accountId = (await ada.get<Me>("/api/me")).account.id;
    const nobodyElse = { member_id: null, key_id: null };
    const reached = { account_id: accountId, ...nobodyElse, unit: "requests", period: "day", limit: 5 };
    const window = clock.now().toISOString().slice(0, 10);
    expect(receiver.received.map(({ data }) => data)).toEqual([
      { ...reached, window, percent: 80, used: 4 },
      { ...reached, window, percent: 100, used: 5 },
    ]);
    expect(JSON.stringify(receiver.received)).not.toContain(key.lastFour);
    await dashboard.app.store.putPlan(plan);
  });

  it("survive a restart of the server in the middle of a delivery", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "sotto-webhooks-"));
    const start = () => startDashboard({ clock, env: { SOTTO_DATA_DIR: dataDir } });
    const first = await start();
    const admin = await first.setUp();
    const { secret } = await admin.post<WebhookWithSecret>("/api/admin/webhooks", {
      ...{ url: receiver.url, events: ["account.created"] },
    });
    receiver.answers = ["nothing", 204];
    await first.signUp("restart@example.com");
    const [cut] = await receiver.first(1);
    await first.close();
    const second = await start();
    await second.app.dashboard.deliverer.wake();
    const [, again] = await receiver.first(2);
    if (again === undefined) throw new Error("Nothing was received.");
    expect([again.id, again.body]).toEqual([cut?.id, cut?.body]);
    expect(verify(secret, again, clock)).toBeTruthy();
    await second.app.dashboard.deliverer.idle();
    await second.close();
    await rm(dataDir, { recursive: true, force: true });
    expect(receiver.received).toHaveLength(2);
  });

  it("are tried again after growing pauses, under the same id, until a day has passed", async () => {
    const { webhook, secret } = await create();
    receiver.answers = [500];
    await test(webhook.id);
    const failed = await delivery(({ attempts, responseStatus }) => attempts === 1 && responseStatus === 500);
    expect(failed).toMatchObject({ state: "waiting", type: "webhook.test", error: null });
    const began = clock.now().getTime();
    for (let attempt = 2; attempt < 30; attempt += 1) {
      const { state, nextAt } = await delivery(
        ({ attempts, nextAt: next }) =>
          attempts === attempt - 1 && (next === null || Date.parse(next) > clock.now().getTime()),
      );
      if (state !== "waiting") break;
      await pass(Date.parse(nextAt ?? "") - clock.now().getTime());
      await eventually(async () => (await delivery(() => true)).attempts === attempt);
    }
    const givenUp = await delivery(({ state }) => state === "failed");
    expect(givenUp.attempts).toBe(11);
    expect(clock.now().getTime() - began).toBe(dayMs);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([givenUp.id]));
    expect((await list())[0]).toMatchObject({ off: null, failingSince: new Date(began).toISOString() });
    receiver.answers = [200];
    await operator.post(`/api/admin/webhook-deliveries/${givenUp.id}/redeliver`);
    await delivery(({ state }) => state === "delivered");
    expect(verify(secret, receiver.received.at(-1) ?? neverReceived(), clock)).toBeTruthy();
    expect((await list())[0]).toMatchObject({ failingSince: null });
  });

  it("are switched off after three days of failures, or when they are gone", async () => {
    const { webhook } = await create();
    receiver.answers = [503];
    await test(webhook.id);
    await delivery(({ responseStatus }) => responseStatus === 503);
    await pass(3 * dayMs);
    await eventually(async () => (await list())[0]?.off?.reason === "failing");
    expect(dashboard.log()).toContain("webhook switched off");
    const { url, description, events } = webhook;
    const on = await operator.must("PUT", `/api/admin/webhooks/${webhook.id}`, {
      ...{ url, description, events, isOn: true },
    });
    expect(on).toMatchObject({ off: null, failingSince: null });
    receiver.answers = [410];
    await test(webhook.id);
    await eventually(async () => (await list())[0]?.off?.reason === "gone");
  });

  it("follow no redirect", async () => {
    const elsewhere = await new WebhookReceiver().listen();
    const { webhook } = await create();
    receiver.answers = [{ status: 307, location: elsewhere.url }];
    await test(webhook.id);
    expect(await delivery(({ attempts }) => attempts === 1)).toMatchObject({ state: "waiting" });
    await delivery(({ responseStatus }) => responseStatus === 307);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it("can have no address that the policy forbids", async () => {
    for (const url of [
      "http://169.254.169.254/latest",
      "http://[fd00:ec2::254]/",
      "http://[::ffff:169.254.169.254]/",
      "ftp://example.com",
      "http://user:secret@example.com/",
      "example.com",
    ]) {
      const answer = await operator.send("POST", "/api/admin/webhooks", { url, events: null });
      expect(answer.json).toMatchObject({ error: { code: "bad_request", field: "url" } });
      expect(answer.text).not.toContain("secret@");
    }
    const none = await operator.send("POST", "/api/admin/webhooks", { url: receiver.url, events: [] });
    expect(none.json).toMatchObject({ error: { code: "bad_request", field: "events" } });
  });

  it("have a secret that is kept sealed, shown once and replaced with a day of both", async () => {
    const { webhook, secret } = await create();
    expect(secret).toMatch(/^whsec_[\w+/]{32}$/);
    // Days have passed since the operator signed in.
    await operator.post("/api/me/confirm", { password });
    const next = (await operator.post<{ secret: string }>(`/api/admin/webhooks/${webhook.id}/secret`)).secret;
    expect(next).not.toBe(secret);
    await test(webhook.id);
    const [both] = await receiver.first(1);
    if (both === undefined) throw new Error("Nothing was received.");
    for (const valid of [secret, next]) expect(verify(valid, both, clock)).toBeTruthy();
    await pass(dayMs);
    await test(webhook.id);
    const [, alone] = await receiver.first(2);
    if (alone === undefined) throw new Error("Nothing was received.");
    expect(verify(next, alone, clock)).toBeTruthy();
    expect(() => verify(secret, alone, clock)).toThrow();
    const stored = [...dashboard.tables().values()].join("\n");
    for (const known of [secret, next]) expect(stored).not.toContain(known.slice("whsec_".length));
    expect(JSON.stringify(await list())).not.toContain("whsec_");
  });

  it("are at most twenty", async () => {
    const { webhook } = await create();
    for (let count = 1; count < 20; count += 1) {
      const other = { ...webhook, createdAt: clock.now(), id: `wh_${count}`, off: null, failingSince: null };
      await dashboard.app.store.webhooks.create(other, 20);
    }
    const refused = await operator.send("POST", "/api/admin/webhooks", { url: receiver.url, events: null });
    expect(refused.json).toMatchObject({ error: { code: "limit_reached" } });
  });
});

function neverReceived(): never {
  throw new Error("Nothing was received.");
}
