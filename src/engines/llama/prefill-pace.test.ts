import { describe, expect, it } from "vitest";
import { PrefillPace } from "./prefill-pace.js";

/** Steps of as many tokens as the pace allows, each token taking so long. */
function settle(pace: PrefillPace, msPerToken: number): number {
  for (let step = 0; step < 20; step++) pace.record(pace.tokens, pace.tokens * msPerToken);
  return pace.tokens;
}

describe("prefill pace", () => {
  it("grows to whole batches on fast hardware", () => {
    expect(settle(new PrefillPace(504), 0.1)).toBe(504);
  });

  it("stays at a few tokens where one takes long", () => {
    expect(settle(new PrefillPace(504), 70)).toBe(8);
    expect(settle(new PrefillPace(504), 200)).toBe(4);
  });

  it("recovers when a busy machine becomes idle", () => {
    const pace = new PrefillPace(504);
    settle(pace, 100);
    expect(settle(pace, 0.5)).toBeGreaterThanOrEqual(256);
  });

  it("does not grow on steps that were short because little was left to read", () => {
    const pace = new PrefillPace(504);
    const before = pace.tokens;
    pace.record(1, 5);
    expect(pace.tokens).toBe(before);
  });
});
