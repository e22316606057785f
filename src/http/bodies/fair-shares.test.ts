import { describe, expect, it } from "vitest";
import { FairShares, type FairSharesOptions } from "./fair-shares.js";

const never = new AbortController().signal;
const shares = (options: Partial<FairSharesOptions> = {}) =>
  new FairShares({ total: 10, perOwner: 4, maxWaitMs: 60_000, maxWaiting: 100, ...options });

/** Takes, and notes the name when it is granted. */
function taker(of: FairShares) {
  const granted: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    granted,
    take: async (name: string, owner: string, amount: number, signal = never) => {
      const release = await of.take(owner, amount, signal);
      granted.push(name);
      releases.set(name, release);
    },
    release: async (name: string) => {
      releases.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

describe("fair shares", () => {
  it("let an owner wait for its own share, and others pass", async () => {
    const { take, release, granted } = taker(shares());
    await take("a1", "a", 3);
    void take("a2", "a", 3);
    await take("b1", "b", 3);
    expect(granted).toEqual(["a1", "b1"]);
    await release("a1");
    expect(granted).toEqual(["a1", "b1", "a2"]);
  });

  it("serve owners in turns, however many requests one has", async () => {
    const { take, release, granted } = taker(shares({ total: 1, perOwner: 1 }));
    await take("a0", "a", 1);
    for (const name of ["a1", "a2", "a3"]) void take(name, "a", 1);
    for (const name of ["b1", "b2"]) void take(name, "b", 1);
    void take("c1", "c", 1);
    for (const name of ["a0", "a1", "b1", "c1", "a2", "b2"]) await release(name);
    expect(granted).toEqual(["a0", "a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("do not starve a large request by small ones", async () => {
    const { take, release, granted } = taker(shares({ total: 4, perOwner: 4 }));
    await take("a", "a", 2);
    void take("large", "b", 4);
    void take("small", "c", 1);
    await new Promise(setImmediate);
    expect(granted).toEqual(["a"]);
    await release("a");
    expect(granted).toEqual(["a", "large"]);
    await release("large");
    expect(granted).toEqual(["a", "large", "small"]);
  });

  it("let one that is larger than any share run alone", async () => {
    const { take, release, granted } = taker(shares());
    await take("huge", "a", 100);
    void take("b", "b", 1);
    await release("huge");
    expect(granted).toEqual(["huge", "b"]);
  });

  it("are not taken by those who leave, and pass to the next", async () => {
    const all = shares({ total: 1, perOwner: 1 });
    const { take, release, granted } = taker(all);
    await take("first", "a", 1);
    const leaving = new AbortController();
    const left = take("left", "b", 1, leaving.signal);
    void take("next", "c", 1);
    expect(all.waiting).toBe(2);
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect(all.waiting).toBe(1);
    await expect(take("late", "d", 1, leaving.signal)).rejects.toThrow("gone");
    await release("first");
    expect(granted).toEqual(["first", "next"]);
  });

  it("are waited for no longer than the limit, by no more than the limit", async () => {
    const all = shares({ total: 1, perOwner: 1, maxWaitMs: 20, maxWaiting: 1 });
    const release = await all.take("a", 1, never);
    const waiting = all.take("b", 1, never);
    await expect(all.take("c", 1, never)).rejects.toMatchObject({ code: "overloaded", retryAfterSeconds: 5 });
    await expect(waiting).rejects.toMatchObject({ code: "overloaded" });
    expect(all.waiting).toBe(0);
    release();
    (await all.take("d", 1, never))();
  });

  it("are given back once, whatever is called", async () => {
    const all = shares({ total: 2, perOwner: 2 });
    const release = await all.take("a", 1, never);
    await all.take("b", 1, never);
    release();
    release();
    await all.take("c", 1, never);
    void all.take("d", 1, never).catch(() => undefined);
    expect(all.waiting).toBe(1);
  });
});
