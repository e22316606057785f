import { describe, expect, it } from "vitest";
import { PrefillPace } from "./prefill-pace.js";

/** Steps of as many tokens as the pace allows, each token taking so long. */
function settle(pace: PrefillPace, msPerToken: number): number {
  for (let step = 0; step < 20; step++)
    pace.record(pace.tokens(false), pace.tokens(false) * msPerToken, false);
  return pace.tokens(false);
}

/** The same beside replies, whose own step takes so long. Returns the longest step. */
function settleBeside(pace: PrefillPace, replyMs: number, msPerToken: number, fixedMs = 0): number {
  let longest = 0;
  for (let step = 0; step < 40; step++) {
    pace.record(0, replyMs, true);
    const stepMs = replyMs + fixedMs + pace.tokens(true) * msPerToken;
    pace.record(pace.tokens(true), stepMs, true);
    longest = Math.max(longest, stepMs);
  }
  return longest;
}

describe("prefill pace", () => {
  it("grows to whole batches on fast hardware", () => {
    expect(settle(new PrefillPace(504, 128), 0.1)).toBe(504);
  });

  it("stays at a few tokens where one takes long", () => {
    expect(settle(new PrefillPace(504, 128), 60)).toBe(8);
    expect(settle(new PrefillPace(504, 128), 200)).toBe(4);
  });

  it("recovers when a busy machine becomes idle", () => {
    const pace = new PrefillPace(504, 128);
    settle(pace, 100);
    expect(settle(pace, 0.5)).toBeGreaterThanOrEqual(256);
  });

  it("starts with what a first try showed", () => {
    expect(new PrefillPace(504, 128, 1).tokens(false)).toBe(256);
    expect(new PrefillPace(504, 128, 60).tokens(false)).toBe(4);
    expect(new PrefillPace(504, 128, 0.001).tokens(false)).toBe(504);
  });

  it("does not starve prompts where every step is slow", () => {
    const pace = new PrefillPace(504, 128);
    pace.record(0, 2000, true);
    for (let step = 0; step < 20; step++) pace.record(pace.tokens(false), 1900 + pace.tokens(false), false);
    expect(pace.tokens(false)).toBeGreaterThanOrEqual(8);
  });

  it("is not thrown by single steps that are slow for no reason", () => {
    const pace = new PrefillPace(504, 128);
    settleBeside(pace, 100, 1);
    const before = pace.tokens(true);
    pace.record(before, 3000, true);
    pace.record(0, 3000, true);
    expect(pace.tokens(true)).toBe(before);
  });

  it("keeps its share where everything becomes slower", () => {
    const pace = new PrefillPace(504, 128);
    settleBeside(pace, 50, 1);
    const before = pace.tokens(true);
    settleBeside(pace, 500, 10);
    expect(pace.tokens(true)).toBe(before);
  });

  it("does not grow on steps that were short because little was left to read", () => {
    const pace = new PrefillPace(504, 128);
    const before = pace.tokens(false);
    pace.record(1, 5, false);
    expect(pace.tokens(false)).toBe(before);
  });

  it.each([
    [20, 1],
    [100, 10],
    [300, 20],
    [5, 0.01],
  ])(
    "keeps steps beside replies within three times their own or 50 ms (%d ms, %d ms a token)",
    (replyMs, msPerToken) => {
      const pace = new PrefillPace(504, 128);
      expect(settleBeside(pace, replyMs, msPerToken)).toBeLessThanOrEqual(Math.max(50, 3 * replyMs));
      expect(pace.tokens(true)).toBeLessThanOrEqual(128);
    },
  );

  it("is not held back by what a prompt of any size adds to a step", () => {
    const pace = new PrefillPace(504, 128);
    expect(settleBeside(pace, 100, 0.5, 100)).toBeLessThanOrEqual(300);
    expect(pace.tokens(true)).toBeGreaterThanOrEqual(64);
  });

  it("reads prompts beside replies as fast as that allows", () => {
    const pace = new PrefillPace(504, 128);
    settleBeside(pace, 100, 1);
    expect(pace.tokens(true)).toBeGreaterThanOrEqual(64);
  });
});
