/** The promises of `AuditStore`. */
import { describe, expect, it } from "vitest";
import type { AuditFilter } from "../../../src/core/audit.js";
import { at, describeWithStore, type Opened, type OpenStore } from "./dashboard-store.js";

export function describeAuditContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps an audit trail`, open, (opened) => {
    it("lists it newest first, in the order of one moment too", async () => {
      const { audit } = opened.store;
      const moments = ["08:00:00", "09:00:00", "09:00:00", "09:00:00", "07:00:00"];
      for (const [i, time] of moments.entries()) {
        await audit.add({ at: at(time), actor: "command line", action: `${i}`, target: "" });
      }
      const lines = await audit.list(null, 10);
      expect(lines.map((line) => line.action)).toEqual(["3", "2", "1", "0", "4"]);
    });

    it("goes on after the line that a page ended with", async () => {
      const { audit } = opened.store;
      for (let i = 0; i < 5; i++) {
        await audit.add({ at: at("08:00:00"), actor: "command line", action: `${i}`, target: "" });
      }
      const first = await audit.list(null, 2);
      const second = await audit.list(first.at(-1)?.id ?? null, 2);
      expect([...first, ...second].map((line) => line.action)).toEqual(["4", "3", "2", "1"]);
    });

    it("finds lines by who, what and when, page by page", async () => {
      const { audit } = opened.store;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const lines = [
        ["08:00:00", ada.id, "signed in", ada.id],
        ["09:00:00", bob.id, "signed in", bob.id],
        ["10:00:00", ada.id, "saved plan", "free"],
        ["11:00:00", ada.id, "signed in", ada.id],
        ["12:00:00", "command line", "suspended account", ada.id],
      ] as const;
      for (const [time, actor, action, target] of lines) {
        await audit.add({ at: at(time), actor, action, target });
      }
      const times = async (filter: AuditFilter, before: string | null = null, limit = 10) =>
        (await audit.list(before, limit, filter)).map((line) => line.at.toISOString().slice(11, 13));
      expect(await times({ actor: ada.id })).toEqual(["11", "10", "08"]);
      expect(await times({ action: "signed in" })).toEqual(["11", "09", "08"]);
      expect(await times({ actor: ada.id, action: "signed in" })).toEqual(["11", "08"]);
      expect(await times({ from: at("09:00:00"), to: at("11:00:00") })).toEqual(["10", "09"]);
      expect(await times({ actor: "command line" })).toEqual(["12"]);
      expect(await times({ actor: "acc_none" })).toEqual([]);
      const [first] = await audit.list(null, 1, { actor: ada.id });
      expect(await times({ actor: ada.id }, first?.id ?? null, 1)).toEqual(["10"]);
    });

    it("finds actions by an account and on it and its keys, each line once", async () => {
      const { store } = opened;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      const key = await opened.createKey(ada.id);
      const lines = [
        [ada.id, "signed in", ada.id],
        [ada.id, "created key", key.id],
        ["command line", "revoked key", key.id],
        [bob.id, "suspended account", ada.id],
        [bob.id, "signed in", bob.id],
        [ada.id, "saved plan", "free"],
      ] as const;
      for (const [i, [actor, action, target]] of lines.entries()) {
        await store.audit.add({ at: at(`08:00:0${i}`), actor, action, target });
      }
      const found = await store.audit.list(null, 10, { account: ada.id });
      expect(found.map(({ action }) => action)).toEqual([
        "saved plan",
        "suspended account",
        "revoked key",
        "created key",
        "signed in",
      ]);
      const page = await store.audit.list(found[1]?.id ?? null, 2, { account: ada.id });
      expect(page.map(({ action }) => action)).toEqual(["revoked key", "created key"]);
      const to = at("08:00:02");
      const early = await store.audit.list(null, 10, { account: ada.id, action: "created key", to });
      expect(early.map(({ action }) => action)).toEqual(["created key"]);
    });

    it("shows the name of a key that exists, and whose it is", async () => {
      const { store } = opened;
      const ada = await opened.createAccount();
      const key = await opened.createKey(ada.id);
      await store.audit.add({ at: at("08:00:00"), actor: ada.id, action: "created key", target: key.id });
      expect(await store.audit.list(null, 1)).toMatchObject([
        { targetKey: { name: "laptop", lastFour: "abcd", accountId: ada.id, ownerEmail: ada.email } },
      ]);
    });

    it("shows the key that someone acted with, until their account is deleted", async () => {
      const { store } = opened;
      const ada = await opened.createAccount();
      const { id: actorKey } = await opened.createKey(ada.id);
      const line = { at: at("08:00:00"), actor: ada.id, actorKey, action: "saved plan", target: "free" };
      await store.audit.add(line);
      const shown = { ...line, actorKeyName: { name: "laptop", lastFour: "abcd" } };
      expect(await store.audit.list(null, 1)).toMatchObject([shown]);
      await store.deleteAccount(ada.id);
      await store.audit.add(line);
      await store.audit.forgetDeleted(at("08:00:00"));
      const gone = { actor: "deleted account", actorKey: null, actorKeyName: null };
      expect(await store.audit.list(null, 2)).toMatchObject([gone, gone]);
    });

    it("shows the address of accounts that exist", async () => {
      const { store } = opened;
      const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
      await store.audit.add({
        at: at("08:00:00"),
        actor: ada.id,
        action: "suspended account",
        target: bob.id,
      });
      expect(await store.audit.list(null, 1)).toMatchObject([
        { actor: ada.id, actorEmail: ada.email, target: bob.id, targetEmail: bob.email },
      ]);
    });

    describe.each<[string, (opened: Opened, id: string) => Promise<unknown>]>([
      ["deleted", ({ store }, id) => store.deleteAccount(id)],
      ["removed", ({ store }, id) => store.accounts.remove(id)],
    ])("of an account that is %s", (_how, remove) => {
      it("keeps only lines between it and other accounts, without its id", async () => {
        const { store } = opened;
        const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
        const [adasKey, bobsKey] = [await opened.createKey(ada.id), await opened.createKey(bob.id)];
        const lines = [
          [ada.id, "signed in", ada.id],
          [ada.id, "created key", adasKey.id],
          ["command line", "revoked key", adasKey.id],
          [bob.id, "suspended account", ada.id],
          [ada.id, "changed role of account", bob.id],
          [bob.id, "created key", bobsKey.id],
        ] as const;
        for (const [actor, action, target] of lines) {
          await store.audit.add({ at: at("08:00:00"), actor, action, target });
        }
        await remove(opened, ada.id);
        const left = (await store.audit.list(null, 10)).map((line) => [line.actor, line.action, line.target]);
        expect(left.reverse()).toEqual([
          ["command line", "revoked key", "deleted key"],
          [bob.id, "suspended account", "deleted account"],
          ["deleted account", "changed role of account", bob.id],
          [bob.id, "created key", bobsKey.id],
        ]);
      });

      it("removes lines written about it while it was being deleted", async () => {
        const { store } = opened;
        const [ada, bob] = [await opened.createAccount(), await opened.createAccount()];
        const [key, bobsKey] = [await opened.createKey(ada.id), await opened.createKey(bob.id)];
        await remove(opened, ada.id);
        const add = (time: string, actor: string, target: string) =>
          store.audit.add({ at: at(time), actor, action: "signed in", target });
        await add("08:00:00", ada.id, ada.id);
        await add("09:00:00", ada.id, key.id);
        await add("09:00:00", ada.id, ada.id);
        await add("09:00:00", bob.id, bobsKey.id);
        await add("09:00:00", "command line", bob.id);
        await store.audit.forgetDeleted(at("09:00:00"));
        const left = (await store.audit.list(null, 10)).map((line) => [line.actor, line.target]);
        expect(left.reverse()).toEqual([
          [ada.id, ada.id],
          ["deleted account", "deleted key"],
          ["deleted account", "deleted account"],
          [bob.id, bobsKey.id],
          ["command line", bob.id],
        ]);
      });
    });

    it("removes thousands of old ones", async () => {
      const { audit } = opened.store;
      const line = { actor: "command line", action: "signed in", target: "" };
      for (let i = 0; i < 1_100; i++) await audit.add({ ...line, at: at("08:00:00") });
      await audit.add({ ...line, at: at("09:00:00") });
      await audit.prune(at("09:00:00"));
      expect(await audit.list(null, 10)).toHaveLength(1);
    });

    it("removes lines older than a given time", async () => {
      const { audit } = opened.store;
      for (const time of ["08:00:00", "09:00:00"]) {
        await audit.add({ at: at(time), actor: "command line", action: time, target: "" });
      }
      await audit.prune(at("09:00:00"));
      expect((await audit.list(null, 10)).map((line) => line.action)).toEqual(["09:00:00"]);
    });
  });
}
