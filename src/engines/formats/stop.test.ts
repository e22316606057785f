import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StopMatcher } from "./stop.js";

/** Few letters, so that stops and their beginnings occur often; two code units in one of them. */
const letters = fc.constantFrom("a", "b", "c", "😀", "😁");
const text = fc.string({ unit: letters, maxLength: 30 });
const stops = fc.array(fc.string({ unit: letters, minLength: 1, maxLength: 5 }), { maxLength: 4 });

function cut(fragments: readonly string[], stopSequences: readonly string[]) {
  const matcher = new StopMatcher(stopSequences);
  const shown: string[] = [];
  for (const fragment of fragments) {
    const { text: safe, stopped } = matcher.push(fragment);
    shown.push(safe);
    if (stopped) return { shown, stopped: true };
  }
  shown.push(matcher.flush());
  return { shown, stopped: false };
}

/** By the definition: the stop that is complete first, the longest of those complete at the same place. */
function cutByDefinition(whole: string, stopSequences: readonly string[]): string {
  for (let end = 1; end <= whole.length; end++) {
    const complete = stopSequences.filter((stop) => whole.slice(0, end).endsWith(stop));
    if (complete.length > 0) return whole.slice(0, end - Math.max(...complete.map((stop) => stop.length)));
  }
  return whole;
}

describe("stop sequences", () => {
  it("cut the text where the definition says, however it is fragmented", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), stops, (fragments, stopSequences) => {
        const { shown, stopped } = cut(fragments, stopSequences);
        const whole = fragments.join("");
        expect(shown.join("")).toBe(cutByDefinition(whole, stopSequences));
        expect(stopped).toBe(stopSequences.some((stop) => whole.includes(stop)));
      }),
      { numRuns: 2000 },
    );
  });

  it("show nothing early that a stop could still take back", () => {
    fc.assert(
      fc.property(text, stops, text, (before, stopSequences, after) => {
        const matcher = new StopMatcher(stopSequences);
        const first = matcher.push(before);
        if (first.stopped) return;
        const whole = before + after;
        expect(cutByDefinition(whole, stopSequences).startsWith(first.text)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("hold back no more than what could begin a stop", () => {
    const matcher = new StopMatcher(["STOP"]);
    expect(matcher.push("do not ST")).toEqual({ text: "do not ", stopped: false });
    expect(matcher.push("ART")).toEqual({ text: "START", stopped: false });
    expect(matcher.push("STO")).toEqual({ text: "", stopped: false });
    expect(matcher.push("P and go")).toEqual({ text: "", stopped: true });
  });

  it("show what was held back when the text ends without a stop", () => {
    const matcher = new StopMatcher(["\n\n"]);
    expect(matcher.push("line\n").text).toBe("line");
    expect(matcher.flush()).toBe("\n");
  });

  it("never cut a character in two", () => {
    const [high, low] = ["\ud83d", "\ude00"];
    expect(cut(["a😀b"], [low]).shown.join("")).toBe("a😀b");
    expect(cut(["a😀b"], [high]).shown.join("")).toBe("a😀b");
    expect(cut(["a", "😀", "b"], ["😀"]).shown.join("")).toBe("a");
  });
});
