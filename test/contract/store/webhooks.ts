/** The promises of `WebhookStore`. */
import { expect, it } from "vitest";
import type { NewDelivery, Webhook } from "../../../src/core/events/ports.js";
import { at, describeWithStore, type OpenStore } from "./dashboard-store.js";

export function describeWebhooksContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps webhooks`, open, (opened) => {
    const [now, later, end] = [at("08:00:00"), at("09:00:00"), at("20:00:00")];
    const webhook = (id: string, change: Partial<Webhook> = {}): Webhook => ({
      ...{ id, url: "https://hooks.example.com/é?a=1", description: "", events: null, createdAt: now },
      ...{ off: null, failingSince: null },
      ...change,
    });
    const delivery = (id: string, change: Partial<NewDelivery> = {}): NewDelivery => ({
      ...{ id, webhookId: "wh_1", accountId: null, type: "engine.down", body: `{"é":"${id}"}` },
      ...{ createdAt: now, retryUntil: end },
      ...change,
    });
    const claim = (limit = 10, time = now, except: string[] = []) =>
      opened.store.webhooks.claim({ now: time, leaseUntil: later, limit, except });
    const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id).sort();

    it("returns them as they were created and changed, and no more than allowed", async () => {
      const { webhooks } = opened.store;
      const one = webhook("wh_1", { events: ["key.created", "key.revoked"] });
      expect(await webhooks.create(one, 2)).toBe(true);
      expect(await webhooks.create(webhook("wh_2"), 2)).toBe(true);
      expect(await webhooks.create(webhook("wh_3"), 2)).toBe(false);
      expect(await webhooks.list()).toEqual([one, webhook("wh_2")]);
      const off = { at: later, reason: "admin" } as const;
      const change = { url: "http://b.test/", description: "x", events: null, off };
      expect(await webhooks.change("wh_1", change)).toEqual({ ...one, ...change });
      expect(await webhooks.find("wh_1")).toEqual({ ...one, ...change });
      expect(await webhooks.change("wh_none", change)).toBeNull();
    });

    it("notes since when one fails, and switches it off once", async () => {
      const { webhooks } = opened.store;
      await webhooks.create(webhook("wh_1"), 9);
      expect(await webhooks.noteFailing("wh_1", now)).toEqual(now);
      expect(await webhooks.noteFailing("wh_1", later)).toEqual(now);
      expect(await webhooks.switchOff("wh_1", later, "failing")).toBe(true);
      expect(await webhooks.switchOff("wh_1", later, "failing")).toBe(false);
      expect(await webhooks.find("wh_1")).toMatchObject({ off: { at: later, reason: "failing" } });
      const { url, description, events } = webhook("wh_1");
      expect(await webhooks.change("wh_1", { url, description, events, off: null })).toEqual(webhook("wh_1"));
      await webhooks.noteFailing("wh_1", now);
      expect(await webhooks.noteFailing("wh_1", null)).toBeNull();
    });

    it("adds a delivery once, as long as there is room", async () => {
      const { webhooks } = opened.store;
      await webhooks.create(webhook("wh_1"), 9);
      expect(await webhooks.add([delivery("msg_1"), delivery("msg_2")], 2)).toBe(0);
      expect(await webhooks.add([delivery("msg_3")], 2)).toBe(1);
      expect(await webhooks.add([delivery("msg_2", { body: "other" })], 9)).toBe(0);
      const listed = await webhooks.listDeliveries("wh_1", null, 9);
      expect(listed.map(({ id, body }) => [id, body])).toEqual([
        ["msg_2", '{"é":"msg_2"}'],
        ["msg_1", '{"é":"msg_1"}'],
      ]);
      expect(ids(await webhooks.listDeliveries(null, { id: "msg_2", createdAt: now }, 9))).toEqual(["msg_1"]);
      expect(await webhooks.listDeliveries("wh_2", null, 9)).toEqual([]);
    });

    it("gives each delivery that is due to one of many callers, until its lease ends", async () => {
      const { webhooks } = opened.store;
      await webhooks.create(webhook("wh_1"), 9);
      await webhooks.create(webhook("wh_2"), 9);
      await webhooks.create(webhook("wh_off", { off: null }), 9);
      await webhooks.switchOff("wh_off", now, "admin");
      const many = Array.from({ length: 12 }, (_, index) => delivery(`msg_${index}`));
      await webhooks.add([...many, delivery("msg_late", { createdAt: end })], 99);
      await webhooks.add([delivery("msg_off", { webhookId: "wh_off" })], 99);
      await webhooks.add([delivery("msg_other", { webhookId: "wh_2" })], 99);
      expect(await claim(10, now, ["wh_1", "wh_2"])).toEqual([]);
      expect(ids(await claim(10, now, ["wh_1"]))).toEqual(["msg_other"]);
      const claimed = await Promise.all(Array.from({ length: 6 }, () => claim(4)));
      while (claimed.flat().length < 12) claimed.push(await claim(4));
      expect(ids(claimed.flat())).toEqual(ids(many));
      expect(claimed.flat().every(({ attempts }) => attempts === 1)).toBe(true);
      expect(await claim()).toEqual([]);
      expect(await claim(99, new Date(later.getTime() - 1))).toEqual([]);
      const again = await claim(99, later);
      expect(ids(again)).toEqual(ids([...many, { id: "msg_other" }]));
      expect(again.every(({ attempts }) => attempts === 2)).toBe(true);
    });

    it("writes down how an attempt ended, unless another has begun", async () => {
      const { webhooks } = opened.store;
      await webhooks.create(webhook("wh_1"), 9);
      await webhooks.add([delivery("msg_1")], 9);
      const [first] = await claim();
      const [second] = await claim(1, later);
      if (first === undefined || second === undefined) throw new Error("Nothing was claimed.");
      const result = { nextAt: null, deliveredAt: later, lastAt: later, responseStatus: 204, error: null };
      await webhooks.finish(first, { ...result, durationMs: 1, responseStatus: 500 });
      expect(await webhooks.findDelivery("msg_1")).toMatchObject({ responseStatus: null, attempts: 2 });
      await webhooks.finish(second, { ...result, durationMs: 12 });
      expect(await webhooks.findDelivery("msg_1")).toEqual({ ...second, ...result, durationMs: 12 });
      expect(await claim(1, end)).toEqual([]);
      await webhooks.redeliver("msg_1", later, end);
      expect(await webhooks.findDelivery("msg_1")).toMatchObject({ nextAt: later, deliveredAt: null });
      expect(ids(await claim(1, later))).toEqual(["msg_1"]);
    });

    it("deletes deliveries with their webhook, with their account, and when they are old", async () => {
      const { webhooks } = opened.store;
      const account = await opened.createAccount();
      await webhooks.create(webhook("wh_1"), 9);
      await webhooks.create(webhook("wh_2"), 9);
      await webhooks.add(
        [
          delivery("msg_account", { accountId: account.id }),
          delivery("msg_old", { createdAt: now }),
          delivery("msg_new", { createdAt: later }),
          delivery("msg_two", { webhookId: "wh_2", createdAt: later }),
        ],
        9,
      );
      await opened.store.deleteAccount(account.id);
      expect(await webhooks.findDelivery("msg_account")).toBeNull();
      await webhooks.prune(later);
      expect(ids(await webhooks.listDeliveries(null, null, 9))).toEqual(["msg_new", "msg_two"]);
      expect(await webhooks.delete("wh_2")).toBe(true);
      expect(await webhooks.delete("wh_2")).toBe(false);
      expect(ids(await webhooks.listDeliveries(null, null, 9))).toEqual(["msg_new"]);
    });

    it("finds keys that expire, without those that were revoked", async () => {
      const { store } = opened;
      const { id: accountId } = await opened.createAccount();
      const create = (expiresAt: Date | null) => opened.createKey(accountId, { expiresAt });
      await create(now);
      const [second, third] = [await create(end), await create(later)];
      await create(null);
      await store.revokeKey((await create(later)).id, now);
      const found = (key: { id: string }, expiresAt: Date) => ({ id: key.id, accountId, expiresAt });
      expect(await store.webhooks.keysExpiring(now, end, 9)).toEqual([
        found(third, later),
        found(second, end),
      ]);
      expect(await store.webhooks.keysExpiring(now, end, 1)).toEqual([found(third, later)]);
    });
  });
}
