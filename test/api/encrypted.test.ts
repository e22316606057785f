/** Encrypted bodies on the wire: what is opened, what is refused and how, and that limits hold as for plain ones. */
import { randomBytes } from "node:crypto";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/errors.js";
import { settingsInMemory } from "../../src/core/proof/sealed-settings.js";
import { ask, question } from "../support/clients/chat.js";
import {
  fetchPublicKey,
  framesIn,
  postEncrypted,
  postSealed,
  sealRequest,
} from "../support/clients/encrypting-client.js";
import { RawSocket } from "../support/clients/raw-socket.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { startServer, type TestServer, type TestServerOptions } from "../support/processes/server.js";

const dayMs = 24 * 60 * 60_000;

const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startServer({ proof: {}, ...options });
  servers.push(server);
  return server;
}

const to = ({ url, apiKey }: TestServer) => ({ url, key: apiKey });
const codeOf = (text: string): unknown => (JSON.parse(text) as { error: { code: string } }).error.code;

describe("an encrypted request", () => {
  it.each([1, 2, 7, 50])("is opened from %i frames, and its reply is encrypted", async (frames) => {
    const server = await start();
    const answer = await postEncrypted({ ...to(server), frames }, question);
    expect(answer).toMatchObject({ status: 200, wasEncrypted: true });
    expect(JSON.parse(answer.text)).toMatchObject({ object: "chat.completion" });
    expect(answer.raw.toString("latin1")).not.toContain("chat.completion");
    expect(answer.headers.get("content-length")).toBeNull();
    expect(answer.headers.get("transfer-encoding")).toBe("chunked");
    expect(server.engine.generations[0]?.messages[0]?.content).toBe(question.messages[0]?.content);
  });

  it("is logged, counted and refused by its content type as a plain one is", async () => {
    const server = await start();
    const { headers } = await postEncrypted(to(server), question);
    const requestId = headers.get("x-request-id");
    const line = await eventually(() => server.logLines.find((one) => one.requestId === requestId));
    expect(line).toMatchObject({ model: "omega", promptTokens: 5, completionTokens: 4, status: 200 });
    expect(headers.get("x-ratelimit-remaining-requests")).toBe("99999");
    const wrong = await postEncrypted({ ...to(server), headers: { "content-type": "text/plain" } }, question);
    expect([wrong.status, codeOf(wrong.text)]).toEqual([400, "unsupported_content_type"]);
  });

  it("gets each write of a stream as a frame, as soon as it is written", async () => {
    const server = await start();
    server.engine.hold();
    const sealed = sealRequest(await fetchPublicKey(server.url), [
      JSON.stringify({ ...question, stream: true }),
    ]);
    const responding = open(server, sealed.encapsulated, Buffer.concat(sealed.frames));
    await eventually(() => server.engine.active === 1);
    server.engine.release(1);
    const response = await responding;
    const received: Buffer[] = [];
    response.on("data", (chunk: Buffer) => received.push(chunk));
    const nonce = String(response.headers["ehbp-response-nonce"]);
    const textSoFar = () => sealed.openReply(nonce, Buffer.concat(received));
    await eventually(() => received.length > 0 && textSoFar().includes("Hello"));
    expect(textSoFar()).not.toContain("omega.");
    const before = framesIn(Buffer.concat(received)).length;
    server.engine.release(1);
    await eventually(() => framesIn(Buffer.concat(received)).length === before + 1);
    expect(textSoFar()).toContain(" from ");
    server.engine.release();
    await eventually(() => response.complete);
    expect(textSoFar().endsWith("data: [DONE]\n\n")).toBe(true);
    expect(Buffer.concat(received).toString("latin1")).not.toContain("data:");
  });

  it("ends its generation when the client hangs up", async () => {
    const server = await start();
    server.engine.hold();
    const sealed = sealRequest(await fetchPublicKey(server.url), [JSON.stringify(question)]);
    const controller = new AbortController();
    const responding = open(server, sealed.encapsulated, Buffer.concat(sealed.frames), controller.signal);
    await eventually(() => server.engine.active === 1);
    controller.abort();
    await expect(responding).rejects.toThrow("aborted");
    await eventually(() => server.engine.active === 0);
  });

  it("gets keep-alives and the error that ends a stream encrypted, too", async () => {
    const server = await start({ keepAliveMs: 5 });
    server.engine.script = () => ({
      fragments: ["one", "two"],
      failure: { at: 1, error: new ServiceError("engine_unavailable") },
    });
    server.engine.hold();
    const sealed = sealRequest(await fetchPublicKey(server.url), [
      JSON.stringify({ ...question, stream: true }),
    ]);
    const response = await open(server, sealed.encapsulated, Buffer.concat(sealed.frames));
    const received: Buffer[] = [];
    response.on("data", (chunk: Buffer) => received.push(chunk));
    await eventually(() => received.length > 1);
    server.engine.release();
    await eventually(() => response.complete);
    const text = sealed.openReply(String(response.headers["ehbp-response-nonce"]), Buffer.concat(received));
    expect(text).toContain(": keep-alive");
    expect(text).toContain('"code":"engine_unavailable"');
    expect(Buffer.concat(received).toString("latin1")).not.toContain("engine_unavailable");
  });

  it("gets errors encrypted once its first frame was opened, and in plain before", async () => {
    const server = await start();
    const bad = await postEncrypted(to(server), { ...question, model: "no-such-model" });
    expect([bad.status, bad.wasEncrypted, codeOf(bad.text)]).toEqual([404, true, "model_not_found"]);
    const notJson = await postEncrypted(to(server), "{");
    expect([notJson.status, notJson.wasEncrypted, codeOf(notJson.text)]).toEqual([400, true, "invalid_json"]);
    const stranger = await postEncrypted({ url: server.url, key: "wrong" }, question);
    expect([stranger.status, stranger.wasEncrypted, codeOf(stranger.text)]).toEqual([
      401,
      false,
      "invalid_api_key",
    ]);
  });

  it.each(["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens"])(
    "is accepted at %s",
    async (path) => {
      const server = await start();
      const body =
        path === "/v1/responses" ? { model: "omega", input: "hi" } : { ...question, max_tokens: 9 };
      const { max_tokens: _, ...counted } = { max_tokens: 0, ...body };
      const answer = await postEncrypted(
        { ...to(server), path },
        path.endsWith("count_tokens") ? counted : body,
      );
      expect([answer.status, answer.wasEncrypted]).toEqual([200, true]);
    },
  );

  it("is held to the limit of bodies by its plain bytes, in one frame or many", async () => {
    const server = await start({ bodyLimitBytes: 2_000 });
    const text = (bytes: number) => {
      const empty = JSON.stringify({ ...question, messages: [{ role: "user", content: "" }] });
      return empty.replace('""', JSON.stringify("x".repeat(bytes - empty.length)));
    };
    for (const frames of [1, 40]) {
      expect((await postEncrypted({ ...to(server), frames }, text(2_000))).status).toBe(200);
      const over = await postEncrypted({ ...to(server), frames }, text(2_001));
      expect([over.status, codeOf(over.text)]).toEqual([400, "request_too_large"]);
    }
    // A frame that declares too much is refused before it has arrived.
    const declared = Buffer.alloc(4);
    declared.writeUInt32BE(0xffffffff);
    const sealed = sealRequest(await fetchPublicKey(server.url), []);
    const answer = await postSealed(to(server), sealed, declared);
    expect([answer.status, codeOf(answer.text)]).toEqual([400, "request_too_large"]);
  });

  it("is parsed in a thread's turn when it is large", async () => {
    const server = await start({ bodyLimitBytes: 1_000_000, engine: { contextTokens: 1_000_000 } });
    const messages = [{ role: "user", content: "word ".repeat(100_000) }];
    const answer = await postEncrypted({ ...to(server), frames: 3 }, { ...question, messages });
    expect(answer.status).toBe(200);
    expect(server.engine.generations[0]?.messages[0]?.content).toHaveLength(500_000);
  });

  it("is refused when a large one falls below the minimum rate, though no frame of it is complete", async () => {
    const server = await start({ bodyLimitBytes: 1_000_000, bodyPace: { everyMs: 50, bytes: 1_000 } });
    const sealed = sealRequest(await fetchPublicKey(server.url), ["x".repeat(500_000)]);
    const socket = await RawSocket.open(server.port);
    socket.send(
      "POST /v1/chat/completions HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${server.apiKey}`,
      "Content-Type: application/json",
      `Ehbp-Encapsulated-Key: ${sealed.encapsulated}`,
      "Content-Length: 500020",
      "",
      "",
    );
    socket.socket.write(Buffer.concat(sealed.frames).subarray(0, 100_000));
    expect(await socket.untilClosed()).toContain("arrived too slowly");
    expect(server.parts.bodies.waiting).toBe(0);
  });

  it("may have empty frames between the others, but not without end", async () => {
    const server = await start();
    const sealed = sealRequest(await fetchPublicKey(server.url), [JSON.stringify(question)]);
    const empty = Buffer.alloc(4);
    const bytes = Buffer.concat([empty, empty, ...sealed.frames, empty]);
    expect((await postSealed(to(server), sealed, bytes)).status).toBe(200);
    const endless = await postSealed(to(server), sealed, Buffer.alloc(4 * 20_000));
    expect([endless.status, codeOf(endless.text)]).toEqual([400, "invalid_encryption"]);
  });
});

describe("a request that is not properly encrypted", () => {
  const changes: [name: string, change: (frames: Buffer[]) => Buffer, code: string, wasEncrypted: boolean][] =
    [
      [
        "is cut within a frame",
        (frames) => Buffer.concat(frames).subarray(0, -3),
        "invalid_encryption",
        true,
      ],
      [
        "is cut within a length",
        (frames) => Buffer.concat([...frames, Buffer.from([0, 0])]),
        "invalid_encryption",
        true,
      ],
      [
        "has its frames in another order",
        ([first, second, third]) => concat(first, third, second),
        "invalid_encryption",
        true,
      ],
      ["has a frame twice", ([first, second]) => concat(first, second, second), "invalid_encryption", true],
      ["lacks a frame in the middle", ([first, , third]) => concat(first, third), "invalid_encryption", true],
      [
        "was changed in its last byte",
        (frames) => {
          const bytes = Buffer.concat(frames);
          bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
          return bytes;
        },
        "invalid_encryption",
        true,
      ],
      [
        "has a frame shorter than a tag",
        () => Buffer.from([0, 0, 0, 3, 1, 2, 3]),
        "invalid_encryption",
        false,
      ],
      ["has nothing", () => Buffer.alloc(0), "invalid_json", false],
    ];
  it.each(changes)("is refused when it %s", async (_, change, code, wasEncrypted) => {
    const server = await start();
    const text = JSON.stringify(question);
    const pieces = [text.slice(0, 20), text.slice(20, 40), text.slice(40)];
    const sealed = sealRequest(await fetchPublicKey(server.url), pieces);
    const answer = await postSealed(to(server), sealed, Buffer.from(change(sealed.frames)));
    expect([answer.status, codeOf(answer.text), answer.wasEncrypted]).toEqual([400, code, wasEncrypted]);
    expect(server.engine.generations).toEqual([]);
  });

  it.each([
    ["not hexadecimal", "zz".repeat(32)],
    ["too short", "ab".repeat(31)],
    ["too long", "ab".repeat(33)],
    ["empty", ""],
  ])("is refused when its header is %s", async (_, header) => {
    const server = await start();
    const { status, json } = await ask(server, { headers: { "ehbp-encapsulated-key": header } });
    expect([status, json]).toMatchObject([
      400,
      { error: { code: "invalid_encryption", param: "Ehbp-Encapsulated-Key" } },
    ]);
  });

  it("is told to fetch the key again when it was encrypted to another", async () => {
    const server = await start();
    const other = await start();
    const answer = await postEncrypted(to(server), question, await fetchPublicKey(other.url));
    expect([answer.status, answer.wasEncrypted]).toEqual([422, false]);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(JSON.parse(answer.text)).toMatchObject({ type: "urn:ietf:params:ehbp:error:key-config" });
    const plain = await ask(server, { headers: { "ehbp-encapsulated-key": "00".repeat(32) } });
    expect(plain.status).toBe(400);
  });
});

describe("a replayed request", () => {
  it("is refused, and its first reply is not repeated", async () => {
    const server = await start();
    const sealed = sealRequest(await fetchPublicKey(server.url), [JSON.stringify(question)]);
    const bytes = Buffer.concat(sealed.frames);
    expect((await postSealed(to(server), sealed, bytes)).status).toBe(200);
    const again = await postSealed(to(server), sealed, bytes);
    expect([again.status, codeOf(again.text), again.wasEncrypted]).toEqual([400, "replayed_request", true]);
    expect(server.engine.generations).toHaveLength(1);
  });

  it("is refused of all that are sent at once but one, at two replicas", async () => {
    const used = new Set<string>();
    const shared = { claim: async (name: string) => !used.has(name) && used.add(name).size > 0 };
    const settings = settingsInMemory();
    const both = [await start({ proof: { settings, shared } }), await start({ proof: { settings, shared } })];
    const [one, two] = both;
    if (one === undefined || two === undefined) throw new Error("There are two.");
    expect(await fetchPublicKey(one.url)).toEqual(await fetchPublicKey(two.url));
    const sealed = sealRequest(await fetchPublicKey(one.url), [JSON.stringify(question)]);
    const bytes = Buffer.concat(sealed.frames);
    const answers = await Promise.all(
      [one, two, one, two].map((server) => postSealed(to(server), sealed, bytes)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });
});

describe("the key", () => {
  it("is told to everyone, and may be cached for a while", async () => {
    const server = await start();
    const response = await fetch(`${server.url}/.well-known/hpke-keys`);
    expect(response.headers.get("content-type")).toBe("application/ohttp-keys");
    expect(response.headers.get("cache-control")).toMatch(/^public, max-age=\d+$/);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes).toHaveLength(41);
    expect(bytes.subarray(1, 3).toString("hex")).toBe("0020");
    expect(bytes.subarray(35).toString("hex")).toBe("000400010002");
  });

  it("is replaced, accepted for one more period, and then answered 422", async () => {
    const clock = new FakeClock();
    const server = await start({ clock });
    const first = await fetchPublicKey(server.url);
    clock.advance(dayMs);
    expect(await fetchPublicKey(server.url)).not.toEqual(first);
    expect((await postEncrypted(to(server), question, first)).status).toBe(200);
    clock.advance(dayMs - 1);
    expect((await postEncrypted(to(server), question, first)).status).toBe(200);
    clock.advance(1);
    expect((await postEncrypted(to(server), question, first)).status).toBe(422);
    expect((await postEncrypted(to(server), question)).status).toBe(200);
  });

  it("is refused with a sentence where the service cannot open its secrets", async () => {
    const server = await start({ proof: undefined });
    const { status, json } = await ask(server, { method: "GET", path: "/.well-known/hpke-keys", key: null });
    expect([status, json]).toMatchObject([503, { error: { code: "overloaded" } }]);
  });
});

describe("where encryption is required", () => {
  it("a plain body is refused for everyone, with the address of the key", async () => {
    const server = await start({ proof: { isRequired: true } });
    const { status, json } = await ask(server);
    expect([status, json]).toMatchObject([400, { error: { code: "encryption_required" } }]);
    expect(JSON.stringify(json)).toContain("/.well-known/hpke-keys");
    expect((await postEncrypted(to(server), question)).status).toBe(200);
    expect((await ask(server, { method: "GET", path: "/v1/models" })).status).toBe(200);
  });

  it("a plain body is refused by the account's plan, and counted", async () => {
    const server = await start();
    const key = server.addKey("sk-strict", { plan: { requiresEncryption: true, requestsPerMinute: 2 } });
    const statuses = [];
    for (let request = 0; request < 3; request++) statuses.push((await ask(server, { key })).status);
    expect(statuses).toEqual([400, 400, 429]);
    expect((await ask(server)).status).toBe(200);
  });
});

/** With the response as it arrives. */
function open(
  server: TestServer,
  encapsulated: string,
  bytes: Buffer,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(
      `${server.baseURL}/chat/completions`,
      {
        method: "POST",
        agent: false,
        headers: {
          authorization: `Bearer ${server.apiKey}`,
          "content-type": "application/json",
          "ehbp-encapsulated-key": encapsulated,
        },
        ...(signal === undefined ? {} : { signal }),
      },
      resolve,
    )
      .on("error", reject)
      .end(bytes);
  });
}

const concat = (...frames: (Buffer | undefined)[]): Buffer =>
  Buffer.concat(frames.map((frame) => frame ?? randomBytes(20)));
