import { describe, expect, it } from "vitest";
import { PrefillTurns } from "./prefill-turns.js";

const grace = 40;

/** Who reads, in so many steps of ten tokens. */
const steps = (turns: PrefillTurns, accounts: string[], count: number): string =>
  Array.from({ length: count }, () => {
    const [first = ""] = turns.inOrder(accounts, grace);
    turns.record(first, 10);
    return first;
  }).join("");

describe("reading in turns", () => {
  it("alternates between accounts that read all the time, once nobody is behind", () => {
    const turns = new PrefillTurns();
    steps(turns, ["a"], 10);
    expect(steps(turns, ["a", "b"], 12)).toBe("bbbbabababab");
  });

  it("lets who comes first, up to the grace, and owes nobody what was read while it was away", () => {
    const turns = new PrefillTurns();
    steps(turns, ["a"], 1_000);
    expect(steps(turns, ["a", "b"], 8)).toBe("bbbbabab");
    steps(turns, ["a"], 1_000);
    expect(steps(turns, ["a", "b", "c"], 10)).toBe("bcbcbcbcab");
  });

  it("gives who comes again and again no more than the others", () => {
    const turns = new PrefillTurns();
    steps(turns, ["a"], 10);
    let read = "";
    for (let round = 0; round < 100; round++) read += steps(turns, ["a", "b"], 2) + steps(turns, ["a"], 0);
    expect(read.replaceAll("a", "").length).toBeLessThanOrEqual(102);
  });
});
