import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../core/clock.js";
import { GrammarCache } from "./grammar-cache.js";

const grammar = { type: "grammar", gbnf: "root ::= [a]" } as const;
const minuteMs = 60_000;

describe("compiled grammars", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("are dropped when they expire, not at the next round", () => {
    const cache = new GrammarCache(systemClock);
    cache.set("first", "acc", grammar);
    vi.advanceTimersByTime(minuteMs / 2);
    cache.set("second", "acc", grammar);
    vi.advanceTimersByTime(9.5 * minuteMs - 1);
    expect(cache.size).toBe(2);
    vi.advanceTimersByTime(1);
    expect(cache.size).toBe(1);
    vi.advanceTimersByTime(minuteMs / 2);
    expect(cache.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("of one account are dropped with it", () => {
    const cache = new GrammarCache(systemClock);
    cache.set("first", "acc_a", grammar);
    cache.set("second", "acc_b", grammar);
    cache.forgetAccount("acc_a");
    expect(cache.get("first")).toBeUndefined();
    expect(cache.get("second")).toEqual(grammar);
    cache.clear();
  });
});
