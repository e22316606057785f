/** What `Admissions` promises of a single window, to be run on every implementation. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Admissions } from "../../../src/core/counters.js";
import { eventually } from "../../support/eventually.js";
import { WindowCounter } from "../../support/stores/window-counter.js";

export interface CounterUnderTest {
  admissions: Admissions;
  dispose(): Promise<void>;
}

const minute = 60_000;
/** Short enough to see its end. */
const moment = 400;

export function describeCounterContract(name: string, open: () => Promise<CounterUnderTest>): void {
  describe(`${name} keeps the promises of a counter`, () => {
    let opened: CounterUnderTest;
    let counter: WindowCounter;
    /** A name that no other test counts under. */
    let who: string;
    beforeEach(async () => {
      opened = await open();
      counter = new WindowCounter(opened.admissions);
      who = `requests:${randomUUID()}`;
    });
    afterEach(() => opened.dispose());

    it("admits up to the limit, and does not count refused requests", async () => {
      expect(await counter.take(who, 3, 5, minute)).toMatchObject({ admitted: true, count: 3, remaining: 2 });
      expect(await counter.take(who, 3, 5, minute)).toMatchObject({
        admitted: false,
        count: 3,
        remaining: 2,
      });
      expect(await counter.take(who, 2, 5, minute)).toMatchObject({ admitted: true, count: 5, remaining: 0 });
      expect(await counter.take(who, 1, 5, minute)).toMatchObject({
        admitted: false,
        count: 5,
        remaining: 0,
      });
    });

    it("admits exactly the limit of a parallel burst", async () => {
      const readings = await Promise.all(Array.from({ length: 50 }, () => counter.take(who, 1, 20, minute)));
      expect(readings.filter((reading) => reading.admitted)).toHaveLength(20);
    });

    it("keeps names apart", async () => {
      await counter.take(who, 5, 5, minute);
      expect(await counter.take(`${who} other`, 1, 5, minute)).toMatchObject({ admitted: true });
    });

    it("reports how long the window lasts, which counting does not extend", async () => {
      const first = await counter.take(who, 1, 5, minute);
      expect(first.resetMs).toBeGreaterThan(minute - 5_000);
      expect(first.resetMs).toBeLessThanOrEqual(minute);
      const second = await counter.take(who, 1, 5, minute);
      expect(second.resetMs).toBeLessThanOrEqual(first.resetMs);
      expect(second.window).toBe(first.window);
    });

    it("has the whole limit free again when the window is over", async () => {
      const first = await counter.take(who, 5, 5, moment);
      const next = await eventually(async () => {
        const reading = await counter.take(who, 1, 5, minute);
        return reading.admitted && reading;
      });
      expect(next).toMatchObject({ count: 1, remaining: 4 });
      expect(next.window).not.toBe(first.window);
    });

    it("follows a limit that changes within a window", async () => {
      await counter.take(who, 4, 5, minute);
      expect(await counter.take(who, 1, 3, minute)).toMatchObject({ admitted: false, remaining: 0 });
      expect(await counter.take(who, 4, 10, minute)).toMatchObject({ admitted: true, remaining: 2 });
    });

    it("reads without counting", async () => {
      expect(await counter.read(who, 5, minute)).toMatchObject({
        admitted: true,
        count: 0,
        remaining: 5,
        resetMs: minute,
      });
      await counter.take(who, 5, 5, minute);
      expect(await counter.read(who, 5, minute)).toMatchObject({ admitted: false, count: 5, remaining: 0 });
      expect(await counter.read(who, 5, minute)).toMatchObject({ count: 5 });
    });

    it("corrects what a window has counted, never below nothing", async () => {
      const { window } = await counter.take(who, 4, 10, minute);
      await counter.adjust(who, window, -3);
      expect(await counter.read(who, 10, minute)).toMatchObject({ count: 1 });
      await counter.adjust(who, window, 2);
      expect(await counter.read(who, 10, minute)).toMatchObject({ count: 3 });
      await counter.adjust(who, window, -100);
      expect(await counter.read(who, 10, minute)).toMatchObject({ count: 0, remaining: 10 });
    });

    it("leaves a later window alone when an earlier one is corrected", async () => {
      const first = await counter.take(who, 5, 5, moment);
      await eventually(async () => (await counter.take(who, 2, 5, minute)).admitted);
      await counter.adjust(who, first.window, -5);
      await counter.adjust(`${who} never counted`, first.window, -5);
      expect(await counter.read(who, 5, minute)).toMatchObject({ count: 2 });
    });

    it("counts amounts of millions exactly", async () => {
      await counter.take(who, 999_999_999, 1_000_000_000, minute);
      expect(await counter.take(who, 1, 1_000_000_000, minute)).toMatchObject({
        admitted: true,
        count: 1_000_000_000,
        remaining: 0,
      });
    });
  });
}
