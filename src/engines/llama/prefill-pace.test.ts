import { describe, expect, it } from "vitest";
import { PrefillPace } from "./prefill-pace.js";

/** Steps of as many tokens as the pace allows, each token taking so long. */
function settle(pace: PrefillPace, msPerToken: number): number {
  for (let step = 0; step < 20; step++)
    pace.record(pace.tokens(false), pace.tokens(false) * msPerToken, false);
  return pace.tokens(false);
}

/** The same beside replies, whose own step takes so long. Returns the longest step once it has settled. */
function settleBeside(pace: PrefillPace, replyMs: number, msPerToken: number): number {
  let longest = 0;
  for (let step = 0; step < 40; step++) {
    pace.record(0, replyMs, true);
    const stepMs = replyMs + pace.tokens(true) * msPerToken;
    pace.record(pace.tokens(true), stepMs, true);
    if (step > 20) longest = Math.max(longest, stepMs);
  }
  return longest;
}

describe("prefill pace", () => {
  it("grows to whole batches on fast hardware", () => {
    expect(settle(new PrefillPace(504, 128), 0.1)).toBe(504);
  });

  it("stays at a few tokens where one takes long", () => {
    expect(settle(new PrefillPace(504, 128), 70)).toBe(8);
    expect(settle(new PrefillPace(504, 128), 200)).toBe(4);
  });

  it("recovers when a busy machine becomes idle", () => {
    const pace = new PrefillPace(504, 128);
    settle(pace, 100);
    expect(settle(pace, 0.5)).toBeGreaterThanOrEqual(256);
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
    "keeps steps beside replies within three times their own (%d ms, %d ms a token)",
    (replyMs, msPerToken) => {
      const pace = new PrefillPace(504, 128);
      expect(settleBeside(pace, replyMs, msPerToken)).toBeLessThanOrEqual(3 * replyMs);
      expect(pace.tokens(true)).toBeLessThanOrEqual(128);
    },
  );

  it("reads prompts beside replies as fast as that allows", () => {
    const pace = new PrefillPace(504, 128);
    settleBeside(pace, 100, 1);
    expect(pace.tokens(true)).toBeGreaterThanOrEqual(64);
  });
});
