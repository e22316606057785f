import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promptShare } from "./step-plan.js";

describe("sharing a step between prompts", () => {
  it("takes as much of a long prompt as of a short one that ends", () => {
    expect(promptShare([2000, 30], 128, false)).toBe(30);
  });

  it("adds a pass of whole fours to the replies' own", () => {
    expect(promptShare([2000], 16, true)).toBe(17);
    expect(promptShare([2000, 2000, 2000], 16, true)).toBe(5);
  });

  it("makes whole fours of all prompts together", () => {
    expect(promptShare([2000], 30, false)).toBe(28);
    expect(promptShare([2000, 2000], 30, false)).toBe(14);
    expect(promptShare([2000, 2000, 2000], 30, false)).toBe(8);
  });

  it("stays within the budget, lets nobody stand still and gives nobody more than is left to read", () => {
    const prompts = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(prompts, fc.integer({ min: 1, max: 512 }), fc.boolean(), (remaining, budget, beside) => {
        const share = promptShare(remaining, budget, beside);
        expect(share).toBeGreaterThanOrEqual(1);
        expect(share).toBeLessThanOrEqual(Math.min(...remaining));
        const ownPass = (beside ? share - 1 : share) * remaining.length;
        expect(ownPass).toBeLessThanOrEqual(Math.max(budget, remaining.length));
      }),
    );
  });
});
