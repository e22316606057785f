import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PrefixCache } from "./prefix-cache.js";
import { SavedPrefixes } from "./saved-prefixes.js";

const tokens = (text: string) => Uint32Array.from(text, (char) => char.charCodeAt(0));
const setUp = (sequences: number, reuse = true) => {
  let nowMs = 0;
  const cache = new PrefixCache(sequences, reuse, () => nowMs);
  /** Runs a prompt to its end, with a reply. */
  const run = (accountId: string, prompt: string, reply = "!") => {
    const taken = cache.take(accountId, tokens(prompt));
    if (taken !== undefined) cache.release(taken.sequenceId, accountId, tokens(prompt + reply));
    nowMs += 1;
    return taken;
  };
  return { cache, run, pass: (ms: number) => (nowMs += ms) };
};

describe("prefix cache", () => {
  it("lets a conversation's next turn keep all of the last", () => {
    const { run } = setUp(3);
    const first = run("a", "hello", " world");
    expect(run("a", "hello world, how")).toEqual({ sequenceId: first?.sequenceId, keptTokens: 11 });
  });

  it("never keeps the last token of a prompt, which the reply is sampled from", () => {
    const { run } = setUp(1);
    run("a", "hello");
    expect(run("a", "hello")?.keptTokens).toBe(4);
    expect(run("a", "h")?.keptTokens).toBe(0);
  });

  it("keeps nothing for another account, whatever it asks", () => {
    const { run } = setUp(2);
    run("a", "the same prompt");
    run("a", "and another one");
    expect(run("b", "the same prompt")?.keptTokens).toBe(0);
  });

  it("says how much it keeps of an account, and for how long", () => {
    const { cache, run, pass } = setUp(3);
    run("a", "hello");
    pass(60_000);
    run("a", "good evening");
    run("b", "hello");
    expect(cache.keptOf("a")).toEqual({ count: 2, lastMs: 10 * 60_000 - 2 });
    cache.take("a", tokens("good evening"));
    expect(cache.keptOf("a").count).toBe(1);
    cache.forgetAccount("a");
    expect(cache.keptOf("a")).toEqual({ count: 0, lastMs: 0 });
    expect(cache.keptOf("b").count).toBe(1);
  });

  it("takes the longest match", () => {
    const { run } = setUp(3);
    run("a", "once upon a time");
    const longer = run("a", "zzz once upon a", " time there was");
    expect(run("a", "zzz once upon a time there")?.sequenceId).toBe(longer?.sequenceId);
  });

  it("does not give up a conversation for a few tokens while there is room", () => {
    const { run } = setUp(2);
    const first = run("a", "system: tell me a long story about the sea");
    expect(run("a", "system: and now something entirely different")).not.toEqual(first);
  });

  it("evicts the one that was used least recently", () => {
    const { run } = setUp(2);
    const [one, two] = [run("a", "first talk"), run("b", "second talk")];
    run("a", "first talk! goes on");
    expect(run("c", "third talk")?.sequenceId).toBe(two?.sequenceId);
    expect(run("a", "first talk! goes on! and on")).toEqual({ sequenceId: one?.sequenceId, keptTokens: 20 });
    expect(run("b", "second talk")?.keptTokens).toBe(0);
  });

  it("knows where most of a beginning is, kept or in use, of the same account only", () => {
    const { cache, run } = setUp(4);
    const warm = run("a", "instructions, then a question");
    const asked = tokens("instructions, now another one");
    expect(cache.longestShared("a", asked, [])).toEqual({ sequenceId: warm?.sequenceId, tokens: 14 });
    const inUse = [{ sequenceId: 3, accountId: "a", computed: tokens("instructions, now") }];
    expect(cache.longestShared("a", asked, inUse)).toEqual({ sequenceId: 3, tokens: 17 });
    expect(cache.longestShared("b", asked, inUse)).toBeUndefined();
    expect(setUp(4, false).cache.longestShared("a", asked, inUse)).toBeUndefined();
  });

  it("forgets what was not used again", () => {
    const { cache, run, pass } = setUp(2);
    const first = run("a", "hello");
    expect(cache.nextExpiryMs).toBeGreaterThan(0);
    expect(cache.expire()).toEqual([]);
    pass(10 * 60_000);
    expect(cache.expire()).toEqual([first?.sequenceId]);
    expect(cache.nextExpiryMs).toBeUndefined();
    expect(run("a", "hello")?.keptTokens).toBe(0);
  });

  it("keeps nothing when it is switched off, nor what is not to be trusted", () => {
    const off = setUp(1, false);
    off.run("a", "hello");
    expect(off.run("a", "hello")?.keptTokens).toBe(0);
    const { cache, run } = setUp(1);
    const taken = cache.take("a", tokens("hello"));
    expect(cache.release(taken?.sequenceId ?? -1, "a", null)).toBe(false);
    expect(run("a", "hello")?.keptTokens).toBe(0);
  });

  describe("with memory for what is evicted", () => {
    const withMemory = async () => {
      let nowMs = 0;
      const saved = new SavedPrefixes({
        states: {
          save: () => Promise.resolve({ size: 1, dispose: () => undefined }),
          restore: () => Promise.resolve(true),
        },
        tokenBytes: 1,
        mostBytes: () => 1000,
        readingMs: (count) => count,
        leastTokens: 4,
        nowMs: () => nowMs,
      });
      const cache = new PrefixCache(1, true, () => nowMs, saved);
      const run = async (accountId: string, text: string) => {
        const taken = cache.take(accountId, tokens(text));
        if (taken?.evicted !== undefined) await saved.save(taken.sequenceId, taken.evicted);
        cache.release(0, accountId, tokens(text));
        nowMs += 1;
        return taken;
      };
      await run("a", "hello, who are you?");
      await run("b", "good evening to you");
      return { cache, run, saved, pass: (ms: number) => (nowMs += ms) };
    };

    it("says what is lost, and what can be restored", async () => {
      const { run } = await withMemory();
      const again = await run("a", "hello, who are you? And I");
      expect(again?.evicted?.accountId).toBe("b");
      expect(again?.restored?.tokens).toBe(19);
      expect(again?.keptTokens).toBe(0);
      // What goes on loses nothing.
      expect(await run("a", "hello, who are you? And I?")).toMatchObject({
        keptTokens: 25,
        evicted: undefined,
        restored: undefined,
      });
    });

    it("restores nothing for another account", async () => {
      const { run } = await withMemory();
      expect((await run("c", "hello, who are you? And I"))?.restored).toBeUndefined();
    });

    it("counts it as kept, and forgets it as soon as a sequence", async () => {
      const { cache, run, saved, pass } = await withMemory();
      expect(cache.keptOf("a")).toEqual({ count: 1, lastMs: 10 * 60_000 - 2 });
      expect(cache.nextExpiryMs).toBe(10 * 60_000 - 2);
      cache.forgetAccount("a");
      expect(cache.keptOf("a").count).toBe(0);
      await run("c", "another conversation");
      expect(saved.all.map(({ accountId }) => accountId)).toEqual(["b"]);
      pass(10 * 60_000 - 1);
      expect(cache.expire()).toEqual([0]);
      expect(saved.all).toEqual([]);
      expect(cache.nextExpiryMs).toBeUndefined();
    });
  });

  it("in any order of events: one holder for a sequence, and only what its account computed is kept", () => {
    const step = fc.record({
      accountId: fc.constantFrom("a", "b", "c"),
      prompt: fc.string({ unit: fc.constantFrom("x", "y"), minLength: 1, maxLength: 8 }),
      reply: fc.string({ unit: fc.constantFrom("x", "y"), maxLength: 3 }),
      ends: fc.nat(3),
      intact: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (sequences, steps) => {
        const { cache } = setUp(sequences);
        /** What is in the native cache, with whose it is: the truth that the bookkeeping must match. */
        const truth = Array.from({ length: sequences }, () => ({ accountId: "", text: "" }));
        const running: { sequenceId: number; accountId: string; text: string }[] = [];
        for (const { accountId, prompt, reply, ends, intact } of steps) {
          const taken = cache.take(accountId, tokens(prompt));
          expect(taken === undefined).toBe(running.length === sequences);
          if (taken !== undefined) {
            const { sequenceId, keptTokens } = taken;
            expect(running.map((one) => one.sequenceId)).not.toContain(sequenceId);
            const held = truth[sequenceId];
            expect(keptTokens).toBeLessThan(prompt.length);
            if (keptTokens > 0) {
              expect(held?.accountId).toBe(accountId);
              expect(held?.text.slice(0, keptTokens)).toBe(prompt.slice(0, keptTokens));
            }
            running.push({ sequenceId, accountId, text: prompt + reply });
          }
          for (const one of running.splice(0, ends)) {
            truth[one.sequenceId] = intact ? one : { accountId: "", text: "" };
            cache.release(one.sequenceId, one.accountId, intact ? tokens(one.text) : null);
          }
          expect(cache.freeSequences).toBe(sequences - running.length);
        }
      }),
    );
  });
});
