import { afterEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { ask, isChunk, parseEvents, question, send, textOf } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { expectDocumented, expectOpenAi, expectOurs } from "../support/clients/openapi.js";
import { RawSocket } from "../support/clients/raw-socket.js";
import { startServer, type TestServer, type TestServerOptions } from "../support/processes/server.js";

let server: TestServer;
afterEach(() => server.close());

const start = async (options: TestServerOptions = {}) => {
  server = await startServer(options);
};
const stream = { ...question, stream: true };

/** Reads a stream as it arrives. */
async function open(body: object = stream) {
  const response = await send(server, { body });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error("There is no body.");
  let text = "";
  return {
    response,
    until: async (part: string) => {
      while (!text.includes(part)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`The stream ended without it: ${text}`);
        text += value;
      }
      return text;
    },
    rest: async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += value;
      }
    },
  };
}

describe("a stream", () => {
  it("sends each fragment when it is there", async () => {
    await start();
    server.engine.hold();
    server.engine.release(1);
    const reading = await open();
    await reading.until('"content":"Hello"');
    expect(server.engine.produced).toBe(1);
    server.engine.release(1);
    await reading.until('"content":" from "');
    expect(server.engine.produced).toBe(2);
    server.engine.release();
    expect(await reading.rest()).toMatch(/data: \[DONE\]\n\n$/);
  });

  it("is kept open with comments while nothing is ready", async () => {
    await start({ keepAliveMs: 20 });
    server.engine.hold();
    const reading = await open();
    expect(reading.response.status).toBe(200);
    await reading.until(": keep-alive\n\n: keep-alive\n\n");
    server.engine.release(1);
    await reading.until("Hello");
    await reading.until(": keep-alive\n\n: keep-alive\n\n: keep-alive\n\n");
    server.engine.release();
    const { events, done, comments } = parseEvents(await reading.rest());
    expect(done).toBe(true);
    expect(comments).toBeGreaterThanOrEqual(3);
    expect(textOf(events)).toBe("Hello from omega.");
  });

  it("sends its headers after the keep-alive time at the latest", async () => {
    await start({ keepAliveMs: 20 });
    server.engine.hold();
    const response = await send(server, { body: stream });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    await response.body?.cancel();
  });
});

describe("an engine that fails", () => {
  const crash = new ServiceError("engine_unavailable");

  it.each([false, true])("before the first token is a 503, streamed or not: %s", async (streamed) => {
    await start();
    server.engine.script = () => ({ fragments: ["a", "b"], failure: { at: 0, error: crash } });
    const answer = await ask(server, { body: { ...question, stream: streamed } });
    expect(answer.status).toBe(503);
    expectDocumented(answer);
    expect(answer.json).toMatchObject({ error: { type: "server_error", code: "engine_unavailable" } });
    expect(answer.headers.get("retry-after")).not.toBeNull();
    expect(server.engine.active).toBe(0);
  });

  it("later is an error event, after which the stream ends without [DONE]", async () => {
    await start();
    server.engine.script = () => ({ fragments: ["a", "b", "c"], failure: { at: 2, error: crash } });
    const { status, body } = await ask(server, { body: stream });
    expect(status).toBe(200);
    const { events, done } = parseEvents(body);
    expect(done).toBe(false);
    expect(textOf(events)).toBe("ab");
    const last = events.at(-1);
    expectOurs("Error", last);
    expectOpenAi("ErrorResponse", last);
    expect(isChunk(last)).toBe(false);
    expect(last).toMatchObject({ error: { type: "server_error", param: null, code: "engine_unavailable" } });
  });

  it("later is a 503 when nothing was sent yet", async () => {
    await start();
    server.engine.script = () => ({ fragments: ["a", "b", "c"], failure: { at: 2, error: crash } });
    const answer = await ask(server);
    expect(answer.status).toBe(503);
    expect(answer.body).not.toContain('"a');
  });

  it("after the first keep-alive comment is an error event too", async () => {
    await start({ keepAliveMs: 10 });
    server.engine.hold();
    server.engine.script = () => ({ fragments: ["a"], failure: { at: 0, error: crash } });
    const reading = await open();
    await reading.until(": keep-alive");
    server.engine.release();
    const { events, done } = parseEvents(await reading.rest());
    expect(done).toBe(false);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ error: { code: "engine_unavailable" } });
  });

  it("in an unknown way is an internal error without a word of it", async () => {
    await start();
    server.engine.script = () => ({ fragments: ["a", "b"], failure: { at: 1, error: new Error("secret") } });
    const { body } = await ask(server, { body: stream });
    expect(parseEvents(body).events.at(-1)).toMatchObject({ error: { code: "internal_error" } });
    expect(body).not.toContain("secret");
    expect((await ask(server)).status).toBe(500);
    expect(JSON.stringify(server.logLines)).not.toContain("secret");
  });

  it.each([false, true])(
    "by ending early is not taken for success, streamed or not: %s",
    async (streamed) => {
      await start();
      server.engine.script = () => ({ fragments: ["a"], endsEarly: true });
      const { status, body, json } = await ask(server, { body: { ...question, stream: streamed } });
      if (streamed) expect(parseEvents(body)).toMatchObject({ done: false, events: { length: 2 } });
      else expect([status, json]).toMatchObject([503, { error: { code: "engine_unavailable" } }]);
    },
  );
});

describe("a reply that was cut", () => {
  it("because its key was revoked ends with that error", async () => {
    await start();
    server.engine.hold();
    server.engine.release(1);
    const reading = await open();
    await reading.until("Hello");
    server.completions.running.cut({ keyId: "key_0" });
    const { events, done } = parseEvents(await reading.rest());
    expect(done).toBe(false);
    expect(events.at(-1)).toMatchObject({ error: { type: "authentication_error", code: "invalid_api_key" } });
    await eventually(() => server.engine.active === 0);
  });

  it("because the server closes ends with that error, and the server closes", async () => {
    await start();
    server.engine.hold();
    server.engine.release(1);
    const reading = await open();
    await reading.until("Hello");
    const waiting = ask(server);
    await eventually(() => server.engine.active === 2);
    const closing = server.closeHttp();
    const { events, done } = parseEvents(await reading.rest());
    expect(done).toBe(false);
    expect(events.at(-1)).toMatchObject({ error: { type: "server_error", code: "maintenance" } });
    expect(await waiting).toMatchObject({ status: 503, json: { error: { code: "maintenance" } } });
    await closing;
    expect(server.engine.active).toBe(0);
  });
});

describe("a reader that does not read", () => {
  const fragment = "x".repeat(16_384);
  const request = () => {
    const body = JSON.stringify(stream);
    return [
      "POST /v1/chat/completions HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${server.apiKey}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body,
    ];
  };
  /** Until nothing more was produced for a while: the writer waits. */
  async function untilStill(): Promise<number> {
    let last = -1;
    let since = performance.now();
    return eventually(() => {
      if (server.engine.produced !== last) since = performance.now();
      last = server.engine.produced;
      return last > 0 && performance.now() - since > 200 ? last : undefined;
    });
  }

  it("makes the writer wait instead of buffering the reply", async () => {
    await start({ engine: { defaultMaxTokens: 5000, contextTokens: 10_000 } });
    server.engine.script = () => ({ fragments: Array.from({ length: 5000 }, () => fragment) });
    const socket = await RawSocket.open(server.port);
    socket.socket.pause();
    socket.send(...request());
    // 80 MB in all. What the two kernels hold is a few; beyond that nothing may be produced.
    const produced = await untilStill();
    expect(produced).toBeLessThan(1500);
    expect(server.engine.active).toBe(1);
    socket.socket.resume();
    await eventually(() => server.engine.produced > produced);
    socket.destroy();
    await eventually(() => server.engine.active === 0);
  });

  it("is cut off after a while", async () => {
    await start({
      engine: { defaultMaxTokens: 5000, contextTokens: 10_000 },
      timeouts: { stallMs: 300 },
    });
    server.engine.script = () => ({ fragments: Array.from({ length: 5000 }, () => fragment) });
    const socket = await RawSocket.open(server.port);
    socket.socket.pause();
    socket.send(...request());
    await eventually(() => server.engine.active === 1);
    await eventually(() => server.engine.active === 0);
    expect(server.engine.produced).toBeLessThan(1500);
    socket.destroy();
  });
});

describe("the transfer of a stream", () => {
  const request = (version: string): string[] => {
    const body = JSON.stringify(stream);
    return [
      `POST /v1/chat/completions HTTP/${version}`,
      "Host: x",
      `Authorization: Bearer ${server.apiKey}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body,
    ];
  };

  it("is in chunks whose lengths are those of their bytes", async () => {
    await start();
    server.engine.script = () => ({ fragments: ["Grüße", " aus", " 東京", " 🌊"] });
    const socket = await RawSocket.open(server.port);
    socket.send(...request("1.1"));
    const received = Buffer.from(await socket.untilReceived(/\r\n0\r\n\r\n$/), "latin1");
    socket.destroy();
    const text = unchunked(received.subarray(received.indexOf("\r\n\r\n") + 4)).toString("utf8");
    expect(text).toContain('"content":" 東京"');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it("is without chunks for a client that knows none", async () => {
    await start();
    const socket = await RawSocket.open(server.port);
    socket.send(...request("1.0"));
    const received = await socket.untilClosed();
    expect(received).not.toMatch(/transfer-encoding/i);
    expect(received.slice(received.indexOf("\r\n\r\n") + 4)).toMatch(/^data: .*data: \[DONE\]\n\n$/s);
  });
});

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf("\r\n", at);
    const length = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (length === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + length));
    expect(bytes.toString("latin1", end + 2 + length, end + 4 + length)).toBe("\r\n");
    at = end + 4 + length;
  }
}
