import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../core/clock.js";
import { RecentEntries } from "./recent-entries.js";

const minuteMs = 60_000;

describe("recent entries", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("are dropped when they expire, also when nobody asks, and not at the next round", () => {
    const entries = new RecentEntries(systemClock, 10);
    entries.set("first", "acc", "here");
    vi.advanceTimersByTime(minuteMs / 2);
    entries.set("second", "acc", "here");
    vi.advanceTimersByTime(9.5 * minuteMs - 1);
    expect(entries.size).toBe(2);
    vi.advanceTimersByTime(1);
    expect(entries.size).toBe(1);
    vi.advanceTimersByTime(minuteMs / 2);
    expect(entries.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are kept for ten minutes after they were last set", () => {
    const entries = new RecentEntries(systemClock, 10);
    entries.set("first", "acc", "here");
    vi.advanceTimersByTime(5 * minuteMs);
    entries.set("first", "acc", "there");
    entries.set("other", "acc_other", "there");
    vi.advanceTimersByTime(5 * minuteMs + 1);
    expect(entries.keptOf("acc")).toEqual({ count: 1, lastMs: 5 * minuteMs - 1 });
    expect(entries.get("first")).toBe("there");
    vi.advanceTimersByTime(5 * minuteMs);
    expect(entries.get("first")).toBeUndefined();
    expect(entries.keptOf("acc")).toEqual({ count: 0, lastMs: 0 });
  });

  it("lose the oldest past their bound, and all of a value that is gone", () => {
    const entries = new RecentEntries(systemClock, 4);
    for (const key of ["k0", "k1", "k2"]) entries.set(key, "acc", key === "k1" ? "odd" : "even");
    entries.set("heavy", "acc", "odd", 2);
    expect(entries.get("k0")).toBeUndefined();
    expect(entries.get("k1")).toBe("odd");
    entries.forgetValue("odd");
    expect(entries.get("k1")).toBeUndefined();
    expect(entries.get("k2")).toBe("even");
  });

  it("of an account that was deleted are dropped, and none of others", () => {
    const entries = new RecentEntries(systemClock, 10);
    entries.set("one", "acc_a", "here");
    entries.set("two", "acc_b", "here");
    entries.forgetAccount("acc_a");
    expect(entries.get("one")).toBeUndefined();
    expect(entries.get("two")).toBe("here");
    entries.clear();
  });

  it("are not kept at all where the bound is 0", () => {
    const entries = new RecentEntries(systemClock, 0);
    entries.set("one", "acc", "here");
    expect(entries.size).toBe(0);
  });
});
