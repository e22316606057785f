import { describe, expect, it } from "vitest";
import { PrefillPace } from "./prefill-pace.js";

const alone = { prompts: 1, replies: 0 };
const beside = { prompts: 1, replies: 1 };

/** Steps of as many tokens as the pace allows, each token taking so long. */
function settle(pace: PrefillPace, msPerToken: number): number {
  for (let step = 0; step < 20; step++)
    pace.record(pace.tokens(alone), pace.tokens(alone) * msPerToken, alone);
  return pace.tokens(alone);
}

/** The same beside replies, whose own step takes so long. Returns the longest step. */
function settleBeside(pace: PrefillPace, replyMs: number, msPerToken: number, fixedMs = 0): number {
  let longest = 0;
  for (let step = 0; step < 40; step++) {
    pace.record(0, replyMs, beside);
    const stepMs = replyMs + fixedMs + pace.tokens(beside) * msPerToken;
    pace.record(pace.tokens(beside), stepMs, beside);
    longest = Math.max(longest, stepMs);
  }
  return longest;
}

describe("prefill pace", () => {
  it("grows to whole batches on fast hardware", () => {
    expect(settle(new PrefillPace(504, 128), 0.1)).toBe(504);
  });

  it("stays at a few tokens where one takes long", () => {
    expect(settle(new PrefillPace(504, 128), 25)).toBe(16);
    expect(settle(new PrefillPace(504, 128), 200)).toBe(4);
  });

  it("recovers when a busy machine becomes idle", () => {
    const pace = new PrefillPace(504, 128);
    settle(pace, 100);
    expect(settle(pace, 0.5)).toBeGreaterThanOrEqual(256);
  });

  it("starts with what a first try showed", () => {
    expect(new PrefillPace(504, 128, 1.2).tokens(alone)).toBe(256);
    expect(new PrefillPace(504, 128, 120).tokens(alone)).toBe(4);
    expect(new PrefillPace(504, 128, 0.001).tokens(alone)).toBe(504);
  });

  it("knows how many tokens cost as much as a pass", () => {
    expect(new PrefillPace(504, 128).passTokens).toBe(0);
    const pace = new PrefillPace(504, 128, 2, 40);
    expect(pace.passTokens).toBe(19);
    settle(pace, 4);
    expect(pace.passTokens).toBe(9);
    // A step of replies is a pass, so this one was measured when the machine was busy.
    pace.record(0, 24, beside);
    expect(pace.passTokens).toBe(5);
  });

  it("does not starve prompts where every step is slow", () => {
    const pace = new PrefillPace(504, 128);
    pace.record(0, 2000, beside);
    for (let step = 0; step < 20; step++) pace.record(pace.tokens(alone), 1900 + pace.tokens(alone), alone);
    expect(pace.tokens(alone)).toBeGreaterThanOrEqual(8);
  });

  it("is not thrown by single steps that are slow for no reason", () => {
    const pace = new PrefillPace(504, 128);
    settleBeside(pace, 100, 1);
    const before = pace.tokens(beside);
    pace.record(before, 3000, beside);
    pace.record(0, 3000, beside);
    expect(pace.tokens(beside)).toBe(before);
  });

  it("keeps its share where everything becomes slower", () => {
    const pace = new PrefillPace(504, 128);
    settleBeside(pace, 50, 1);
    const before = pace.tokens(beside);
    settleBeside(pace, 500, 10);
    expect(pace.tokens(beside)).toBe(before);
  });

  it("does not grow on steps that were short because little was left to read", () => {
    const pace = new PrefillPace(504, 128);
    const before = pace.tokens(alone);
    pace.record(1, 5, alone);
    expect(pace.tokens(alone)).toBe(before);
  });

  it.each([
    [20, 1],
    [100, 10],
    [300, 20],
    [5, 0.01],
  ])(
    "keeps steps beside replies within three times their own or 100 ms (%d ms, %d ms a token)",
    (replyMs, msPerToken) => {
      const pace = new PrefillPace(504, 128);
      expect(settleBeside(pace, replyMs, msPerToken)).toBeLessThanOrEqual(Math.max(100, 3 * replyMs));
      expect(pace.tokens(beside)).toBeLessThanOrEqual(128);
    },
  );

  it("is not held back by what a prompt of any size adds to a step", () => {
    const pace = new PrefillPace(504, 128);
    expect(settleBeside(pace, 100, 0.5, 100)).toBeLessThanOrEqual(300);
    expect(pace.tokens(beside)).toBeGreaterThanOrEqual(64);
  });

  it("reads prompts beside replies as fast as that allows", () => {
    const pace = new PrefillPace(504, 128);
    settleBeside(pace, 100, 1);
    expect(pace.tokens(beside)).toBeGreaterThanOrEqual(64);
  });

  it("reads more at once where many prompts wait beside few replies, up to a bound", () => {
    const pace = new PrefillPace(504, 128);
    const share = pace.tokens({ prompts: 3, replies: 3 });
    expect(pace.tokens({ prompts: 1, replies: 7 })).toBe(share);
    expect(pace.tokens({ prompts: 3, replies: 2 })).toBe(share);
    expect(pace.tokens({ prompts: 4, replies: 2 })).toBe(share * 2);
    expect(pace.tokens({ prompts: 15, replies: 1 })).toBe(share * 4);
    settleBeside(pace, 100, 0.01);
    expect(pace.tokens({ prompts: 15, replies: 1 })).toBe(128);
  });

  it("learns from several shares that one can be larger", () => {
    const pace = new PrefillPace(504, 128);
    const crowded = { prompts: 15, replies: 1 };
    pace.record(0, 20, beside);
    for (let step = 0; step < 10; step++) pace.record(pace.tokens(crowded), 30, crowded);
    expect(pace.tokens(beside)).toBe(128);
  });

  it("does not take what several shares cost for the cost of one", () => {
    const pace = new PrefillPace(504, 128);
    settleBeside(pace, 100, 1);
    const before = pace.tokens(beside);
    const crowded = { prompts: 15, replies: 1 };
    for (let step = 0; step < 20; step++) {
      pace.record(0, 100, beside);
      pace.record(pace.tokens(crowded), 100 + pace.tokens(crowded) * 8, crowded);
    }
    expect(pace.tokens(beside)).toBe(before);
  });
});
