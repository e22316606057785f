import { describe, expect, it } from "vitest";
import { ThreadChoice } from "./thread-choice.js";

/** Computes so many inputs that are alone, each in a time that depends on the threads. */
function compute(choice: ThreadChoice, inputs: number, msOf: (threads: number) => number, tokens = 10) {
  return Array.from({ length: inputs }, () => {
    const threads = choice.next(tokens);
    choice.record(threads, tokens, msOf(threads));
    return threads;
  });
}

const times = (count: number, threads: number): number[] => Array.from({ length: count }, () => threads);

describe("the choice of threads", () => {
  it("tries all, three in four of them and so on, and keeps the fastest", () => {
    const choice = new ThreadChoice(15);
    expect(choice.best(10)).toBe(15);
    const used = compute(choice, 35, (threads) => Math.abs(threads - 8) + 10);
    const tried = [15, 11, 8, 6, 4].flatMap((threads) => times(5, threads));
    expect(used).toEqual([...tried, ...times(10, 8)]);
    expect(choice.best(10)).toBe(8);
  });

  it("tries no fewer than those that are clearly slower", () => {
    const choice = new ThreadChoice(16);
    expect(compute(choice, 16, (threads) => 16 / threads)).toEqual([
      ...times(5, 16),
      ...times(5, 12),
      ...times(6, 16),
    ]);
  });

  it("tries a neighbour that is clearly slower again, but seldom", () => {
    const choice = new ThreadChoice(2);
    compute(choice, 10, (threads) => 2 / threads);
    expect(compute(choice, 512, (threads) => 2 / threads).filter((threads) => threads === 1)).toHaveLength(2);
  });

  it("follows the machine when another program takes its cores, and when it ends", () => {
    const choice = new ThreadChoice(8);
    const idle = (threads: number) => 8 / threads;
    const crowded = (threads: number) => (threads === 1 ? 8 : 50);
    compute(choice, 20, idle);
    expect(choice.best(10)).toBe(8);
    compute(choice, 400, crowded);
    expect(choice.best(10)).toBe(1);
    compute(choice, 1200, idle);
    expect(choice.best(10)).toBe(8);
  });

  it("is not misled by single inputs that take longer than they should", () => {
    const choice = new ThreadChoice(2);
    compute(choice, 10, (threads) => 2 / threads);
    let input = 0;
    const disturbed = (threads: number) => (2 / threads) * (input++ % 50 === 0 ? 6 : 1);
    expect(compute(choice, 100, disturbed)).toEqual(times(100, 2));
  });

  it("measures short and long inputs apart", () => {
    const choice = new ThreadChoice(4);
    compute(choice, 20, (threads) => threads);
    expect([choice.best(10), choice.best(15), choice.best(100)]).toEqual([1, 1, 4]);
  });

  it("uses one thread where there is one", () => {
    expect(compute(new ThreadChoice(1), 3, () => 1)).toEqual([1, 1, 1]);
  });
});
