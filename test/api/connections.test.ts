import { afterEach, describe, expect, it } from "vitest";
import type { HttpParts } from "../../src/http/server.js";
import { question } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { expectOurs } from "../support/clients/openapi.js";
import { RawSocket, splitResponses } from "../support/clients/raw-socket.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
const sockets: RawSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

const connect = async (): Promise<RawSocket> => {
  const socket = await RawSocket.open(server.port);
  sockets.push(socket);
  return socket;
};

const chat = (version: string, fields: object = {}): string => {
  const body = JSON.stringify({ ...question, ...fields });
  return [
    `POST /v1/chat/completions HTTP/${version}`,
    "Host: x",
    `Authorization: Bearer ${server.apiKey}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
};
const get = (path: string): string =>
  [`GET ${path} HTTP/1.1`, "Host: x", `Authorization: Bearer ${server.apiKey}`, "", ""].join("\r\n");

describe("connections beyond the limit", () => {
  const start = async (connectionLimit: HttpParts["connectionLimit"], lingerMs = 300) => {
    server = await startServer({ connectionLimit, timeouts: { lingerMs }, engine: { capacity: 100 } });
  };

  /** So many streams, each of which has its first token. */
  async function openStreams(count: number): Promise<RawSocket[]> {
    server.engine.hold();
    const streams = await Promise.all(Array.from({ length: count }, connect));
    for (const socket of streams) socket.send(chat("1.1", { stream: true }));
    await eventually(() => server.engine.active === count);
    server.engine.release(count);
    await Promise.all(streams.map((socket) => socket.untilReceived(/"content":"Hello"/)));
    return streams;
  }

  function expectNoRoom(received: string): void {
    const [response, ...more] = splitResponses(received);
    expect(more).toEqual([]);
    expect(response?.status).toBe(503);
    expect(response?.headers).toMatch(/retry-after: [1-9]\d?\r\n/);
    expect(response?.headers).toMatch(/connection: close/);
    expect(response?.headers).toMatch(/x-request-id: req_/);
    const json: unknown = JSON.parse(response?.body ?? "");
    expectOurs("Error", json);
    expect(json).toMatchObject({ error: { type: "server_error", code: "overloaded" } });
  }

  it("are answered 503 and closed, and those within go on", async () => {
    await start({ connections: 4, refusals: 8 });
    const streams = await openStreams(4);
    const late = await Promise.all(Array.from({ length: 6 }, connect));
    for (const [index, socket] of late.entries()) {
      socket.send(index % 2 === 0 ? chat("1.1") : get("/v1/models"));
    }
    for (const socket of late) expectNoRoom(await socket.untilClosed());
    expect(
      server.logLines.filter(({ status, code }) => status === 503 && code === "overloaded"),
    ).toHaveLength(6);
    server.engine.release();
    for (const socket of streams) await socket.untilReceived(/\[DONE\]/);
  });

  it("that send nothing are answered and closed too", async () => {
    await start({ connections: 1, refusals: 2 });
    await openStreams(1);
    expectNoRoom(await (await connect()).untilClosed());
  });

  it("that send a large body can read the answer", async () => {
    await start({ connections: 1, refusals: 2 });
    await openStreams(1);
    const socket = await connect();
    socket.send(chat("1.1", { user: "x".repeat(3_000_000) }));
    expectNoRoom(await socket.untilClosed());
  });

  it("are answered and closed without waiting for them when there are too many to wait for", async () => {
    await start({ connections: 1, refusals: 2 }, 60_000);
    await openStreams(1);
    const silent = await Promise.all([connect(), connect()]);
    expectNoRoom(await (await connect()).untilClosed());
    expect(silent.map(({ closed }) => closed)).toEqual([false, false]);
  });

  it("may still ask whether the server is alive: who asks would restart it", async () => {
    await start({ connections: 1, refusals: 2 });
    await openStreams(1);
    for (const path of ["/healthz", "/readyz"]) {
      const socket = await connect();
      socket.send(get(path));
      expect(await socket.untilClosed()).toMatch(/^HTTP\/1\.1 200/);
    }
  });

  it("take the place of the connection that has been idle the longest", async () => {
    await start({ connections: 2, refusals: 2 });
    const [first, second] = [await connect(), await connect()];
    first.send(get("/v1/models/omega"));
    await first.untilReceived(/"id":"omega"/);
    second.send(get("/v1/models/omega"));
    await second.untilReceived(/"id":"omega"/);
    const third = await connect();
    third.send(get("/v1/models/prism"));
    expect(await third.untilReceived(/"id":"prism"/)).toMatch(/^HTTP\/1\.1 200/);
    await first.untilClosed();
    expect(second.closed).toBe(false);
  });

  it("are welcome again when others have gone", async () => {
    await start({ connections: 1, refusals: 1 });
    const [stream] = await openStreams(1);
    expectNoRoom(await (await connect()).untilClosed());
    stream?.destroy();
    await eventually(() => server.engine.active === 0);
    server.engine.release();
    const next = await connect();
    next.send(chat("1.1"));
    expect(await next.untilReceived(/Hello from omega/)).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe("an HTTP/1.0 client that ends its side after its request", () => {
  it.each([false, true])("gets its whole answer, streamed or not: %s", async (stream) => {
    server = await startServer();
    server.engine.hold();
    const socket = await connect();
    socket.socket.end(chat("1.0", { stream }));
    await eventually(() => server.engine.active === 1);
    server.engine.release();
    const received = await socket.untilClosed();
    expect(received).toMatch(/^HTTP\/1\.1 200/);
    expect(received).toMatch(stream ? /data: \[DONE\]\n\n/ : /"content":"Hello from omega\."/);
  });

  it("gets a refusal as well", async () => {
    server = await startServer();
    const socket = await connect();
    socket.socket.end("GET /v1/models HTTP/1.0\r\n\r\n");
    expect(await socket.untilClosed()).toMatch(/^HTTP\/1\.1 401/);
  });

  it("counts as disconnected when it closes later, and frees its slot", async () => {
    const clock = new FakeClock();
    server = await startServer({ clock });
    server.engine.hold();
    const socket = await connect();
    socket.send(chat("1.0"));
    await eventually(() => server.engine.active === 1);
    clock.advance(2_000);
    socket.socket.end();
    await eventually(() => server.engine.active === 0);
    await socket.untilClosed();
  });

  it("has hung up at any time in HTTP/1.1", async () => {
    server = await startServer();
    server.engine.hold();
    const socket = await connect();
    socket.socket.end(chat("1.1"));
    await socket.untilClosed();
    await eventually(() => server.engine.active === 0);
  });
});
