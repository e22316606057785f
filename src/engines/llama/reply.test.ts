import { describe, expect, it } from "vitest";
import { Reply } from "./reply.js";

const endOfTurn = 0;
const newReply = (maxTokens: number, stop: string[] = []) =>
  new Reply({
    detokenize: (tokens) => Buffer.from(tokens).toString("utf8"),
    isEndOfGeneration: (token) => token === endOfTurn,
    stop,
    maxTokens,
  });
/** The parts for these bytes, until one says that it is the last. */
function partsOf(reply: Reply, bytes: Iterable<number>) {
  const parts = [];
  for (const byte of bytes) {
    const part = reply.accept(byte);
    parts.push(part);
    if (part.finishReason !== null) break;
  }
  return { text: parts.map(({ text }) => text).join(""), finishReason: parts.at(-1)?.finishReason };
}

describe("reply", () => {
  it("ends at its limit", () => {
    const reply = newReply(3);
    expect(partsOf(reply, Buffer.from("abcdef"))).toEqual({ text: "abc", finishReason: "length" });
    expect(reply.completionTokens).toBe(3);
  });

  it("ends with the turn, which is no part of it", () => {
    const reply = newReply(10);
    expect(partsOf(reply, [...Buffer.from("ab"), endOfTurn])).toEqual({ text: "ab", finishReason: "stop" });
    expect(reply.completionTokens).toBe(2);
  });

  it("shows what a stop sequence held back when it ends otherwise", () => {
    expect(partsOf(newReply(3, ["cd"]), Buffer.from("abcd"))).toEqual({
      text: "abc",
      finishReason: "length",
    });
    const turn = [...Buffer.from("abc"), endOfTurn];
    expect(partsOf(newReply(9, ["cd"]), turn)).toEqual({ text: "abc", finishReason: "stop" });
  });

  it("ends with a stop sequence that its last token completes", () => {
    const reply = newReply(4, ["cd"]);
    expect(partsOf(reply, Buffer.from("abcd"))).toEqual({ text: "ab", finishReason: "stop" });
    expect(reply.completionTokens).toBe(4);
  });

  it("ends before a character that its limit cuts", () => {
    expect(partsOf(newReply(3), Buffer.from("a😀"))).toEqual({ text: "a", finishReason: "length" });
  });
});
