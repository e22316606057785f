import { describe, expect, it } from "vitest";
import { Draft, DraftLookup, DraftPace } from "./speculation.js";

const tokensOf = (text: string): number[] => [...Buffer.from(text)];

/** What is guessed after a text, a letter a token. */
function guess(text: string, most = 15): string {
  const tokens = tokensOf(text);
  const newest = tokens.pop() ?? 0;
  return String.fromCharCode(...new DraftLookup().draft(tokens, newest, most));
}

describe("a lookup", () => {
  it("guesses what followed the last three tokens before, where they stood last", () => {
    expect(guess("the cat sat. the cat")).toBe(" sat. the ca");
    expect(guess("abc1 abc2 abc")).toBe("2 ab");
    expect(guess("abc1 abc2 abc", 1)).toBe("2");
  });

  it("guesses nothing where they did not stand before", () => {
    for (const text of ["", "a", "ab", "abc", "abcdefgh", "xab yab zab"]) expect(guess(text)).toBe("");
  });

  it("goes on with what was said since, and survives a token that is put back", () => {
    const lookup = new DraftLookup();
    const computed = tokensOf("one two ");
    expect(lookup.draft(computed, 111, 4)).toEqual([]);
    computed.push(...tokensOf("one t"));
    expect(lookup.draft(computed, tokensOf("w")[0] ?? 0, 4)).toEqual(tokensOf("o on"));
    computed.pop();
    expect(lookup.draft(computed, tokensOf("t")[0] ?? 0, 4)).toEqual([]);
    computed.push(...tokensOf("t"));
    expect(lookup.draft(computed, tokensOf("w")[0] ?? 0, 4)).toEqual(tokensOf("o on"));
  });
});

describe("a draft", () => {
  it("learns how often its guesses are right, also of those that were not computed", () => {
    const draft = new Draft();
    const computed = tokensOf("abcdefgh abc");
    const before = draft.likelihood;
    const guessed = draft.guess(computed.slice(0, -1), computed.at(-1) ?? 0, () => false);
    expect(guessed.length).toBeGreaterThan(0);
    for (const token of tokensOf("def")) draft.check(token);
    const risen = draft.likelihood;
    expect(risen).toBeGreaterThan(before);
    draft.check(0);
    const fallen = draft.likelihood;
    expect(fallen).toBeLessThan(risen);
    // After a wrong one the others are for another text.
    draft.check(0);
    expect(draft.likelihood).toBe(fallen);
  });
});

describe("a draft of a reply with a grammar", () => {
  const repeated = tokensOf("abcdefgh abc");
  const newest = repeated.pop() ?? 0;
  const guessWith = (draft: Draft, pays = true) => draft.guess(repeated, newest, () => pays);

  it("is what is forced, as long as that is right, or else what was looked up", () => {
    const draft = new Draft(() => Uint32Array.from(tokensOf("xyz")));
    expect(guessWith(draft)).toEqual(tokensOf("xyz"));
    draft.check(0);
    expect(guessWith(draft)).toEqual(tokensOf("defgh ab"));
    for (let wrong = 0; wrong < 3; wrong++) {
      draft.check(0);
      guessWith(draft);
    }
    expect(guessWith(draft)).toEqual(tokensOf("xyz"));
  });

  it("is looked up where nothing is forced, or where that would not pay", () => {
    expect(guessWith(new Draft(() => []))).toEqual(tokensOf("defgh ab"));
    const unasked = () => {
      throw new Error("asked");
    };
    expect(guessWith(new Draft(unasked), false)).toEqual(tokensOf("defgh ab"));
  });

  it("is no longer than a pass", () => {
    expect(guessWith(new Draft(() => new Uint32Array(100)))).toHaveLength(15);
  });
});

describe("the pace of drafts", () => {
  const unknown = () => 0;
  const measured = (costs: Record<number, number>) => {
    const pace = new DraftPace(unknown);
    for (let round = 0; round < 20; round++)
      for (const [drafted, ms] of Object.entries(costs)) pace.record(Number(drafted), ms);
    return pace;
  };

  it("guesses nothing before it knows what a plain step takes", () => {
    const pace = new DraftPace(unknown);
    expect(pace.worth(15, 1)).toBe(0);
    for (let step = 0; step < 3; step++) pace.record(0, 10);
    expect(pace.worth(15, 1)).toBe(15);
    expect(pace.worth(0, 1)).toBe(0);
    expect([pace.pays(1), pace.pays(0)]).toEqual([true, false]);
  });

  it("computes more where guesses are likely and cheap, and none where they cost what they bring", () => {
    const cheap = measured({ 0: 10, 3: 11, 7: 12, 15: 14 });
    expect(cheap.worth(15, 0.95)).toBe(15);
    expect(cheap.worth(5, 0.95)).toBe(5);
    expect(cheap.worth(15, 0.4)).toBe(3);
    expect(cheap.worth(15, 0.01)).toBe(0);
    const dear = measured({ 0: 10, 3: 38, 7: 75, 15: 150 });
    expect(dear.worth(15, 0.95)).toBe(0);
  });

  it("tries no pass that costs what it brings by what reading a prompt takes", () => {
    const pace = new DraftPace((tokens) => tokens * 20);
    for (let step = 0; step < 3; step++) pace.record(0, 50);
    expect(pace.worth(15, 0.3)).toBe(0);
    expect(pace.worth(15, 0.6)).toBe(3);
    expect(pace.worth(15, 1)).toBe(3);
    pace.record(3, 60);
    expect(pace.worth(15, 0.6)).toBe(3);
  });

  it("tries a pass again when its measurement is old", () => {
    const pace = measured({ 0: 10, 3: 100, 7: 100, 15: 100 });
    expect(pace.worth(15, 0.9)).toBe(0);
    for (let step = 0; step < 400; step++) pace.record(0, 10);
    expect(pace.worth(15, 0.9)).toBeGreaterThan(0);
  });
});
