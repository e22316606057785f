/** What `Admissions` promises of leases, to be run on every implementation. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Admissions } from "../../../src/core/counters.js";
import { eventually } from "../../support/eventually.js";
import { acquireLease } from "../../support/stores/acquire-lease.js";

export interface LeasesUnderTest {
  admissions: Admissions;
  dispose(): Promise<void>;
}

export function describeLeaseContract(name: string, open: () => Promise<LeasesUnderTest>): void {
  describe(`${name} keeps the promises of leases`, () => {
    let opened: LeasesUnderTest;
    let who: string;
    beforeEach(async () => {
      opened = await open();
      who = randomUUID();
    });
    afterEach(() => opened.dispose());
    const acquire = (name: string, limit: number) => acquireLease(opened, name, limit);

    it("gives out as many as the limit, also of a parallel burst", async () => {
      const given = await Promise.all(Array.from({ length: 10 }, () => acquire(who, 3)));
      expect(given.filter((lease) => lease !== null)).toHaveLength(3);
      expect(await opened.admissions.held(who)).toBe(3);
    });

    it("gives one out again once it was released, and only once however often that is said", async () => {
      const first = await acquire(who, 2);
      await acquire(who, 2);
      expect(await acquire(who, 2)).toBeNull();
      first?.release();
      first?.release();
      const again = await eventually(async () => (await acquire(who, 2)) ?? undefined);
      expect(again).not.toBeNull();
      expect(await acquire(who, 2)).toBeNull();
    });

    it("keeps names apart", async () => {
      await acquire(who, 1);
      expect(await acquire(`${who} other`, 1)).not.toBeNull();
      expect(await opened.admissions.held(`${who} third`)).toBe(0);
    });

    it("gives out none where the limit is none", async () => {
      expect(await acquire(who, 0)).toBeNull();
    });
  });
}
