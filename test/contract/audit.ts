/** The promises of `AuditStore`. */
import { expect, it } from "vitest";
import { at, describeWithStore, type OpenStore } from "./dashboard-store.js";

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

    it("shows the address of accounts that exist, and has no trace of it once they are gone", async () => {
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
      await store.deleteAccount(bob.id);
      expect(await store.audit.list(null, 1)).toMatchObject([
        { actorEmail: ada.email, target: bob.id, targetEmail: null },
      ]);
    });

    it("removes what is older than a time", async () => {
      const { audit } = opened.store;
      for (const time of ["08:00:00", "09:00:00"]) {
        await audit.add({ at: at(time), actor: "command line", action: time, target: "" });
      }
      await audit.prune(at("09:00:00"));
      expect((await audit.list(null, 10)).map((line) => line.action)).toEqual(["09:00:00"]);
    });
  });
}
