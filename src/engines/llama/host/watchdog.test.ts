import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Watchdog } from "./watchdog.js";

describe("watchdog", () => {
  let pings = 0;
  let silent = 0;
  let watchdog: Watchdog;

  beforeEach(() => {
    vi.useFakeTimers();
    pings = 0;
    silent = 0;
    watchdog = new Watchdog({
      tickMs: 1000,
      silentTicks: 5,
      ping: () => (pings += 1),
      onSilent: () => (silent += 1),
    });
  });
  afterEach(() => {
    watchdog.stop();
    vi.useRealTimers();
  });

  it("asks for a sign of life and leaves a child that gives one alone", () => {
    for (let tick = 0; tick < 60; tick++) {
      vi.advanceTimersByTime(1000);
      watchdog.heard();
    }
    expect(pings).toBe(60);
    expect(silent).toBe(0);
  });

  it("gives up on a child that is silent for five ticks, once", () => {
    vi.advanceTimersByTime(5000);
    expect(silent).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(silent).toBe(1);
  });

  it("gives up on a child that answers pings but not an abort", () => {
    watchdog.expectEnding(7);
    for (let tick = 0; tick < 6; tick++) {
      vi.advanceTimersByTime(1000);
      watchdog.heard();
    }
    expect(silent).toBe(1);
  });

  it("forgets an abort that was answered", () => {
    watchdog.expectEnding(7);
    vi.advanceTimersByTime(3000);
    watchdog.ended(7);
    watchdog.heard();
    vi.advanceTimersByTime(4000);
    expect(silent).toBe(0);
  });
});
