/** The promises of `Admissions`, to be run on every implementation. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdmissionAsk, Admissions, WindowAsk } from "../../../src/core/counters.js";
import { eventually } from "../../support/eventually.js";
import { WindowCounter } from "../../support/stores/window-counter.js";

export interface AdmissionsUnderTest {
  admissions: Admissions;
  dispose(): Promise<void>;
}

const minute = 60_000;

export function describeAdmissionContract(name: string, open: () => Promise<AdmissionsUnderTest>): void {
  describe(`${name} keeps the promises of admissions`, () => {
    let opened: AdmissionsUnderTest;
    let who: string;
    beforeEach(async () => {
      opened = await open();
      who = randomUUID();
    });
    afterEach(() => opened.dispose());

    const window = (kind: string, amount: number, limit: number): WindowAsk => ({
      name: `${kind}:${who}`,
      amount,
      limit,
      windowMs: minute,
    });
    const admit = (ask: Partial<AdmissionAsk>) =>
      opened.admissions.admit({ first: [], leases: [], then: [], read: [], ...ask });
    const countOf = async (kind: string) =>
      (await new WindowCounter(opened.admissions).read(`${kind}:${who}`, 1_000_000, minute)).count;

    it("counts everything requested, and returns its readings", async () => {
      const { refusedBy, readings, lease } = await admit({
        first: [window("requests", 1, 5)],
        leases: [{ name: who, limit: 2 }],
        then: [window("tokens", 30, 100)],
        read: [window("other", 0, 7)],
      });
      expect(refusedBy).toBeNull();
      expect(lease).not.toBeNull();
      expect(readings.get(`requests:${who}`)).toMatchObject({ count: 1, remaining: 4 });
      expect(readings.get(`tokens:${who}`)).toMatchObject({ count: 30, remaining: 70 });
      expect(readings.get(`other:${who}`)).toMatchObject({ count: 0, remaining: 7, resetMs: minute });
      expect([await countOf("requests"), await countOf("tokens"), await countOf("other")]).toEqual([
        1, 30, 0,
      ]);
      expect(await opened.admissions.held(who)).toBe(1);
    });

    it("counts in none of a group's windows when one of them has no room, and names it", async () => {
      const small = window("small", 3, 2);
      const { refusedBy, readings } = await admit({
        first: [window("requests", 1, 5)],
        leases: [{ name: who, limit: 2 }],
        then: [window("tokens", 3, 100), small],
      });
      expect(refusedBy).toBe(small);
      expect(readings.get(`tokens:${who}`)).toBeDefined();
      expect([await countOf("requests"), await countOf("tokens"), await countOf("small")]).toEqual([1, 0, 0]);
      await eventually(async () => (await opened.admissions.held(who)) === 0);
    });

    it("refuses in order: what comes first, leases, what comes then", async () => {
      const first = [window("requests", 1, 0)];
      const leases = [
        { name: `${who} key`, limit: 1 },
        { name: who, limit: 0 },
      ];
      const then = [window("tokens", 1, 0)];
      expect((await admit({ first, leases, then })).refusedBy).toBe(first[0]);
      expect((await admit({ leases, then })).refusedBy).toBe(leases[1]);
      expect((await admit({ then })).refusedBy).toBe(then[0]);
      await eventually(async () => (await opened.admissions.held(`${who} key`)) === 0);
    });

    it("counts nothing for an amount of nothing, but wants something left", async () => {
      const left = { then: [window("tokens", 0, 5)] };
      expect((await admit(left)).refusedBy).toBeNull();
      await admit({ then: [window("tokens", 5, 5)] });
      expect((await admit(left)).refusedBy).not.toBeNull();
      expect(await countOf("tokens")).toBe(5);
    });

    it("admits exactly as many of a parallel burst as every limit allows", async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () =>
          admit({
            first: [window("requests", 1, 30)],
            leases: [{ name: who, limit: 20 }],
            then: [window("tokens", 10, 120)],
          }),
        ),
      );
      expect(answers.filter(({ refusedBy }) => refusedBy === null)).toHaveLength(12);
      expect([await countOf("requests"), await countOf("tokens")]).toEqual([30, 120]);
      await eventually(async () => (await opened.admissions.held(who)) === 12);
    });

    it("settles windows and the lease together, once", async () => {
      const leases = [
        { name: `${who} key`, limit: 1 },
        { name: who, limit: 1 },
      ];
      const { readings, lease } = await admit({ leases, then: [window("tokens", 30, 100)] });
      const correction = { name: `tokens:${who}`, window: readings.get(`tokens:${who}`)?.window ?? "" };
      await opened.admissions.settle([{ ...correction, amount: -18 }], lease);
      expect(await countOf("tokens")).toBe(12);
      expect(await opened.admissions.held(who)).toBe(0);
      const next = await admit({ leases });
      lease?.release();
      expect(await opened.admissions.held(who)).toBe(1);
      await opened.admissions.settle([{ ...correction, window: "another", amount: 50 }], next.lease);
      expect(await countOf("tokens")).toBe(12);
    });

    it("opens a window with the earlier count, which it requests once", async () => {
      let asked = 0;
      const initial = async () => {
        asked += 1;
        return 90;
      };
      const tokens = { ...window("tokens", 6, 100), initial };
      expect((await admit({ then: [tokens] })).refusedBy).toBeNull();
      expect((await admit({ then: [tokens] })).refusedBy).toBe(tokens);
      expect(await countOf("tokens")).toBe(96);
      expect(asked).toBe(1);
    });

    it("adds the earlier count once, however many requests are concurrent", async () => {
      const tokens = { ...window("tokens", 1, 100), initial: async () => 90 };
      const answers = await Promise.all(Array.from({ length: 30 }, () => admit({ then: [tokens] })));
      expect(answers.filter(({ refusedBy }) => refusedBy === null)).toHaveLength(10);
      expect(await countOf("tokens")).toBe(100);
    });

    it("counts nothing if the earlier count is unavailable", async () => {
      const tokens = { ...window("tokens", 1, 100), initial: () => Promise.reject(new Error("unreachable")) };
      await expect(
        admit({ first: [window("requests", 1, 5)], leases: [{ name: who, limit: 1 }], then: [tokens] }),
      ).rejects.toThrow("unreachable");
      expect(await countOf("requests")).toBe(0);
      expect(await opened.admissions.held(who)).toBe(0);
    });
  });
}
