import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Calendar } from "./calendar.js";

/** Whole and broken offsets, both hemispheres, midnight skipped by the clocks, both sides of the date line. */
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Havana",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
];
const hourMs = 3_600_000;

describe("a calendar", () => {
  it.each([
    ["UTC", "2026-11-16T13:00:00Z", "2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z"],
    ["Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
    ["Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
    ["Asia/Kolkata", "2026-06-01T18:29:59Z", "2026-05-31T18:30:00Z", "2026-06-01T18:30:00Z"],
    // The clocks go from 23:59 to 01:00: the day begins at one.
    ["America/Havana", "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"],
  ])("knows when the day of %s begins and ends: %s", (zone, now, startsAt, endsAt) => {
    const window = new Calendar(zone).windowAt("day", new Date(now));
    expect([window.startsAt, window.endsAt]).toEqual([new Date(startsAt), new Date(endsAt)]);
  });

  it("knows when a month ends, also across a change of the clocks", () => {
    const window = new Calendar("America/New_York").windowAt("month", new Date("2026-11-01T04:30:00Z"));
    expect(window).toMatchObject({ label: "2026-11", endsAt: new Date("2026-12-01T05:00:00Z") });
  });

  it("follows a clock through months, with no gap, no overlap and no label twice", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom("day" as const, "month" as const),
        fc.date({
          min: new Date("2020-01-01T00:00:00Z"),
          max: new Date("2035-01-01T00:00:00Z"),
          noInvalidDate: true,
        }),
        fc.array(fc.integer({ min: 1, max: 20 * hourMs }), { minLength: 20, maxLength: 80 }),
        (zone, period, start, steps) => {
          const calendar = new Calendar(zone);
          let now = start;
          let window = calendar.windowAt(period, now);
          const labels = [window.label];
          for (const step of steps) {
            now = new Date(now.getTime() + step);
            const next = calendar.windowAt(period, now);
            expect(next.startsAt <= now && now < next.endsAt).toBe(true);
            if (next.label === window.label) expect(next).toEqual(window);
            else {
              expect(next.startsAt).toEqual(window.endsAt);
              labels.push(next.label);
            }
            expect(next).toEqual(new Calendar(zone).windowAt(period, now));
            window = next;
          }
          expect(new Set(labels).size).toBe(labels.length);
          expect([...labels].sort()).toEqual(labels);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("gives days of 23 to 25 hours, and as many as the year has", () => {
    for (const zone of ["America/Havana", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Kiritimati"]) {
      const calendar = new Calendar(zone);
      let window = calendar.windowAt("day", new Date("2027-01-15T12:00:00Z"));
      const { startsAt: first, label } = window;
      const days = 365;
      for (let day = 0; day < days; day++) {
        const length = window.endsAt.getTime() - window.startsAt.getTime();
        expect(length, `${zone} ${window.label}`).toBeGreaterThanOrEqual(23 * hourMs);
        expect(length, `${zone} ${window.label}`).toBeLessThanOrEqual(25 * hourMs);
        window = calendar.windowAt("day", window.endsAt);
      }
      expect(window.label, zone).toBe(`2028${label.slice(4)}`);
      expect(window.startsAt.getTime() - first.getTime(), zone).toBe(days * 24 * hourMs);
    }
  });
});
