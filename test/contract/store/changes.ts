/** The promises of `ChangeStore`, and that what other servers must learn of is written down. */
import { expect, it } from "vitest";
import type { FullStore } from "../../../src/store/full-store.js";
import { describeWithStore, newSession, someHash, type OpenStore } from "./dashboard-store.js";

export function describeChangeContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps the promises about changes`, open, (opened) => {
    const written = async (store: FullStore) =>
      (await store.changes.readAfter(0, 100)).map(({ kind, subject }) => `${kind} ${subject}`);

    it("numbers them from one on, without gaps, also when many are appended at the same time", async () => {
      expect(await opened.store.changes.last()).toBe(0);
      await Promise.all(
        Array.from({ length: 30 }, (_, i) => opened.store.changes.append("models_changed", String(i))),
      );
      const ids = (await opened.store.changes.readAfter(0, 100)).map((change) => change.id);
      expect(ids).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
      expect(await opened.store.changes.last()).toBe(30);
    });

    it("reads those after a number, in order and at most so many", async () => {
      for (let i = 0; i < 5; i++) await opened.store.changes.append("models_changed", String(i));
      const read = await opened.store.changes.readAfter(2, 2);
      expect(read).toEqual([
        { id: 3, kind: "models_changed", subject: "2" },
        { id: 4, kind: "models_changed", subject: "3" },
      ]);
      expect(await opened.store.changes.readAfter(5, 10)).toEqual([]);
    });

    it("writes down what ends or changes a key", async () => {
      const account = await opened.createAccount();
      const [a, b, c] = [
        await opened.createKey(account.id),
        await opened.createKey(account.id),
        await opened.createKey(account.id),
      ];
      await opened.store.revokeKey(a.id, new Date());
      await opened.store.revokeKey(b.id, new Date(Date.now() + 60_000));
      await opened.store.accounts.setKeyDisabled(c.id, new Date());
      await opened.store.accounts.setKeyDisabled(c.id, null);
      const { hash, ...rest } = { ...c, hash: someHash() };
      const replacement = { ...rest, hash };
      await opened.store.rotateKey(c.id, new Date(Date.now() + 60_000), replacement);
      await opened.store.rotateKey(c.id, new Date(), { ...replacement, hash: someHash() });
      expect(await written(opened.store)).toEqual([
        `key_ended ${a.id}`,
        `key_changed ${b.id}`,
        `key_ended ${c.id}`,
        `key_changed ${c.id}`,
        `key_changed ${c.id}`,
      ]);
    });

    it("writes down what ends or changes an account", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount();
      await store.setAccountSuspended(id, new Date());
      await store.setAccountSuspended(id, null);
      await store.setAccountPlan(id, "free");
      await store.accounts.setRole(id, "user");
      await store.accounts.suspend(id, new Date());
      await store.accounts.remove(id);
      await store.deleteAccount(id);
      expect(await written(store)).toEqual([
        `account_ended ${id}`,
        `account_changed ${id}`,
        `account_changed ${id}`,
        `account_changed ${id}`,
        `account_ended ${id}`,
        `account_ended ${id}`,
        `account_ended ${id}`,
      ]);
    });

    it("writes down whose sessions ended, once they did", async () => {
      const { store } = opened;
      const { id } = await opened.createAccount();
      const now = new Date();
      const times = { createdAt: now, expiresAt: new Date(now.getTime() + 60_000) };
      const session = newSession(id, { lastSeenAt: now, ...times });
      const link = { kind: "reset", hash: someHash(), accountId: id, emailHash: null } as const;
      await store.sessions.create(session);
      await store.sessions.end(someHash());
      await store.links.create({ ...link, ...times });
      await store.links.resetPassword(someHash(), now, "hash");
      expect(await written(store)).toEqual([]);
      await store.sessions.end(session.hash);
      await store.sessions.endAll(id, null);
      await store.links.resetPassword(link.hash, now, "hash");
      await store.accounts.setPassword(id, "hash", null);
      expect(await written(store)).toEqual(new Array(4).fill(`sessions_ended ${id}`));
    });

    it("writes down changes of plans", async () => {
      const plan = await opened.store.findPlan("free");
      if (plan === null) throw new Error("there is no plan");
      await opened.store.putPlan({ ...plan, id: "other" });
      await opened.store.accounts.deletePlan("other");
      expect(await written(opened.store)).toEqual(["plans_changed other", "plans_changed other"]);
    });

    it("writes nothing down for what did not happen", async () => {
      const { id } = await opened.createAccount({ role: "admin" });
      expect(await opened.store.accounts.remove(id)).toBe(false);
      expect(await opened.store.changes.last()).toBe(0);
    });

    it("notifies listeners in this process after each", async () => {
      let told = 0;
      opened.store.changes.onAppended(() => (told += 1));
      await opened.store.setAccountSuspended("acc_none", new Date());
      expect(told).toBe(1);
    });

    it("forgets old ones, and goes on counting", async () => {
      await opened.store.changes.append("models_changed", "");
      await opened.store.changes.prune(new Date(Date.now() + 1_000));
      expect(await opened.store.changes.readAfter(0, 10)).toEqual([]);
      await opened.store.changes.append("models_changed", "");
      expect(await opened.store.changes.readAfter(0, 10)).toMatchObject([{ id: 2 }]);
    });
  });
}
