/** The promises of `FullStore.atomically`. */
import { expect, it } from "vitest";
import { testPlan } from "../../support/stores/temporary-store.js";
import { describeWithStore, type OpenStore } from "./dashboard-store.js";

export function describeAtomicContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps the promises about work in one transaction`, open, (opened) => {
    const newAccount = { passwordHash: null, role: "user", planId: "free" } as const;

    it("keeps all of it, with what running servers must learn of, in the order in which it was done", async () => {
      const { store } = opened;
      const account = await store.createAccount({ ...newAccount, email: "ada@example.com" });
      const before = await store.changes.last();
      let woken = 0;
      store.changes.onAppended(() => woken++);
      const teamId = await store.atomically(async (inside) => {
        await inside.putPlan({ ...testPlan, id: "large", name: "Large" });
        const team = await inside.teams.create({ name: "Research", planId: "large", ownerId: account.id });
        await inside.teams.change(team.id, { joinDomain: "example.com" });
        await inside.setSetting("model.omega", "");
        expect(await inside.findPlan("large")).not.toBeNull();
        return team.id;
      });
      expect(await store.teams.find(teamId)).toMatchObject({ planId: "large", joinDomain: "example.com" });
      const kinds = (await store.changes.readAfter(before, 10)).map(({ kind }) => kind);
      expect(kinds).toEqual(["plans_changed", "account_changed", "models_changed"]);
      expect(woken).toBe(1);
    });

    it("keeps nothing of it when it fails", async () => {
      const { store } = opened;
      const account = await store.createAccount({ ...newAccount, email: "ada@example.com" });
      const before = await store.changes.last();
      const failing = store.atomically(async (inside) => {
        await inside.putPlan({ ...testPlan, id: "large", name: "Large" });
        const team = await inside.teams.create({ name: "Research", planId: "large", ownerId: account.id });
        await inside.teams.remove(team.id);
        await inside.deleteAccount(account.id);
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect(await store.findPlan("large")).toBeNull();
      expect(await store.findAccountByEmail("ada@example.com")).toEqual(account);
      expect(await store.changes.last()).toBe(before);
    });
  });
}
