import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { question, send } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { RawSocket } from "../support/clients/raw-socket.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
beforeEach(async () => {
  server = await startServer({ engine: { capacity: 1 } });
  server.engine.hold();
});
afterEach(() => server.close());

/** Everything a completion holds is given back: sequence, place in the queue, lease. */
async function expectAllFree(): Promise<void> {
  await eventually(() => server.engine.active === 0 && server.completions.active === 0);
  server.engine.release();
  const key = server.addKey("afterwards", { accountId: "acc_0", plan: { concurrentRequests: 1 } });
  expect((await send(server, { key })).status).toBe(200);
}

const outcomes = () => server.logLines.filter(({ msg }) => msg === "request").map(({ outcome }) => outcome);

const chat = { path: "/v1/chat/completions", question };
const responses = { path: "/v1/responses", question: { model: "omega", input: "What is two plus two?" } };

describe.each([
  { ...chat, stream: true },
  { ...chat, stream: false },
  { ...responses, stream: true },
  { ...responses, stream: false },
])("a client of $path that hangs up (stream: $stream)", ({ path, stream, ...endpoint }) => {
  const body = { ...endpoint.question, stream };

  it("before the first token frees the sequence", async () => {
    const hangUp = new AbortController();
    const asked = send(server, { path, body, signal: hangUp.signal }).catch(() => "gone");
    await eventually(() => server.engine.active === 1);
    hangUp.abort();
    expect(await asked).toBe("gone");
    await eventually(() => server.engine.active === 0);
    await eventually(() => outcomes().length === 1);
    expect(server.logLines).toMatchObject([{ outcome: "hung_up", status: 499, account: "acc_0", stream }]);
    await expectAllFree();
  });

  it("while queued leaves the queue", async () => {
    const running = send(server);
    await eventually(() => server.engine.active === 1);
    const hangUp = new AbortController();
    const asked = send(server, { path, body, signal: hangUp.signal }).catch(() => "gone");
    await eventually(() => server.completions.active === 2);
    hangUp.abort();
    expect(await asked).toBe("gone");
    await eventually(() => server.completions.active === 1);
    expect(server.engine.generations).toHaveLength(1);
    server.engine.release();
    expect((await running).status).toBe(200);
    await expectAllFree();
  });

  it("in the middle of the reply frees the sequence", async () => {
    const hangUp = new AbortController();
    const asked = send(server, { path, body, signal: hangUp.signal });
    const gone = asked.then((response) => response.text()).catch(() => "gone");
    server.engine.release(2);
    await eventually(() => server.engine.produced === 2);
    if (stream) await asked;
    hangUp.abort();
    expect(await gone).toBe("gone");
    await expectAllFree();
    expect(outcomes()).toContain("hung_up");
  });

  it("by resetting the connection frees the sequence", async () => {
    const socket = await RawSocket.open(server.port);
    const text = JSON.stringify(body);
    socket.send(head(text.length, path).join("\r\n") + text);
    await eventually(() => server.engine.active === 1);
    socket.socket.resetAndDestroy();
    await expectAllFree();
  });
});

describe("a client that hangs up", () => {
  it("with a second request pipelined behind the first frees both", async () => {
    server.engine.options.capacity = 2;
    const socket = await open(question, { ...question, stream: true });
    await eventually(() => server.engine.active === 2);
    socket.destroy();
    await expectAllFree();
  });

  it("while it sends its body leaves nothing behind", async () => {
    const socket = await RawSocket.open(server.port);
    const [requestLine = "", ...headers] = head(500);
    socket.send(requestLine, "Expect: 100-continue", ...headers);
    await socket.untilReceived(/100 Continue/);
    socket.send('{"model":');
    socket.destroy();
    await eventually(() => outcomes().includes("hung_up"));
    expect(server.logLines.some(({ msg }) => msg === "unexpected error")).toBe(false);
    await expectAllFree();
  });
});

const head = (length: number, path = chat.path) => [
  `POST ${path} HTTP/1.1`,
  "Host: x",
  `Authorization: Bearer ${server.apiKey}`,
  "Content-Type: application/json",
  `Content-Length: ${length}`,
  "",
  "",
];

async function open(...bodies: object[]): Promise<RawSocket> {
  const socket = await RawSocket.open(server.port);
  for (const body of bodies.map((value) => JSON.stringify(value))) {
    socket.send(head(body.length).join("\r\n") + body);
  }
  return socket;
}
