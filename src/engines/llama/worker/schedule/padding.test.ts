import { describe, expect, it } from "vitest";
import { padding } from "./padding.js";

const entries = (...lengths: number[]) =>
  lengths.map((tokens, sequenceId) => ({ sequenceId, tokens, most: 1000 }));

describe("padding", () => {
  it("makes prompts as long as one another where a pass costs more than the tokens", () => {
    expect(padding(entries(49, 50, 52, 52), 16, 512)).toEqual([52, 52, 52, 52]);
    expect(padding(entries(49, 50, 52, 52), 1, 512)).toEqual([49, 50, 52, 52]);
    expect(padding(entries(20, 20), 100, 512)).toEqual([20, 20]);
  });

  it("leaves replies alone beside long prompts, and makes the prompts equal", () => {
    expect(padding(entries(1, 1, 38, 40), 16, 512)).toEqual([1, 1, 40, 40]);
    expect(padding(entries(1, 1, 38, 40), 400, 512)).toEqual([40, 40, 40, 40]);
  });

  it("uses two lengths where one would take too many tokens", () => {
    expect(padding(entries(4, 5, 5, 4, 60, 58), 20, 512)).toEqual([5, 5, 5, 5, 60, 60]);
  });

  it("counts sequences that are no neighbours as passes of their own", () => {
    const apart = [0, 2, 4].map((sequenceId) => ({ sequenceId, tokens: 8 + sequenceId, most: 1000 }));
    expect(padding(apart, 16, 512)).toEqual([8, 10, 12]);
  });

  it("stays within what a sequence and a batch can hold", () => {
    const full = [
      { sequenceId: 0, tokens: 49, most: 50 },
      { sequenceId: 1, tokens: 52, most: 1000 },
    ];
    expect(padding(full, 16, 512)).toEqual([49, 52]);
    expect(padding(entries(49, 50, 52, 52), 16, 203)).toEqual([49, 50, 52, 52]);
  });

  it("pads nothing while the cost of a pass is unknown", () => {
    expect(padding(entries(1, 7, 9), 0, 512)).toEqual([1, 7, 9]);
  });
});
