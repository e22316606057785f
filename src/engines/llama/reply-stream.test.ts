import { describe, expect, it } from "vitest";
import { ReplyStream } from "./reply-stream.js";

const text = (length: number) => ({ type: "text", choice: 0, text: "x".repeat(length) }) as const;
const never = () => new AbortController().signal;

describe("the host's end of a generation", () => {
  it("joins text that waits, and gives it out in order", async () => {
    const stream = new ReplyStream();
    stream.push({ type: "text", choice: 0, text: "a" });
    stream.push({ type: "text", choice: 0, text: "b" });
    stream.push({ type: "text", choice: 1, text: "c" });
    stream.finish();
    const seen = [];
    for await (const event of stream.read(never())) seen.push(event);
    expect(seen).toEqual([
      { type: "text", choice: 0, text: "ab" },
      { type: "text", choice: 1, text: "c" },
    ]);
  });

  it("says when more waits than may, and takes more once it is read", async () => {
    const stream = new ReplyStream();
    expect(stream.push(text(100_000))).toBe(true);
    expect(stream.push(text(100_000))).toBe(false);
    await stream.read(never()).next();
    expect(stream.push(text(100_000))).toBe(true);
  });

  it("counts probabilities, which are larger than the text", () => {
    const stream = new ReplyStream();
    const top = Array.from({ length: 20 }, () => ({ token: "x", bytes: [120], logprob: -1 }));
    const logprobs = Array.from({ length: 100 }, () => ({ token: "x", bytes: [120], logprob: -1, top }));
    expect(stream.push({ ...text(100), logprobs })).toBe(false);
  });
});
