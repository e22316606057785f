import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { question } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { expectOurs } from "../support/clients/openapi.js";
import { RawSocket, splitResponses } from "../support/clients/raw-socket.js";
import { startServer, type TestServer } from "../support/processes/server.js";

/** Requests that no client library makes, on sockets of our own. */
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ bodyLimitBytes: 1000, timeouts: { lingerMs: 200 } });
});
afterAll(() => server.close());

const body = JSON.stringify(question);
const post = (version: string): string => `POST /v1/chat/completions HTTP/${version}`;
/** The head of a request that is in order, as far as `headers` are. */
const head = (...headers: string[]) => [
  post("1.1"),
  "Host: x",
  `Authorization: Bearer ${server.apiKey}`,
  "Content-Type: application/json",
  ...headers,
];

async function open(lines: string[], bodyText = ""): Promise<RawSocket> {
  const socket = await RawSocket.open(server.port);
  socket.send([...lines, "", bodyText].join("\r\n"));
  return socket;
}

/** The one response on a socket: complete JSON, named, and closed afterwards. */
function expectError(received: string, code: string): void {
  const responses = splitResponses(received);
  expect(responses).toHaveLength(1);
  const [response] = responses;
  expect(response?.status).toBe(400);
  expect(response?.headers).toMatch(/x-request-id: req_/);
  expect(response?.headers).toMatch(/content-type: application\/json/);
  expect(response?.headers).toMatch(/connection: close/);
  const json: unknown = JSON.parse(response?.body ?? "");
  expectOurs("Error", json);
  expect(json).toMatchObject({ error: { type: "invalid_request_error", code } });
}

describe("a body over the limit", () => {
  it("is refused by its declared length, before it is sent", async () => {
    const socket = await open(head("Content-Length: 1001"));
    await socket.untilReceived(/request_too_large/);
    expectError(await socket.untilClosed(), "request_too_large");
  });

  it("is refused to a client that waits for 100 Continue, without sending it", async () => {
    const socket = await open(head("Content-Length: 99999999", "Expect: 100-continue"));
    const received = await socket.untilClosed();
    expect(received).not.toContain("100 Continue");
    expectError(received, "request_too_large");
  });

  it("is refused while it arrives in chunks", async () => {
    const socket = await open(head("Transfer-Encoding: chunked"));
    const chunk = `100\r\n${"x".repeat(0x100)}\r\n`;
    socket.socket.write(chunk.repeat(3));
    await new Promise(setImmediate);
    expect(socket.received).toBe("");
    socket.socket.write(chunk);
    await socket.untilReceived(/request_too_large/);
    expectError(await socket.untilClosed(), "request_too_large");
  });

  it("is refused to one that never stops sending, who can still read it", async () => {
    const socket = await open(head("Transfer-Encoding: chunked"));
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const sending = setInterval(() => {
      if (socket.socket.writable && socket.socket.writableLength < 1_000_000) socket.socket.write(chunk);
    }, 1);
    try {
      expectError(await socket.untilClosed(), "request_too_large");
    } finally {
      clearInterval(sending);
    }
  });

  it("is refused to one that sends it all before it reads", async () => {
    const patient = await startServer({ bodyLimitBytes: 1000 });
    try {
      const socket = await RawSocket.open(patient.port);
      socket.send(...head("Content-Length: 4000000"), "", "");
      socket.socket.pause();
      await new Promise((sent) => socket.socket.write("x".repeat(4_000_000), sent));
      socket.socket.resume();
      expectError(await socket.untilClosed(), "request_too_large");
    } finally {
      await patient.close();
    }
  });

  it("is not even begun to be read when the key is wrong", async () => {
    const lines = head("Transfer-Encoding: chunked").map((line) => line.replace(server.apiKey, "wrong"));
    const socket = await open(lines);
    socket.socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`);
    expect(await socket.untilClosed()).toMatch(/^HTTP\/1\.1 401/);
  });
});

describe("a small body", () => {
  it("is read however it is cut, and its connection stays open", async () => {
    const socket = await RawSocket.open(server.port);
    const request = [...head(`Content-Length: ${body.length}`), "", body].join("\r\n");
    const bodyAt = request.length - body.length;
    let answered = 0;
    for (const cuts of [[], [bodyAt], [bodyAt + 1], [bodyAt - 1, bodyAt + 5, request.length - 1]]) {
      const edges = [0, ...cuts, request.length];
      for (let part = 1; part < edges.length; part++) {
        socket.send(request.slice(edges[part - 1], edges[part]));
        await sleep(20);
      }
      answered += 1;
      const received = await socket.untilReceived(new RegExp(`(Hello from omega[^]*){${answered}}`));
      expect(splitResponses(received).map(({ status }) => status)).toEqual(Array(answered).fill(200));
    }
    socket.destroy();
  });
});

describe("100 Continue", () => {
  it("is sent for a valid request", async () => {
    const socket = await open(head(`Content-Length: ${body.length}`, "Expect: 100-continue"));
    await socket.untilReceived(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    socket.send(body);
    expect(await socket.untilReceived(/Hello from omega/)).toMatch(/HTTP\/1\.1 200/);
    socket.destroy();
  });

  it.each([
    [
      "a wrong key",
      () => head("Content-Length: 10", "Expect: 100-continue").with(2, "Authorization: Bearer x"),
      401,
    ],
    [
      "a wrong type",
      () => head("Content-Length: 10", "Expect: 100-continue").with(3, "Content-Type: text/x"),
      400,
    ],
    [
      "a wrong path",
      () => head("Content-Length: 10", "Expect: 100-continue").with(0, "POST /v1/x HTTP/1.1"),
      404,
    ],
  ])("is not sent for a request with %s", async (_what, lines, status) => {
    const socket = await open(lines());
    const received = await socket.untilClosed();
    expect(received.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  });

  it("is not sent to HTTP/1.0, which knows no such answer", async () => {
    const lines = head(`Content-Length: ${body.length}`, "Expect: 100-continue").with(0, post("1.0"));
    const socket = await open(lines, body);
    const received = await socket.untilClosed();
    expect(received).not.toContain("100 Continue");
    expect(splitResponses(received).map(({ status }) => status)).toEqual([200]);
  });

  it("is not needed for an expectation we do not know", async () => {
    const socket = await open(head(`Content-Length: ${body.length}`, "Expect: miracles"), body);
    expect(await socket.untilReceived(/Hello from omega/)).toMatch(/^HTTP\/1\.1 200/);
    socket.destroy();
  });
});

describe("pipelined requests", () => {
  it("are answered one after the other, in order", async () => {
    const get = (path: string) => [
      `GET ${path} HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${server.apiKey}`,
    ];
    const socket = await RawSocket.open(server.port);
    socket.send(
      ...[...get("/v1/models/omega"), "", ""],
      ...[...head(`Content-Length: ${body.length}`), "", body + get("/v1/nothing").join("\r\n"), ""],
      ...["", ...get("/v1/models/prism"), "", ""],
    );
    const received = await socket.untilReceived(/"id":"prism"[^]*\}$/);
    expect(splitResponses(received).map(({ status }) => status)).toEqual([200, 200, 404, 200]);
    expect(received.indexOf('"id":"omega"')).toBeLessThan(received.indexOf("Hello from omega"));
    socket.destroy();
  });

  it("keep the answer to the first when the second is garbage", async () => {
    server.engine.hold();
    const streamed = JSON.stringify({ ...question, stream: true });
    const socket = await open(head(`Content-Length: ${streamed.length}`), streamed);
    server.engine.release(1);
    await socket.untilReceived(/"content":"Hello"/);
    socket.send("NONSENSE\r\n\r\n");
    const received = await socket.untilClosed();
    server.engine.release();
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
    await eventually(() => server.engine.active === 0);
  });
});

describe("a request for another protocol", () => {
  it("is answered in this one", async () => {
    const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x"];
    const socket = await open(["GET /v1/models HTTP/1.1", "Host: x", ...upgrade]);
    expect(await socket.untilReceived(/invalid_api_key/)).toMatch(/^HTTP\/1\.1 401/);
    socket.destroy();
  });
});

describe("input that is not HTTP", () => {
  const get = "GET /v1/models HTTP/1.1";
  const cases: [what: string, lines: () => string[], body?: string][] = [
    ["garbage", () => ["\x16\x03\x01\x02garbage"]],
    ["an unknown method", () => ["BREW /v1/models HTTP/1.1", "Host: x"]],
    ["another version", () => ["GET /v1/models HTTP/9.9", "Host: x"]],
    ["a version that is not served here", () => ["GET /v1/models HTTP/2.0", "Host: x"]],
    ["a version before headers", () => ["GET /v1/models HTTP/0.9", "Host: x"]],
    ["another version of a page", () => ["GET /healthz HTTP/2.0", "Host: x"]],
    ["another version with a body", () => head(`Content-Length: ${body.length}`).with(0, post("2.0")), body],
    ["HTTP/2 by prior knowledge", () => ["PRI * HTTP/2.0", "", "SM", ""]],
    ["a tunnel", () => ["CONNECT example.com:443 HTTP/1.1", "Host: x"]],
    ["no Host", () => [get, `Authorization: Bearer ${server.apiKey}`, "Connection: close"]],
    ["two Hosts", () => [get, "Host: a", "Host: b", "Connection: close"]],
    ["giant headers", () => [get, "Host: x", `X-Big: ${"x".repeat(100_000)}`]],
    ["a giant path", () => [`GET /v1/${"x".repeat(100_000)} HTTP/1.1`, "Host: x"]],
    ["both lengths", () => head(`Content-Length: ${body.length}`, "Transfer-Encoding: chunked"), "0\r\n\r\n"],
    ["both lengths, reversed", () => head("Transfer-Encoding: chunked", "Content-Length: 5"), "0\r\n\r\n"],
    ["two lengths", () => head("Content-Length: 5", "Content-Length: 6"), "hello!"],
    ["a negative length", () => head("Content-Length: -1")],
    ["a length that is no number", () => head("Content-Length: 5x"), "hello"],
    ["chunked that is not last", () => head("Transfer-Encoding: chunked, identity"), "0\r\n\r\n"],
    ["an encoding that only ends in chunked", () => head("Transfer-Encoding: xchunked"), "0\r\n\r\n"],
    [
      "such an encoding for the dashboard",
      () => ["POST /api/sign-in HTTP/1.1", "Host: x", "Transfer-Encoding: xchunked"],
      "0\r\n\r\n",
    ],
    ["a disguised encoding", () => head("Transfer-Encoding : chunked"), "0\r\n\r\n"],
    ["chunks of something encoded", () => head("Transfer-Encoding: gzip, chunked"), "0\r\n\r\n"],
    ["a broken chunk size", () => head("Transfer-Encoding: chunked"), "zz\r\n"],
    ["a folded header", () => [get, "Host: x", "X-A: 1", " Authorization: Bearer x"]],
    ["a bare CR in a header", () => [get, "Host: x", "X-A: 1\rX-B: 2"]],
  ];
  it.each(cases)("is refused in JSON and closed: %s", async (_what, lines, sentBody) => {
    const answered = server.engine.generations.length;
    const socket = await open(lines(), sentBody);
    const received = await socket.untilClosed();
    expectError(received, "invalid_value");
    expect(received).toContain("not valid HTTP");
    expect(server.engine.generations).toHaveLength(answered);
  });

  it("cannot hide a header behind many others", async () => {
    const many = Array.from({ length: 1500 }, () => "a:b");
    const lines = [get, "Host: x", `Authorization: Bearer ${server.apiKey}`, ...many, "Host: y"];
    const socket = await open([...lines, "Connection: close"]);
    expectError(await socket.untilClosed(), "invalid_value");
  });

  it("is logged without a word of it", async () => {
    const socket = await open(["SECRETVERB /secret HTTP/1.1", "X: secret"]);
    await socket.untilClosed();
    const lines = JSON.stringify(server.logLines);
    expect(lines).not.toMatch(/secret/i);
    expect(server.logLines.at(-1)).toMatchObject({ status: 400, code: "invalid_value", route: "*" });
  });
});

describe("a slow client", () => {
  let patient: TestServer;
  beforeAll(async () => {
    patient = server;
    server = await startServer({ timeouts: { headersMs: 300, requestMs: 600, lingerMs: 200 } });
  });
  afterAll(async () => {
    await server.close();
    server = patient;
  });

  async function openSlowly(): Promise<RawSocket> {
    const socket = await RawSocket.open(server.port);
    socket.send("GET /v1/models HTTP/1.1", "Host: x", "X-Slow: ");
    return socket;
  }

  it("that does not finish its headers is refused and closed", async () => {
    const socket = await openSlowly();
    expectError(await socket.untilClosed(), "invalid_value");
  });

  it("that does not finish its body is refused and closed", async () => {
    const socket = await open(head("Content-Length: 500"), '{"model":');
    expectError(await socket.untilClosed(), "invalid_value");
  });

  it("is no reason to cut a long response", async () => {
    server.engine.hold();
    const streamed = JSON.stringify({ ...question, stream: true });
    const socket = await open(head(`Content-Length: ${streamed.length}`), streamed);
    server.engine.release(1);
    await socket.untilReceived(/"content":"Hello"/);
    // Longer than a request may take to arrive: a second one that is too slow is closed meanwhile.
    await (await openSlowly()).untilClosed();
    await (await open(head("Content-Length: 500"), '{"model":')).untilClosed();
    expect(socket.closed).toBe(false);
    server.engine.release();
    await socket.untilReceived(/\[DONE\]/);
    socket.destroy();
  });
});
