import { deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, shapeOf } from "./json.js";

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((child: unknown) => depthOf(child)))
    : 0;

describe("the depth of JSON", () => {
  it("is counted on the bytes as on the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), (value, limit) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(shapeOf(bytes, limit, Infinity).depth > limit).toBe(depthOf(value) > limit);
      }),
    );
  });

  it.each(['"[[[["', String.raw`"\"[[[["`, String.raw`"\\"`, String.raw`["\\\"[["]`])(
    "leaves brackets in strings alone: %s",
    (text) => {
      expect(shapeOf(Buffer.from(text), 1, Infinity).depth).toBeLessThan(2);
    },
  );
});

describe("the number of values", () => {
  it("is bounded, before any of them is built", () => {
    const parse = (items: string) => parseJson(Buffer.from(`{"x":[${items}0]}`));
    expect(parse("0,".repeat(99_000))).toBeDefined();
    expect(() => parse("0,".repeat(100_000))).toThrow("too many values");
    expect(() => parse("{},".repeat(60_000))).toThrow("too many values");
    expect(() => parse("[".repeat(60_000))).toThrow("nested too deeply");
  });

  it("does not count what is in strings", () => {
    expect(parseJson(Buffer.from(JSON.stringify({ x: "[,{".repeat(200_000) })))).toBeDefined();
  });
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

describe("a body that is compressed without a header that says so", () => {
  it("is refused with the reason", () => {
    const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x02, 0x11, 0x00]);
    for (const bytes of [gzipSync("{}"), deflateSync("{}"), zstd]) {
      expect(() => parseJson(bytes)).toThrow("Compressed request bodies are not supported");
    }
    expect(() => parseJson(Buffer.from([0xff, 0xfe, 0x7b, 0x00]))).toThrow("not valid JSON in UTF-8");
  });
});
