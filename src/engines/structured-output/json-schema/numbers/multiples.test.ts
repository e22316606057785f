import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GrammarWalker } from "../../../../../test/support/inputs/grammar-walker.js";
import { Grammar } from "../../gbnf.js";
import { multiplesOf } from "./multiples.js";
import type { Bounds } from "./number-range.js";

function textsOf(step: number, bounds: Bounds, count = 40): string[] {
  const grammar = new Grammar();
  const expression = multiplesOf(step, bounds, grammar);
  const gbnf = expression === null ? null : grammar.toText(expression);
  if (gbnf === null) return [];
  const walker = new GrammarWalker(gbnf);
  return Array.from({ length: count }, (_, seed) => walker.text(seed));
}

describe("multiples", () => {
  const steps = [1, 2, 3, 5, 7, 12, 24, 25, 100, 2500, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001];
  const bound = fc.option(fc.integer({ min: -20_000, max: 20_000 }), { nil: undefined });

  it("are multiples within the bounds, as JSON writes numbers", () => {
    fc.assert(
      fc.property(fc.constantFrom(...steps), bound, bound, (step, a, b) => {
        const [min, max] = a !== undefined && b !== undefined && a > b ? [b, a] : [a, b];
        for (const text of textsOf(step, { min, max })) {
          expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
          expect(Number(text)).toBeGreaterThanOrEqual(min ?? -Infinity);
          expect(Number(text)).toBeLessThanOrEqual(max ?? Infinity);
          // In thousandths, which all of these steps are whole numbers of.
          const units = BigInt(text.replace(/(\.\d*)?$/, (rest) => rest.slice(1).padEnd(3, "0")));
          expect(units % BigInt(Math.round(step * 1000)), `${text} of ${step}`).toBe(0n);
        }
      }),
    );
  });

  it("are all of them, where they can be counted", () => {
    const all = new Set(textsOf(7, { min: -30, max: 30 }, 500));
    expect([...all].map(Number).sort((a, b) => a - b)).toEqual([-28, -21, -14, -7, 0, 7, 14, 21, 28]);
    const shares = new Set(textsOf(0.25, { min: 0, max: 1 }, 500));
    expect([...shares].sort()).toEqual(["0.00", "0.25", "0.50", "0.75", "1.00", "0", "1"].sort());
  });

  it("are not told by digits where that takes too many rules", () => {
    for (const step of [97, 1 / 3, 1e-9, Math.PI, 1e300]) {
      expect(multiplesOf(step, { min: undefined, max: undefined }, new Grammar())).toBeNull();
    }
  });
});
