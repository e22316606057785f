import { describe, expect, it } from "vitest";
import { DrainRate } from "./drain-rate.js";

describe("how fast a queue drains", () => {
  it("is measured while somebody waits, and not while nobody does", () => {
    const rate = new DrainRate();
    rate.setWaiting(true, 0);
    for (let nowMs = 100; nowMs <= 10_000; nowMs += 100) rate.departed(800, 8, nowMs);
    rate.setWaiting(false, 10_000);
    expect(rate.intervalMs(8, 10_000)).toBeCloseTo(100, 0);
    const nextDayMs = 86_400_000;
    rate.departed(800, 8, nextDayMs);
    rate.setWaiting(true, nextDayMs);
    expect(rate.intervalMs(8, nextDayMs)).toBeCloseTo(100, 0);
  });

  it("is the same when departures come in clumps, whenever it is looked at", () => {
    const rate = new DrainRate();
    rate.setWaiting(true, 0);
    let nowMs = 0;
    for (let round = 0; round < 20; round++) {
      nowMs += 8_000;
      for (let run = 0; run < 8; run++) rate.departed(8_000, 8, nowMs);
    }
    expect(rate.intervalMs(8, nowMs)).toBeGreaterThan(700);
    expect(rate.intervalMs(8, nowMs)).toBeLessThan(1_300);
    expect(rate.intervalMs(8, nowMs + 7_900)).toBeLessThan(1_500);
  });

  it("follows an engine that becomes slower, also when nothing ends any more", () => {
    const rate = new DrainRate();
    rate.setWaiting(true, 0);
    for (let nowMs = 100; nowMs <= 10_000; nowMs += 100) rate.departed(800, 8, nowMs);
    expect(rate.intervalMs(8, 10_000 + 60_000)).toBeGreaterThan(1_000);
    for (let nowMs = 11_000; nowMs <= 210_000; nowMs += 1_000) rate.departed(8_000, 8, nowMs);
    expect(rate.intervalMs(8, 210_000)).toBeCloseTo(1_000, -2);
  });

  it("is guessed from the length of runs until anybody has waited", () => {
    const rate = new DrainRate();
    expect(rate.intervalMs(8, 0)).toBe(1_000);
    expect(rate.intervalMs(0, 0)).toBe(8_000);
    for (const runMs of [1_000, 2_000, 3_000]) rate.departed(runMs, 8, runMs);
    expect(rate.intervalMs(8, 5_000)).toBe(500);
    rate.setWaiting(true, 5_000);
    expect(rate.intervalMs(8, 15_000)).toBe(10_000);
  });
});
