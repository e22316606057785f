import { describe, expect, it } from "vitest";
import { ReplyStream } from "./reply-stream.js";

const text = (length: number) => ({ type: "text", choice: 0, text: "x".repeat(length) }) as const;
/** A token with the most alternatives that can be asked for. */
const withAlternatives = () => {
  const top = Array.from({ length: 20 }, () => ({ token: "x", bytes: [120], logprob: -1 }));
  return { ...text(1), logprobs: [{ token: "x", bytes: [120], logprob: -1, top }] };
};
const allOf = async (stream: ReplyStream) => {
  const events = [];
  for (let event; (event = await stream.next()) !== null;) events.push(event);
  return events;
};

describe("the host's end of a generation", () => {
  it("joins text that waits, and gives it out in order", async () => {
    const stream = new ReplyStream();
    stream.push({ type: "text", choice: 0, text: "a" });
    stream.push({ type: "text", choice: 0, text: "b" });
    stream.push({ type: "text", choice: 1, text: "c" });
    stream.finish();
    expect(await allOf(stream)).toEqual([
      { type: "text", choice: 0, text: "ab" },
      { type: "text", choice: 1, text: "c" },
    ]);
  });

  it("joins no more than a client reads as one event", async () => {
    const stream = new ReplyStream();
    for (let token = 0; token < 1000; token++) stream.push(withAlternatives());
    stream.finish();
    const texts = (await allOf(stream)).filter(({ type }) => type === "text");
    const sizes = texts.map((event) => JSON.stringify(event).length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(256 * 1024);
  });

  it("keeps the tokens of text that is joined to text without any", async () => {
    const stream = new ReplyStream();
    stream.push(withAlternatives());
    stream.push(text(3));
    stream.finish();
    expect(await stream.next()).toMatchObject({ text: "xxxx", logprobs: [{ token: "x" }] });
  });

  it("says when more waits than may, and takes more once it is read", async () => {
    const stream = new ReplyStream();
    expect(stream.push(text(3_000_000))).toBe(true);
    expect(stream.push(text(3_000_000))).toBe(false);
    await stream.next();
    expect(stream.push(text(100_000))).toBe(true);
  });

  it("keeps a long reply with its log probabilities, and bounds one that nobody reads", () => {
    const stream = new ReplyStream();
    let kept = 0;
    while (kept < 100_000 && stream.push(withAlternatives())) kept += 1;
    expect(kept).toBeGreaterThan(2000);
    expect(kept).toBeLessThan(10_000);
  });

  it("bounds events without text", () => {
    const stream = new ReplyStream();
    let kept = 0;
    while (kept < 1_000_000 && stream.push({ type: "finished", choice: 0, finishReason: "stop" })) kept += 1;
    expect(kept).toBeLessThan(100_000);
  });
});
