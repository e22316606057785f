import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UpstreamError } from "./failures.js";
import { maxEventChars, SseReader } from "./sse-reader.js";

/** The data of every event, for a stream that arrives in these parts. */
function read(...parts: (string | Buffer)[]): string[] {
  const reader = new SseReader();
  const events = parts.flatMap((part) => reader.push(Buffer.from(part)));
  return [...events, ...reader.end()].map(({ data }) => data);
}

describe("the reader of server-sent events", () => {
  it("gives the data of each event", () => {
    expect(read('data: {"a":1}\n\ndata: [DONE]\n\n')).toEqual(['{"a":1}', "[DONE]"]);
  });

  it.each(["\n", "\r\n", "\r"])("knows the line end %j", (end) => {
    expect(read(`data: one${end}${end}data: two${end}${end}`)).toEqual(["one", "two"]);
  });

  it("knows a CRLF that is cut in two from two line ends", () => {
    expect(read("data: a\r", "\ndata: b\r", "\n\r", "\n")).toEqual(["a\nb"]);
  });

  it("skips comments, other fields and events without data", () => {
    expect(read(": keep-alive\n\nid: 7\nretry: 10\n\nevent: note\ndata: x\n\n")).toEqual(["x"]);
  });

  it("joins the data lines of an event, and takes one space off each", () => {
    expect(read("data: a\ndata:b\ndata:  c\ndata\n\n")).toEqual(["a\nb\n c\n"]);
  });

  it("does not take the mark of a byte order for text", () => {
    expect(read("\uFEFFdata: x\n\n")).toEqual(["x"]);
    expect(read("data: x\uFEFF\n\n")).toEqual(["x\uFEFF"]);
  });

  it("closes the last event with the stream", () => {
    expect(read("data: x\n\ndata: [DONE]\n")).toEqual(["x", "[DONE]"]);
    expect(read("data: [DONE]")).toEqual(["[DONE]"]);
  });

  it("recognizes llama-server's error field and an event named error", () => {
    const reader = new SseReader();
    const events = reader.push(
      Buffer.from('error: {"code":400}\n\nevent: error\ndata: {}\n\ndata: fine\n\n'),
    );
    expect(events.map(({ isError }) => isError)).toEqual([true, true, false]);
    expect(events[0]?.data).toBe('{"code":400}');
  });

  it("refuses a line over the limit as soon as it is that long, whole or in parts", () => {
    expect(() => read(`data: ${"x".repeat(maxEventChars)}\n\n`)).toThrow(UpstreamError);
    const reader = new SseReader();
    const part = Buffer.alloc(64 * 1024, "x");
    let taken = 0;
    expect(() => {
      for (; taken < 200; taken++) reader.push(part);
    }).toThrow(UpstreamError);
    expect(taken * part.length).toBeLessThanOrEqual(maxEventChars);
  });

  it("refuses an event over the limit that is made of many lines", () => {
    const line = `data: ${"x".repeat(1000)}\n`;
    expect(() => read(line.repeat(2000))).toThrow(UpstreamError);
  });

  it("reads the same however the bytes are cut", () => {
    const text =
      ': hi\r\n\r\ndata: {"content":"[DONE] 你好 😀 \\n"}\n\ndata: a\rdata: b\r\rerror: no\n\ndata: [DONE]';
    const bytes = Buffer.from(text);
    const whole = read(bytes);
    expect(whole).toEqual(['{"content":"[DONE] 你好 😀 \\n"}', "a\nb", "no", "[DONE]"]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), (cuts) => {
        const points = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const parts = points.slice(1).map((end, index) => bytes.subarray(points[index], end));
        expect(read(...parts)).toEqual(whole);
      }),
    );
  });
});
