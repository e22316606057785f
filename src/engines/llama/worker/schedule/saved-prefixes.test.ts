import { describe, expect, it } from "vitest";
import type { SavedState } from "../sequence-states.js";
import { SavedPrefixes } from "./saved-prefixes.js";

const tokens = (text: string) => Uint32Array.from(text, (char) => char.charCodeAt(0));

/** A token takes a byte, unless the test says otherwise; saving it as many milliseconds as it says. */
function setUp({ mostBytes = 1000, tokenBytes = 1, msPerToken = 0, readingMs = 1, leastTokens = 4 } = {}) {
  let nowMs = 0;
  let fails = false;
  const disposed: SavedState[] = [];
  const restored: [sequenceId: number, tokens: number][] = [];
  let size = 0;
  const saved = new SavedPrefixes({
    states: {
      save: () => {
        if (fails) return Promise.reject(new Error("out of memory"));
        nowMs += msPerToken * size;
        const state: SavedState = { size, dispose: () => disposed.push(state) };
        return Promise.resolve(state);
      },
      restore: (sequenceId, state, count) => {
        if (fails || disposed.includes(state)) return Promise.reject(new Error("failed"));
        restored.push([sequenceId, count]);
        return Promise.resolve(true);
      },
    },
    tokenBytes,
    mostBytes: () => mostBytes,
    readingMs: (count) => count * readingMs,
    leastTokens,
    nowMs: () => nowMs,
  });
  let usedAtMs = 0;
  const save = async (accountId: string, text: string) => {
    size = text.length;
    await saved.save(0, { accountId, tokens: tokens(text), usedAtMs: usedAtMs++ });
  };
  const textsOf = (accountId: string) =>
    saved.all
      .filter((one) => one.accountId === accountId)
      .map((one) => String.fromCharCode(...one.tokens))
      .sort();
  return { saved, save, restored, disposed, textsOf, fail: () => (fails = true) };
}

describe("saved prefixes", () => {
  it("restores the longest beginning of a prompt, of the same account only", async () => {
    const { saved, save, restored, textsOf } = setUp();
    await save("a", "once upon a time");
    await save("a", "once upon a hill there was");
    const prompt = tokens("once upon a hill there was a house");
    expect(saved.best("b", prompt, 0)).toBeUndefined();
    const match = saved.best("a", prompt, 0);
    expect(match?.tokens).toBe(26);
    if (match !== undefined) expect(await saved.restore(3, match, prompt)).toBe(true);
    expect(restored).toEqual([[3, 26]]);
    // It goes on in its sequence; the other one is still to come.
    expect(textsOf("a")).toEqual(["once upon a time"]);
  });

  it("keeps one of which another conversation has only the beginning", async () => {
    const { saved, save, textsOf } = setUp();
    await save("a", "instructions, then a long question");
    const prompt = tokens("instructions, and something else");
    const match = saved.best("a", prompt, 0);
    expect(match?.tokens).toBe(14);
    if (match !== undefined) await saved.restore(0, match, prompt);
    expect(textsOf("a")).toHaveLength(1);
  });

  it("keeps a conversation once, as it is now", async () => {
    const { save, textsOf, disposed } = setUp();
    await save("a", "hello, who");
    await save("b", "hello, who");
    await save("a", "hello, who are you");
    expect(textsOf("a")).toEqual(["hello, who are you"]);
    expect(textsOf("b")).toEqual(["hello, who"]);
    expect(disposed).toHaveLength(1);
  });

  it("is not worth it for a few tokens, nor where reading is as fast as copying", async () => {
    const { saved, save } = setUp({ tokenBytes: 1e6, mostBytes: 1e9, msPerToken: 1, readingMs: 3.9 });
    // Nothing is known yet, so it is tried.
    expect(saved.isWorthIt(100, 100)).toBe(true);
    expect(saved.isWorthIt(100, 3)).toBe(false);
    await save("a", "a conversation");
    expect(saved.isWorthIt(100, 100)).toBe(false);
    expect(saved.best("a", tokens("a conversation goes on"), 0)).toBeUndefined();
    const slow = setUp({ tokenBytes: 1e6, mostBytes: 1e9, msPerToken: 1, readingMs: 5 });
    await slow.save("a", "a conversation");
    expect(slow.saved.isWorthIt(100, 100)).toBe(true);
    expect(slow.saved.isWorthIt(100, 50)).toBe(false);
    expect(slow.saved.best("a", tokens("a conversation goes on"), 0)?.tokens).toBe(14);
    expect(slow.saved.best("a", tokens("a conversation goes on"), 12)).toBeUndefined();
  });

  it("is not given up for one copy that took very long", async () => {
    const { saved, save } = setUp({ msPerToken: 100 });
    await save("a", "a conversation");
    expect(saved.isWorthIt(100, 100)).toBe(true);
  });

  it("takes room from the account that has the most, and of that what was used least recently", async () => {
    const { save, textsOf, disposed } = setUp({ mostBytes: 50 });
    for (const digit of "1234") await save("a", digit.repeat(10));
    await save("b", "5".repeat(10));
    await save("b", "6".repeat(10));
    expect(textsOf("a")).toEqual(["2", "3", "4"].map((digit) => digit.repeat(10)));
    // From here on both have their share: each pays for its own.
    await save("a", "7".repeat(10));
    expect(textsOf("a")).toEqual(["3", "4", "7"].map((digit) => digit.repeat(10)));
    await save("b", "8".repeat(10));
    await save("b", "9".repeat(10));
    expect(textsOf("a")).toHaveLength(3);
    expect(textsOf("b")).toEqual(["8", "9"].map((digit) => digit.repeat(10)));
    expect(disposed).toHaveLength(4);
  });

  it("does not save what would take more than its share, and drops nothing for it", async () => {
    const { save, textsOf, disposed } = setUp({ mostBytes: 50 });
    await save("a", "x".repeat(20));
    await save("b", "y".repeat(20));
    await save("c", "z".repeat(30));
    await save("a", "w".repeat(60));
    expect([textsOf("a").length, textsOf("b").length, textsOf("c").length]).toEqual([1, 1, 0]);
    expect(disposed).toEqual([]);
  });

  it("does not count one that is about to be restored, and never drops it", async () => {
    const { saved, save, textsOf } = setUp({ mostBytes: 20 });
    await save("a", "x".repeat(20));
    const prompt = tokens("x".repeat(25));
    const match = saved.best("a", prompt, 0);
    await saved.save(0, { accountId: "a", tokens: tokens("y".repeat(20)), usedAtMs: 9 }, match?.saved);
    expect(saved.all).toContain(match?.saved);
    if (match !== undefined) expect(await saved.restore(0, match, prompt)).toBe(true);
    expect(textsOf("a")).toEqual(["y".repeat(20)]);
  });

  it("has nothing where saving fails, and drops what cannot be restored", async () => {
    const { saved, save, fail, disposed } = setUp();
    await save("a", "hello there");
    const prompt = tokens("hello there, you");
    const match = saved.best("a", prompt, 0);
    fail();
    await save("a", "something else");
    expect(saved.all).toHaveLength(1);
    if (match !== undefined) expect(await saved.restore(0, match, prompt)).toBe(false);
    expect(saved.all).toEqual([]);
    expect(disposed).toHaveLength(1);
  });
});
