/** Clients that dawdle, on purpose or not: they cost little, are let go in time, and nobody else notices. */
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { ask, question } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { RawSocket } from "../support/clients/raw-socket.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
const sockets: RawSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function open(): Promise<RawSocket> {
  const socket = await RawSocket.open(server.port);
  sockets.push(socket);
  return socket;
}

describe("200 connections that never finish their headers", () => {
  it("are closed in time, and others are answered meanwhile", async () => {
    server = await startServer({ timeouts: { headersMs: 1_000 } });
    const slow = await Promise.all(Array.from({ length: 200 }, open));
    for (const socket of slow) socket.send("POST /v1/chat/completions HTTP/1.1", "host: x", "x-drip: ");
    const drip = setInterval(() => {
      for (const socket of slow) if (!socket.closed) socket.socket.write("a");
    }, 50);
    try {
      expect((await ask(server)).status).toBe(200);
      await Promise.all(slow.map((socket) => socket.untilClosed()));
      expect((await ask(server)).status).toBe(200);
    } finally {
      clearInterval(drip);
    }
  });
});

describe("a connection that is opened in advance", () => {
  it("is closed without an answer, which the next request on it would take for its own", async () => {
    server = await startServer({ timeouts: { headersMs: 200 } });
    expect(await (await open()).untilClosed()).toBe("");
    const begun = await open();
    begun.send("POST /v1/chat/completions HTTP/1.1", "host: x", "x-drip: ");
    expect(await begun.untilClosed()).toContain("did not arrive in time");
  });
});

describe("a reader that stops reading", () => {
  const largest = 256 * 1024;
  const fragment = "x".repeat(8 * 1024);

  /** The responses under way, as Node knows them. */
  function watchResponses(): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    server.node.on("request", (_request, response) => responses.add(response));
    return responses;
  }

  const buffered = (response: ServerResponse) =>
    response.writableLength + (response.socket?.writableLength ?? 0);

  it("has at most 256 KB buffered for it, and loses its sequence after a while", async () => {
    server = await startServer({
      engine: { capacity: 20, contextTokens: 1_000_000, defaultMaxTokens: 100_000 },
      timeouts: { stallMs: 1_000 },
    });
    server.engine.script = () => ({ fragments: Array.from({ length: 5_000 }, () => fragment) });
    const responses = watchResponses();
    const body = JSON.stringify({ ...question, stream: true });
    const readers = await Promise.all(Array.from({ length: 20 }, open));
    for (const reader of readers) {
      reader.socket.pause();
      reader.send(
        "POST /v1/chat/completions HTTP/1.1",
        "host: x",
        `authorization: Bearer ${server.apiKey}`,
        "content-type: application/json",
        `content-length: ${body.length}`,
        "",
        body,
      );
    }
    await eventually(() => server.engine.generations.length === 20);
    let most = 0;
    await eventually(() => {
      for (const response of responses) most = Math.max(most, buffered(response));
      return server.engine.active === 0;
    });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(largest);
    expect(server.completions.active).toBe(0);
  });

  const connections = () =>
    new Promise<number>((resolve, reject) => {
      server.node.getConnections((error, count) => {
        if (error === null) resolve(count);
        else reject(error);
      });
    });

  /** More than the buffers of both sockets hold. */
  async function readNothing(): Promise<void> {
    const reader = await open();
    reader.socket.pause();
    reader.send("GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(200));
  }

  it("is let go when its answers are no streams, too", async () => {
    server = await startServer({ timeouts: { stallMs: 1_000 } });
    await readNothing();
    await eventually(async () => (await connections()) === 1);
    await eventually(async () => (await connections()) === 0);
  });

  it("does not make one wait in vain who reads, and whose second answer takes longer than that", async () => {
    server = await startServer({ timeouts: { stallMs: 500 } });
    server.engine.hold();
    const patient = await open();
    const body = JSON.stringify(question);
    patient.send("GET /healthz HTTP/1.1", "host: x", "", "POST /v1/chat/completions HTTP/1.1", "host: x", "");
    patient.send(`authorization: Bearer ${server.apiKey}`, "content-type: application/json", "");
    patient.send(`content-length: ${body.length}`, "", body);
    await patient.untilReceived(/200 OK/);
    await eventually(() => server.engine.active === 1);
    await readNothing();
    await eventually(async () => (await connections()) === 2);
    await eventually(async () => (await connections()) === 1);
    server.engine.release();
    await patient.untilReceived(/chat\.completion/);
  });
});
