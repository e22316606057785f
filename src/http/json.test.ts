import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDeeperThan, parseJson } from "./json.js";

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((child: unknown) => depthOf(child)))
    : 0;

describe("the depth of JSON", () => {
  it("is counted on the bytes as on the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), (value, limit) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(isDeeperThan(limit, bytes)).toBe(depthOf(value) > limit);
      }),
    );
  });

  it.each(['"[[[["', String.raw`"\"[[[["`, String.raw`"\\"`, String.raw`["\\\"[["]`])(
    "leaves brackets in strings alone: %s",
    (text) => {
      expect(isDeeperThan(1, Buffer.from(text))).toBe(false);
    },
  );
});

describe("a parsed body", () => {
  it("is the value of its JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
        expect(parseJson(Buffer.from(`\ufeff${text}`))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("does not quote its input when it fails", () => {
    const parse = () => parseJson(Buffer.from('{"a": canary}'));
    expect(parse).toThrow("not valid JSON");
    expect(parse).not.toThrow("canary");
  });
});
