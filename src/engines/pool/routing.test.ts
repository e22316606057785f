import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choose, loadOf, warmthFactor, type Candidate } from "./routing.js";

const idle: Candidate = { weight: 1, capacity: 4, runs: 0, work: 0, waiting: 0, lastChosen: 0 };
const candidate = fc.record({
  weight: fc.integer({ min: 1, max: 10 }),
  capacity: fc.integer({ min: 1, max: 64 }),
  runs: fc.nat(80),
  work: fc.nat(100_000),
  waiting: fc.nat(20),
  lastChosen: fc.nat(1000),
});
const some = fc.array(candidate, { minLength: 1, maxLength: 8 });

describe("routing", () => {
  it("has nobody to choose among nobody", () => {
    const nobody: Candidate[] = [];
    expect(choose(nobody, undefined, 100)).toBeUndefined();
  });

  it("chooses the least busy in proportion to weight and capacity", () => {
    const busy = { ...idle, runs: 1, work: 500 };
    expect(choose([busy, idle], undefined, 100)).toBe(idle);
    const large = { ...busy, capacity: 64 };
    expect(choose([busy, large], undefined, 100)).toBe(large);
    const heavy = { ...busy, weight: 3 };
    expect(choose([busy, heavy], undefined, 100)).toBe(heavy);
    const crowded = { ...busy, waiting: 5 };
    expect(choose([crowded, busy], undefined, 100)).toBe(busy);
  });

  it("takes turns among equals", () => {
    const [a, b] = [{ ...idle }, { ...idle }];
    const turns = Array.from({ length: 6 }, (_, turn) => {
      const chosen = choose([a, b], undefined, 100);
      if (chosen !== undefined) chosen.lastChosen = turn + 1;
      return chosen === a ? "a" : "b";
    });
    expect(turns.join("")).toBe("ababab");
  });

  it("stays where the conversation is warm while that one is not much busier", () => {
    const warm = { ...idle, runs: 1, work: 1000 };
    const other = { ...idle, runs: 1, work: 600 };
    expect(choose([warm, other], warm, 0)).toBe(warm);
    expect(choose([{ ...idle }, warm], warm, 1000)).toBe(warm);
    const cold = { ...idle };
    expect(choose([warm, cold], warm, 10)).toBe(cold);
  });

  it("leaves a warm member that is full, and one that is gone", () => {
    const full = { ...idle, runs: 4, work: 1 };
    const other = { ...idle, runs: 3, work: 10_000 };
    expect(choose([full, other], full, 100)).toBe(other);
    expect(choose([other], full, 100)).toBe(other);
  });

  it("never chooses one that is busier than the bound, nor a full one beside one with room", () => {
    fc.assert(
      fc.property(some, fc.nat(7), fc.nat(5000), (candidates, index, ownWork) => {
        const warm = candidates[index];
        const chosen = choose(candidates, warm, ownWork);
        if (chosen === undefined) throw new Error("somebody must be chosen");
        const roomy = candidates.filter(({ runs, capacity }) => runs < capacity);
        if (roomy.length > 0) expect(roomy).toContain(chosen);
        const least = Math.min(...(roomy.length > 0 ? roomy : candidates).map(loadOf));
        const slack = ownWork / (chosen.capacity * chosen.weight);
        expect(loadOf(chosen)).toBeLessThanOrEqual(warmthFactor * least + slack + 1e-9);
      }),
    );
  });
});
