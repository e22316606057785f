import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ask, errorOf, question, type Sent } from "../support/clients/chat.js";
import { eventually } from "../support/eventually.js";
import { RawSocket, splitResponses } from "../support/clients/raw-socket.js";
import { startServer, type TestServer, type TestServerOptions } from "../support/processes/server.js";

const limitBytes = 1_000_000;
const parseWorkerFile = resolve("dist/parse-worker.js");

let server: TestServer;
const sockets: RawSocket[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function start(options: TestServerOptions = {}): Promise<void> {
  server = await startServer({
    bodyLimitBytes: limitBytes,
    parseWorkerFile,
    engine: { contextTokens: 1_000_000, capacity: 100 },
    ...options,
  });
}

/** A thread that does something else with a body. */
function otherThread(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "sotto-thread-"));
  folders.push(folder);
  writeFileSync(
    join(folder, "thread.mjs"),
    `import { parentPort } from "node:worker_threads";\n${script}\nparentPort.postMessage({ type: "ready" });`,
  );
  return join(folder, "thread.mjs");
}

const large = (content = "word ".repeat(20_000)) => ({ ...question, messages: [{ role: "user", content }] });

interface Begun {
  socket: RawSocket;
  /** Sends what is left of the body. */
  finish(): void;
}

/** Sends the headers and half of the body. */
async function begin(key: string, body: object, extra: string[] = [], withBody = true): Promise<Begun> {
  const text = JSON.stringify(body);
  const half = text.length / 2;
  const socket = await RawSocket.open(server.port);
  sockets.push(socket);
  socket.send(
    "POST /v1/chat/completions HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${text.length}`,
    ...extra,
    "",
    withBody ? text.slice(0, half) : "",
  );
  return { socket, finish: () => socket.send(withBody ? text.slice(half) : text) };
}

const answered = async ({ socket }: Begun): Promise<string> =>
  (await socket.untilReceived(/"finish_reason":"stop"[^]*\}$/)).slice(0, 12);

describe("a large body", () => {
  it("is answered as a small one is, whichever way it comes", async () => {
    await start();
    const content = `${'a 漢 \\ " \n'.repeat(20_000)} end`;
    expect((await ask(server, { body: large(content) })).status).toBe(200);
    expect(server.engine.generations.at(-1)?.messages).toEqual([{ role: "user", content }]);

    const text = JSON.stringify(large(content));
    const chunked = new ReadableStream({
      start(controller) {
        for (let at = 0; at < text.length; at += 10_000) {
          controller.enqueue(Buffer.from(text.slice(at, at + 10_000)));
        }
        controller.close();
      },
    });
    const response = await fetch(`${server.baseURL}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
      body: chunked,
      duplex: "half",
    });
    expect(response.status).toBe(200);
    expect(server.engine.generations.at(-1)?.messages).toEqual([{ role: "user", content }]);
  });

  const padding = " ".repeat(200_000);
  const refusals: [what: string, body: string][] = [
    ["malformed JSON", `{"model":${padding}`],
    ["invalid UTF-8", `{"model":"\u00ff"${padding}}`],
    ["no object", `[${padding}]`],
    ["no model", `{"messages":[]${padding}}`],
    ["a wrong role", `{"model":"omega","messages":[{"role":"x","content":"y"}]${padding}}`],
    [
      "a wrong temperature",
      `{"model":"omega","messages":[{"role":"user","content":"y"}],"temperature":3${padding}}`,
    ],
    ["too deep", `${"[".repeat(100)}${padding}`],
    ["an unknown model", `{"model":"x","messages":[{"role":"user","content":"y"}]${padding}}`],
  ];
  it.each(refusals)("is refused as a small one is: %s", async (_what, text) => {
    await start();
    const [encoded, small] = [text, text.replace(padding, "")].map((body) => Buffer.from(body, "latin1"));
    const [first, second] = [await ask(server, { body: encoded }), await ask(server, { body: small })];
    expect(first.status).toBe(second.status);
    expect(errorOf(first.json)).toEqual(errorOf(second.json));
  });

  it("does not hold up other requests while it is parsed", async () => {
    await start({ parseWorkerFile: otherThread(`parentPort.on("message", () => undefined);`) });
    const stuck = new AbortController();
    const sent: Sent = { body: large(), signal: stuck.signal };
    const lost = ask(server, sent).catch((error: unknown) => error);
    const next = ask(server, sent).catch((error: unknown) => error);
    await eventually(() => server.parts.bodies.waiting === 1);
    expect((await ask(server)).status).toBe(200);
    stuck.abort();
    await Promise.all([lost, next]);
    await eventually(() => server.parts.bodies.waiting === 0);
  });

  it("fails alone when its thread ends, and the next one gets another", async () => {
    const once = otherThread(`
      import { existsSync, writeFileSync } from "node:fs";
      const mark = new URL("./ended", import.meta.url);
      const refused = { type: "refused", code: "invalid_value", message: "x", param: null };
      parentPort.on("message", () => {
        if (existsSync(mark)) parentPort.postMessage({ type: "result", result: refused });
        else { writeFileSync(mark, ""); throw new Error("secret words of a body"); }
      });`);
    await start({ parseWorkerFile: once });
    expect((await ask(server, { body: large() })).status).toBe(500);
    expect((await ask(server, { body: large() })).status).toBe(400);
    expect(JSON.stringify(server.logLines)).not.toContain("secret");
  });
});

describe("large bodies of one account", () => {
  const almostAll = { ...large("x ".repeat(limitBytes / 2 - 200)) };

  it("wait for one another, and no other request waits for them", async () => {
    await start();
    const other = server.addKey("sk-other", { accountId: "acc_other" });
    const first = await begin(server.apiKey, almostAll);
    const second = await begin(server.apiKey, almostAll);
    await eventually(() => server.parts.bodies.waiting === 1);
    expect((await ask(server)).status).toBe(200);
    expect((await ask(server, { body: almostAll, key: other })).status).toBe(200);
    expect(second.socket.received).toBe("");
    second.finish();
    first.finish();
    expect(await answered(first)).toBe("HTTP/1.1 200");
    expect(await answered(second)).toBe("HTTP/1.1 200");
  });

  it("are refused with 503 when their turn does not come in time", async () => {
    await start({ bodyWaitMs: 100 });
    await begin(server.apiKey, almostAll);
    const { status, headers, json } = await ask(server, { body: almostAll });
    expect(status).toBe(503);
    expect(errorOf(json)).toMatchObject({ type: "server_error", code: "overloaded" });
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d?$/);
  });

  it("hold up no other when their client hangs up, waiting or being read", async () => {
    await start();
    const first = await begin(server.apiKey, almostAll);
    const second = await begin(server.apiKey, almostAll);
    const third = await begin(server.apiKey, almostAll);
    await eventually(() => server.parts.bodies.waiting === 2);
    second.socket.destroy();
    first.socket.destroy();
    third.finish();
    expect(await answered(third)).toBe("HTTP/1.1 200");
    expect(server.parts.bodies.waiting).toBe(0);
  });

  it("are not asked for before their turn", async () => {
    await start();
    const first = await begin(server.apiKey, almostAll);
    const second = await begin(server.apiKey, almostAll, ["Expect: 100-continue"], false);
    await eventually(() => server.parts.bodies.waiting === 1);
    expect(second.socket.received).toBe("");
    first.finish();
    expect(await answered(first)).toBe("HTTP/1.1 200");
    await second.socket.untilReceived(/^HTTP\/1\.1 100 Continue/);
    second.finish();
    const received = await second.socket.untilReceived(/"finish_reason":"stop"/);
    expect(splitResponses(received).map(({ status }) => status)).toEqual([100, 200]);
  });
});

describe("large bodies that do not arrive", () => {
  const almostAll = { ...large("x ".repeat(limitBytes / 2 - 200)) };
  const never = { everyMs: 1_000_000, bytes: 1 };

  /** As many accounts as there are shares of the largest size, each with a body that is declared and not sent. */
  const declareAll = () =>
    Promise.all(
      Array.from({ length: 8 }, async (_, account) => {
        const key = server.addKey(`sk-slow-${account}`, { accountId: `acc_slow_${account}` });
        const begun = await begin(key, almostAll, [], false);
        begun.socket.send("{");
        return begun;
      }),
    );

  it("take nothing from other accounts", async () => {
    await start({ bodyWaitMs: 2_000, bodyPace: never });
    await declareAll();
    expect((await ask(server, { body: large("word ".repeat(40_000)) })).status).toBe(200);
  });

  it("are refused and closed when they fall below the minimum rate", async () => {
    await start({ bodyPace: { everyMs: 50, bytes: 1_000 } });
    for (const { socket } of await declareAll()) {
      const [response] = splitResponses(await socket.untilClosed());
      expect(response?.status).toBe(400);
      expect(response?.body).toContain("arrived too slowly");
    }
    expect((await ask(server, { body: almostAll })).status).toBe(200);
  });

  it("are read to their end one by one where they do not all fit", async () => {
    await start({ bodyPace: never, bodyWaitMs: 600_000 });
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, account) =>
        begin(server.addKey(`sk-${account}`, { accountId: `acc_${account}` }), almostAll),
      ),
    );
    await eventually(() => server.parts.bodies.waiting >= 1);
    for (const one of begun) one.finish();
    for (const one of begun) expect(await answered(one)).toBe("HTTP/1.1 200");
    expect(server.parts.bodies.waiting).toBe(0);
  });
});
