import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../../../../test/support/inputs/fake-clock.js";
import { RankingCache, type Ranking } from "./ranking-cache.js";

const numbered = (requests: number) => ({
  ...{ account_id: "acc_1", requests, errors: 0, refused: 0, tokens: 0 },
});

const counting = () => {
  let asked = 0;
  const rank = async () => ({ accounts: [numbered(++asked)], keys: [] });
  return { rank, asked: () => asked };
};

describe("cached rankings", () => {
  it("are computed once a minute, also for concurrent callers", async () => {
    const clock = new FakeClock();
    const rankings = new RankingCache(clock);
    const { rank, asked } = counting();
    const all = await Promise.all([1, 2, 3].map(() => rankings.get("a", rank)));
    expect(new Set(all).size).toBe(1);
    clock.advance(59_999);
    await rankings.get("a", rank);
    expect(asked()).toBe(1);
    clock.advance(1);
    expect(await rankings.get("a", rank)).toEqual({ accounts: [numbered(2)], keys: [] });
    await rankings.get("b", rank);
    expect(asked()).toBe(3);
  });

  it("are computed one at a time", async () => {
    const rankings = new RankingCache(new FakeClock());
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const rank = (name: string) => () => {
      begun.push(name);
      return new Promise<Ranking>((resolve) => ends.push(() => resolve({ accounts: [], keys: [] })));
    };
    const [first, second] = ["a", "b"].map((name) => rankings.get(name, rank(name)));
    await setImmediate();
    expect(begun).toEqual(["a"]);
    ends.shift()?.();
    await first;
    await setImmediate();
    expect(begun).toEqual(["a", "b"]);
    ends.shift()?.();
    expect(await second).toEqual({ accounts: [], keys: [] });
  });

  it("are bounded, and the oldest are evicted first", async () => {
    const rankings = new RankingCache(new FakeClock());
    const { rank, asked } = counting();
    for (let i = 0; i < 33; i++) await rankings.get(String(i), rank);
    await rankings.get("32", rank);
    await rankings.get("1", rank);
    expect(asked()).toBe(33);
    await rankings.get("0", rank);
    expect(asked()).toBe(34);
  });

  it("are not cached when they fail", async () => {
    const rankings = new RankingCache(new FakeClock());
    const { rank } = counting();
    await expect(rankings.get("a", () => Promise.reject(new Error("unreachable")))).rejects.toThrow();
    expect((await rankings.get("a", rank)).accounts).toHaveLength(1);
  });
});
