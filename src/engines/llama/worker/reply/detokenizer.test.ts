import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Detokenizer, type Detokenize } from "./detokenizer.js";

/** A vocabulary of single bytes: token n is byte n. */
const bytesToText: Detokenize = (tokens) => Buffer.from(tokens).toString("utf8");

function stream(detokenize: Detokenize, tokens: Iterable<number>): string[] {
  const detokenizer = new Detokenizer(detokenize);
  return Array.from(tokens, (token) => detokenizer.push(token));
}

describe("detokenizer", () => {
  it("joins to the text of all tokens and never splits a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const fragments = stream(bytesToText, Buffer.from(text));
        // The mark of an incomplete character, when it is the last one, cannot be told from one.
        expect(fragments.join("")).toBe(text.replace(/\uFFFD$/, ""));
        expect(text.includes("\uFFFD") || fragments.every((one) => !one.includes("\uFFFD"))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("gives a character out with its last byte, not later", () => {
    expect(stream(bytesToText, Buffer.from("é😀"))).toEqual(["", "é", "", "", "", "😀"]);
  });

  it("keeps the characters that a token completes while it begins another", () => {
    const pieces = [
      Buffer.from("你").subarray(0, 2),
      Buffer.from("你好").subarray(2, 5),
      Buffer.from("好").subarray(2),
    ];
    const detokenize: Detokenize = (tokens) =>
      Buffer.concat(Array.from(tokens, (token) => pieces[token] ?? Buffer.alloc(0))).toString("utf8");
    expect(stream(detokenize, [0, 1, 2])).toEqual(["", "你", "好"]);
  });

  it("gives out broken bytes as replacement characters when more follows, and ends before half a character", () => {
    expect(stream(bytesToText, [0xff, 0x61, 0xe4, 0xbd]).join("")).toBe("\uFFFDa");
  });

  it("does not hold back broken bytes without end", () => {
    const fragments = stream(bytesToText, new Array<number>(100).fill(0x80));
    expect(fragments.join("").length).toBeGreaterThan(90);
  });

  it("keeps the spaces between words and drops the one before the first", () => {
    const pieces = ["▁The", "▁cat", "s", "", "▁sat"];
    const sentencePiece: Detokenize = (tokens) =>
      Array.from(tokens, (token) => pieces[token] ?? "")
        .map((piece, index) => (index === 0 ? piece.replace(/^▁/, "") : piece))
        .join("")
        .replaceAll("▁", " ");
    expect(stream(sentencePiece, [0, 1, 2, 3, 4])).toEqual(["The", " cat", "s", "", " sat"]);
  });

  it("reads a few tokens for each new one, however long the reply is", () => {
    let most = 0;
    const detokenize: Detokenize = (tokens) => {
      most = Math.max(most, tokens.length);
      return bytesToText(tokens);
    };
    stream(detokenize, Buffer.from("long 語 text ".repeat(200)));
    expect(most).toBeLessThan(10);
  });
});
