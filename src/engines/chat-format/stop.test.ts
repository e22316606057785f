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
    const { text: safe, stop } = matcher.push(fragment);
    shown.push(safe);
    if (stop !== null) return { shown, stop };
  }
  shown.push(matcher.flush());
  return { shown, stop: null };
}

/** By the definition: the stop that is complete first, the longest of those complete at the same place. */
function cutByDefinition(whole: string, stopSequences: readonly string[]) {
  for (let end = 1; end <= whole.length; end++) {
    const complete = stopSequences.filter((stop) => whole.slice(0, end).endsWith(stop));
    const [stop] = complete.sort((one, other) => other.length - one.length);
    if (stop !== undefined) return { text: whole.slice(0, end - stop.length), stop };
  }
  return { text: whole, stop: null };
}

describe("stop sequences", () => {
  it("cut the text where the definition says, however it is fragmented", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), stops, (fragments, stopSequences) => {
        const { shown, stop } = cut(fragments, stopSequences);
        const whole = fragments.join("");
        expect({ text: shown.join(""), stop }).toEqual(cutByDefinition(whole, stopSequences));
      }),
      { numRuns: 2000 },
    );
  });

  it("show nothing early that a stop could still take back", () => {
    fc.assert(
      fc.property(text, stops, text, (before, stopSequences, after) => {
        const matcher = new StopMatcher(stopSequences);
        const first = matcher.push(before);
        if (first.stop !== null) return;
        const whole = before + after;
        expect(cutByDefinition(whole, stopSequences).text.startsWith(first.text)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("hold back no more than what could begin a stop", () => {
    const matcher = new StopMatcher(["STOP"]);
    expect(matcher.push("do not ST")).toEqual({ text: "do not ", stop: null });
    expect(matcher.push("ART")).toEqual({ text: "START", stop: null });
    expect(matcher.push("STO")).toEqual({ text: "", stop: null });
    expect(matcher.push("P and go")).toEqual({ text: "", stop: "STOP" });
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
