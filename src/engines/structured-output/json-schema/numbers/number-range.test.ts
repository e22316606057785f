import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Expression } from "../../gbnf.js";
import { integersBetween, numbersBetween } from "./number-range.js";

/** The same language as a regular expression. */
function source(expression: Expression): string {
  switch (expression.type) {
    case "text":
      return expression.text.replace(/[.]/g, "\\.");
    case "chars":
      return `[${expression.ranges.map(([first, last]) => String.fromCharCode(first, 0x2d, last)).join("")}]`;
    case "sequence":
      return expression.parts.map(source).join("");
    case "choice":
      return expression.options.length === 0 ? "(?!)" : `(?:${expression.options.map(source).join("|")})`;
    case "repeat":
      return `(?:${source(expression.part)}){${expression.min},${expression.max ?? ""}}`;
    case "rule":
      throw new Error("numbers need no rules");
  }
}
const matcher = (expression: Expression) => new RegExp(`^${source(expression)}$`);

/** A number that the expression allows, chosen by the digits of `choices`. */
function sample(expression: Expression, choices: () => number): string {
  switch (expression.type) {
    case "text":
      return expression.text;
    case "chars": {
      const [first = 0, last = 0] = expression.ranges[choices() % expression.ranges.length] ?? [];
      return String.fromCharCode(first + (choices() % (last - first + 1)));
    }
    case "sequence":
      return expression.parts.map((part) => sample(part, choices)).join("");
    case "choice": {
      const option = expression.options[choices() % expression.options.length];
      return option === undefined ? "none" : sample(option, choices);
    }
    case "repeat": {
      const count = expression.min + (choices() % ((expression.max ?? expression.min) - expression.min + 1));
      return Array.from({ length: count }, () => sample(expression.part, choices)).join("");
    }
    case "rule":
      throw new Error("numbers need no rules");
  }
}

describe("numbers between bounds", () => {
  it("are every integer in the range and no other", () => {
    const bound = fc.oneof(fc.integer({ min: -120, max: 120 }), fc.integer({ min: -99_999, max: 99_999 }));
    fc.assert(
      fc.property(bound, bound, fc.array(fc.integer({ min: -100_100, max: 100_100 })), (a, b, others) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        const allowed = matcher(integersBetween({ min, max }));
        for (const value of [min - 1, min, min + 1, 0, max - 1, max, max + 1, ...others]) {
          expect(allowed.test(String(value)), `${value} in ${min}…${max}`).toBe(value >= min && value <= max);
        }
        expect(allowed.test(`0${max}`)).toBe(false);
      }),
    );
  });

  it("may be open on one side", () => {
    const atLeast = matcher(integersBetween({ min: 17, max: undefined }));
    expect(["16", "17", "18", "999999999999999", "-20"].map((text) => atLeast.test(text))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    const atMost = matcher(integersBetween({ min: undefined, max: -3 }));
    expect(["-2", "-3", "-1234", "0"].map((text) => atMost.test(text))).toEqual([false, true, true, false]);
  });

  it("with fractions never leave the range, however narrow it is", () => {
    const bounds = fc.tuple(
      fc.double({ min: -1000, max: 1000, noNaN: true }),
      fc.oneof(fc.double({ min: 0.00001, max: 2000, noNaN: true }), fc.constant(1)),
    );
    fc.assert(
      fc.property(bounds, fc.infiniteStream(fc.nat(1000)), ([min, width], stream) => {
        const max = min + width;
        const expression = numbersBetween({ min, max });
        for (let round = 0; round < 10; round++) {
          const text = sample(expression, () => Number(stream.next().value));
          if (text.includes("none")) continue;
          expect(Number(text), text).toBeGreaterThanOrEqual(min);
          expect(Number(text), text).toBeLessThanOrEqual(max);
          expect(() => JSON.parse(text) as unknown).not.toThrow();
        }
      }),
    );
  });

  it("are none where the bounds leave none", () => {
    expect(integersBetween({ min: 0.2, max: 0.8 })).toEqual({ type: "choice", options: [] });
    expect(matcher(numbersBetween({ min: 0.2, max: 0.8 })).test("0.5")).toBe(true);
  });

  it("come to an end with bounds that are further than can be counted", () => {
    const ones = [1e15, 1e17, 1e300, Number.MAX_VALUE, 99999999999999.95];
    for (const min of ones) expect(matcher(numbersBetween({ min, max: undefined })).test("12.5")).toBe(false);
    for (const max of ones) expect(matcher(numbersBetween({ min: 0, max })).test("12")).toBe(true);
    const below = matcher(numbersBetween({ min: undefined, max: -1e300 }));
    expect(below.test("-99999999999999.9")).toBe(false);
  });
});
