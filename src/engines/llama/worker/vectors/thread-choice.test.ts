import { describe, expect, it } from "vitest";
import { ThreadChoice } from "./thread-choice.js";

/** Computes so many inputs of 10 tokens that are alone, each in a time that depends on the threads. */
function compute(choice: ThreadChoice, inputs: number, msOf: (threads: number) => number): number[] {
  return Array.from({ length: inputs }, () => {
    const threads = choice.next("short");
    choice.record("short", threads, 10, msOf(threads));
    return threads;
  });
}

describe("the choice of threads", () => {
  it("tries all, half of them and so on, and keeps the fastest", () => {
    const choice = new ThreadChoice(15);
    expect(choice.best("short")).toBe(15);
    const used = compute(choice, 30, (threads) => Math.abs(threads - 7) + 1);
    expect(used).toEqual([15, 15, 7, 7, 3, 3, 1, 1, ...Array.from({ length: 22 }, () => 7)]);
    expect(choice.best("short")).toBe(7);
  });

  it("follows the machine when another program takes its cores, and when it ends", () => {
    const choice = new ThreadChoice(8);
    const idle = (threads: number) => 8 / threads;
    const crowded = (threads: number) => (threads === 1 ? 8 : 50);
    compute(choice, 20, idle);
    expect(choice.best("short")).toBe(8);
    compute(choice, 400, crowded);
    expect(choice.best("short")).toBe(1);
    compute(choice, 800, idle);
    expect(choice.best("short")).toBe(8);
  });

  it("measures short and long inputs apart", () => {
    const choice = new ThreadChoice(4);
    compute(choice, 20, (threads) => threads);
    expect([choice.best("short"), choice.best("long")]).toEqual([1, 4]);
  });

  it("uses one thread where there is one", () => {
    expect(compute(new ThreadChoice(1), 3, () => 1)).toEqual([1, 1, 1]);
  });
});
