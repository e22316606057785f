/** Malformed frames, headers and keys: each is refused with a status of its own, and nothing of them stays. */
import { randomBytes, randomInt } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collectGarbage } from "../../src/adapters/idle-collection.js";
import { question } from "../support/clients/chat.js";
import { fetchPublicKey, postEncrypted, sealRequest } from "../support/clients/encrypting-client.js";
import { isDeep } from "../support/depth.js";
import { startServer, type TestServer } from "../support/processes/server.js";

const requests = isDeep ? 20_000 : 500;
const atOnce = 8;
/** What the second half may leave. */
const maxGrowthBytes = 2 * 1024 * 1024;

let server: TestServer;
let publicKey: Buffer;
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
beforeAll(async () => {
  server = await startServer({ proof: {}, bodyLimitBytes: 64 * 1024 });
  publicKey = await fetchPublicKey(server.url);
});
afterAll(async () => {
  agent.destroy();
  await server.close();
});

interface Malformed {
  header: string;
  body: Buffer;
}

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");
const framed = (bytes: Buffer, length = bytes.length): Buffer => {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(length >>> 0);
  return Buffer.concat([prefix, bytes]);
};

function sealed(): { header: string; frames: Buffer[] } {
  const text = JSON.stringify(question);
  const cut = randomInt(1, text.length);
  const { encapsulated, frames } = sealRequest(publicKey, [text.slice(0, cut), text.slice(cut)]);
  return { header: encapsulated, frames };
}

/** Each makes one kind of malformed request. */
const kinds: (() => Malformed)[] = [
  () => ({ header: hex(32), body: randomBytes(randomInt(0, 2_000)) }),
  () => ({ header: hex(randomInt(0, 64)), body: framed(randomBytes(40)) }),
  () => ({
    header: randomBytes(randomInt(1, 80)).toString("base64"),
    body: framed(randomBytes(40)),
  }),
  () => ({ header: "00".repeat(32), body: framed(randomBytes(randomInt(0, 200))) }),
  () => ({ header: hex(32), body: framed(randomBytes(randomInt(0, 100)), randomInt(0, 2 ** 32 - 1)) }),
  () => ({ header: hex(32), body: Buffer.alloc(randomInt(0, 400)) }),
  () => {
    const { header, frames } = sealed();
    const body = Buffer.concat(frames);
    return { header, body: body.subarray(0, randomInt(1, body.length)) };
  },
  () => {
    const { header, frames } = sealed();
    const body = Buffer.concat(frames);
    const at = randomInt(body.length);
    body[at] = (body[at] ?? 0) ^ (1 << randomInt(8));
    return { header, body };
  },
  () => {
    const { header, frames } = sealed();
    return { header, body: Buffer.concat(frames.reverse()) };
  },
  () => {
    const { frames } = sealed();
    return { header: hex(32), body: Buffer.concat(frames) };
  },
  () => {
    const { header, frames } = sealed();
    return { header, body: Buffer.concat([...frames, randomBytes(randomInt(1, 64))]) };
  },
];

function send({ header, body }: Malformed): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${server.apiKey}`,
      "content-type": "application/json",
      "ehbp-encapsulated-key": header,
      "content-length": body.length,
    };
    httpRequest(`${server.baseURL}/chat/completions`, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0)).on("error", reject);
    })
      .on("error", reject)
      .end(body);
  });
}

/** Bytes that are in use once the garbage is collected. */
function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it(`refuses ${requests} malformed requests with 400 or 422, and works on`, async () => {
  const statuses = new Map<number, number>();
  let sent = 0;
  const sendUntil = async (last: number) => {
    const worker = async () => {
      while (sent < last) {
        const kind = kinds[sent % kinds.length];
        sent += 1;
        if (kind === undefined) throw new Error("There is one.");
        const status = await send(kind());
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    expect(server.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    server.logLines.length = 0;
  };
  // The first half compiles what it calls and fills the caches.
  await sendUntil(requests / 2);
  const halfway = bytesInUse();
  await sendUntil(requests);
  expect(bytesInUse() - halfway).toBeLessThan(maxGrowthBytes);
  expect([...statuses.keys()].sort()).toEqual([400, 422]);
  expect(server.engine.generations).toEqual([]);
  const { status } = await postEncrypted({ url: server.url, key: server.apiKey }, question);
  expect(status).toBe(200);
});
