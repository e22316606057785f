import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sharePrefill } from "./step-plan.js";

describe("sharing a step between prompts", () => {
  it("reads a short prompt whole beside a long one", () => {
    expect(sharePrefill([2000, 30], 128)).toEqual([98, 30]);
  });

  it("spends the budget, lets nobody stand still and gives nobody more than is left to read", () => {
    const prompts = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(prompts, fc.integer({ min: 1, max: 512 }), (remaining, budget) => {
        const shares = sharePrefill(remaining, budget);
        const spent = shares.reduce((sum, share) => sum + share, 0);
        const wanted = remaining.reduce((sum, tokens) => sum + tokens, 0);
        expect(spent).toBe(Math.min(wanted, Math.max(budget, remaining.length)));
        shares.forEach((share, index) => {
          expect(share).toBeGreaterThanOrEqual(1);
          expect(share).toBeLessThanOrEqual(remaining[index] ?? 0);
        });
      }),
    );
  });
});
