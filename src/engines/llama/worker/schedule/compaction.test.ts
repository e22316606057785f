import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactionMoves } from "./compaction.js";

describe("closing ranks", () => {
  it("moves nothing while those in use are neighbours, wherever they are", () => {
    expect(compactionMoves([], 8)).toEqual([]);
    expect(compactionMoves([3, 4, 5], 8)).toEqual([]);
    expect(compactionMoves([0, 1, 2, 3], 4)).toEqual([]);
  });

  it("brings the one that stands apart to the others", () => {
    expect(compactionMoves([0, 13, 14, 15], 16)).toEqual([{ from: 0, to: 12 }]);
  });

  it("fills a gap that a reply left", () => {
    expect(compactionMoves([0, 2, 3, 4], 8)).toEqual([{ from: 4, to: 1 }]);
  });

  it("leaves neighbours, with as few moves as can be", () => {
    const sets = fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(sets, (ids) => {
        const inUse = ids.toSorted((a, b) => a - b);
        const moves = compactionMoves(inUse, 12);
        const places = new Set(inUse);
        for (const { from, to } of moves) {
          expect(places.delete(from)).toBe(true);
          expect(places.has(to)).toBe(false);
          places.add(to);
        }
        expect(places.size).toBe(inUse.length);
        expect(Math.max(...places) - Math.min(...places)).toBe(inUse.length - 1);
        const longestRun = Math.max(
          ...inUse.map((start) => inUse.filter((id) => id >= start && id < start + inUse.length).length),
        );
        expect(moves.length).toBe(inUse.length - longestRun);
      }),
    );
  });
});
