/** The promises of `QuotaStore`. */
import { expect, it } from "vitest";
import type { QuotaDay } from "../../../src/core/usage/ports.js";
import { at, describeWithStore, type OpenStore } from "./dashboard-store.js";

const used = (accountId: string, day: string, keyId = "key_1"): QuotaDay => ({
  accountId,
  keyId,
  day,
  requests: 1,
  tokens: 3_000_000_000,
});

export function describeQuotaContract(name: string, open: OpenStore): void {
  describeWithStore(`${name} keeps what was used of quotas`, open, (opened) => {
    it("sums it up by day and by month, for one key and for all", async () => {
      const { usage, quotas } = opened.store;
      const { id } = await opened.createAccount();
      const { id: other } = await opened.createAccount();
      const days = [used(id, "2030-01-31"), used(id, "2030-01-01"), used(id, "2030-01-31", "playground")];
      await usage.add([], { id: "one", done: [] }, [
        ...days,
        used(id, "2030-02-01"),
        used(other, "2030-01-31"),
      ]);
      expect(await quotas.used(id, null, "2030-01-31")).toEqual({ requests: 2, tokens: 6_000_000_000 });
      expect(await quotas.used(id, "key_1", "2030-01-31")).toEqual({ requests: 1, tokens: 3_000_000_000 });
      expect(await quotas.used(id, null, "2030-01")).toEqual({ requests: 3, tokens: 9_000_000_000 });
      expect(await quotas.used(id, null, "2030-03")).toEqual({ requests: 0, tokens: 0 });
    });

    it("lists what an account used by day, and what the accounts of each plan did", async () => {
      const { usage, quotas } = opened.store;
      const { id } = await opened.createAccount();
      const { id: other, planId } = await opened.createAccount();
      await usage.add([], { id: "one", done: [] }, [
        used(id, "2030-01-30"),
        used(id, "2030-01-31"),
        used(id, "2030-01-31", "playground"),
        used(id, "2030-02-01"),
        used(other, "2030-02-01"),
      ]);
      const byDay = <Day extends { day: string }>(days: Day[]) =>
        days.sort((a, b) => (a.day < b.day ? -1 : 1));
      expect(byDay(await quotas.byDay(id, "2030-01-31"))).toEqual([
        { day: "2030-01-31", requests: 2, tokens: 6_000_000_000 },
        { day: "2030-02-01", requests: 1, tokens: 3_000_000_000 },
      ]);
      expect(byDay(await quotas.byPlanAndDay("2030-01-31"))).toEqual([
        { planId, day: "2030-01-31", requests: 2, tokens: 6_000_000_000 },
        { planId, day: "2030-02-01", requests: 2, tokens: 6_000_000_000 },
      ]);
    });

    it("adds a batch once, however often it is tried, and nothing of accounts that are gone", async () => {
      const { usage, quotas } = opened.store;
      const { id } = await opened.createAccount();
      const days = [used(id, "2030-01-01"), used("acc_gone", "2030-01-01")];
      for (let i = 0; i < 3; i++) await usage.add([], { id: "one", done: [] }, days);
      expect(await quotas.used(id, null, "2030-01")).toMatchObject({ requests: 1 });
      await usage.add([], { id: "two", done: ["one"] }, days);
      expect(await quotas.used(id, null, "2030-01")).toMatchObject({ requests: 2 });
      expect(await quotas.used("acc_gone", null, "2030-01")).toMatchObject({ requests: 0 });
    });

    it("adds to the same days from many at once", async () => {
      const { usage, quotas } = opened.store;
      const { id } = await opened.createAccount();
      const days = ["2030-01-02", "2030-01-01"].map((day) => used(id, day));
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          usage.add([], { id: String(i), done: [] }, i % 2 === 0 ? days : [...days].reverse()),
        ),
      );
      expect(await quotas.used(id, null, "2030-01")).toMatchObject({ requests: 40 });
    });

    it("lets exactly one claim a warning", async () => {
      const { quotas } = opened.store;
      const { id } = await opened.createAccount();
      const claims = await Promise.all(
        Array.from({ length: 10 }, () => quotas.claimWarning(id, "tokens:2030-01:80", at("08:00:00"))),
      );
      expect(claims.filter((isMine) => isMine)).toHaveLength(1);
      expect(await quotas.claimWarning(id, "tokens:2030-01:100", at("08:00:00"))).toBe(true);
    });

    it("removes old rows, and those of a deleted account", async () => {
      const { usage, quotas } = opened.store;
      const { id } = await opened.createAccount();
      await usage.add([], { id: "one", done: [] }, [used(id, "2030-01-01"), used(id, "2030-01-02")]);
      await quotas.claimWarning(id, "old", at("08:00:00"));
      await quotas.claimWarning(id, "new", at("10:00:00"));
      await quotas.prune("2030-01-02", at("09:00:00"));
      expect(await quotas.used(id, null, "2030-01")).toMatchObject({ requests: 1 });
      expect(await quotas.claimWarning(id, "old", at("08:00:00"))).toBe(true);
      expect(await quotas.claimWarning(id, "new", at("10:00:00"))).toBe(false);
      await opened.store.deleteAccount(id);
      expect(await quotas.used(id, null, "2030-01")).toMatchObject({ requests: 0 });
    });
  });
}
