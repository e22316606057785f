import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readEvents } from "../../web/service/sse.js";

describe("readEvents", () => {
  it("gives the data of each event", async () => {
    expect(await read('data: {"a":1}\n\ndata: [DONE]\n\n')).toEqual(['{"a":1}', "[DONE]"]);
  });

  it("leaves out comments, names, ids and events without data", async () => {
    expect(await read(": keep-alive\n\nevent: ping\nid: 7\nretry: 9\n\nevent: x\ndata: yes\n\n")).toEqual([
      "yes",
    ]);
  });

  it("joins several data lines and strips one space only", async () => {
    expect(await read("data: one\ndata:  two\ndata:three\ndata\n\n")).toEqual(["one\n two\nthree\n"]);
  });

  it.each(["\n", "\r\n", "\r"])("reads lines that end in %j", async (end) => {
    // A line after the last event: a bare CR may be the first half of a CRLF until the next character is there.
    expect(await read(`data: a${end}${end}: c${end}data: b${end}${end}: d${end}`)).toEqual(["a", "b"]);
  });

  it("drops an event that was cut off before its empty line", async () => {
    expect(await read("data: whole\n\ndata: half\n")).toEqual(["whole"]);
  });

  it("ignores a byte order mark", async () => {
    expect(await read("\uFEFFdata: a\n\n")).toEqual(["a"]);
  });

  it("gives the same events however the bytes are split", async () => {
    const text = 'data: {"text":"grüß 你好 👩‍🚀"}\r\n\r\n: note\r\ndata: a\r\ndata: b\r\n\r\ndata: [DONE]\n\n';
    const whole = await read(text);
    const bytes = new TextEncoder().encode(text);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }),
        async (cuts) => {
          expect(await collect(streamOf(split(bytes, cuts)))).toEqual(whole);
        },
      ),
    );
    expect(await collect(streamOf([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual(whole);
  });

  it("frees the connection when the reader stops early", async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("data: more\n\n")),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const event of readEvents(body)) {
      expect(event).toBe("more");
      break;
    }
    expect(cancelled).toBe(true);
  });

  it("fails when an event never ends", async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(64 * 1024))),
    });
    await expect(collect(body)).rejects.toThrow("max buffer size");
  });

  it("passes on the failure of the connection", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new TypeError("network error")),
    });
    await expect(collect(body)).rejects.toThrow("network error");
  });
});

function read(text: string): Promise<string[]> {
  return collect(streamOf([new TextEncoder().encode(text)]));
}

async function collect(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const events: string[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = left.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.slice(places[index], end));
}
