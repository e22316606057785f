/** Limits, queue and leases under parallel use, through real sockets and on the deterministic engine. */
import { afterEach, describe, expect, it } from "vitest";
import { noQuotas } from "../../src/core/entities.js";
import { ask, question, type Answer, type Sent } from "../support/clients/chat.js";
import { runs } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { RawSocket } from "../support/clients/raw-socket.js";
import { startServer, type TestServer } from "../support/processes/server.js";

let server: TestServer;
afterEach(() => server.close());

const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const statuses = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

/** Forty at once to an engine on hold, which is let go when `refused` of them have their answer. */
async function burst(sent: Sent, refused: number): Promise<Answer[]> {
  let answered = 0;
  const answers = many(40, async () => {
    const answer = await ask(server, sent);
    answered += 1;
    return answer;
  });
  await eventually(() => answered === refused);
  server.engine.release();
  return answers;
}

describe("requests that may wait", () => {
  it("run behind those that come later, and say so in whole and streamed replies", async () => {
    server = await startServer({ engine: { capacity: 1 } });
    server.engine.hold();
    const order: string[] = [];
    const send = async (name: string, body: object) => {
      const answer = await ask(server, { key: server.apiKey, body: { ...question, ...body } });
      order.push(name);
      return answer;
    };
    const first = send("first", {});
    await eventually(() => server.engine.active === 1);
    const waiting = async () =>
      /queue_waiting\{model="omega"\} (\d+)/.exec((await server.metrics.text()).body)?.[1];
    const flex = send("flex", { service_tier: "flex" });
    await eventually(async () => (await waiting()) === "1");
    const auto = send("auto", { service_tier: "auto" });
    await eventually(async () => (await waiting()) === "2");
    server.engine.release();
    const [one, two, three] = await Promise.all([first, flex, auto]);
    expect(order).toEqual(["first", "auto", "flex"]);
    expect([one, two, three].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([one, two, three].map(({ body }) => /"service_tier":"(\w+)"/.exec(body)?.[1])).toEqual([
      undefined,
      "flex",
      "default",
    ]);
    const streamed = await send("stream", { service_tier: "flex", stream: true });
    const chunks = streamed.body.split("\n\n").filter((event) => event.startsWith("data: {"));
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.every((chunk) => chunk.includes('"service_tier":"flex"'))).toBe(true);
  });

  it("say so in responses", async () => {
    server = await startServer();
    const tierOf = async (tier?: string) => {
      const answer = await fetch(`${server.baseURL}/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "omega", input: "Hi", service_tier: tier }),
      });
      return ((await answer.json()) as { service_tier: string }).service_tier;
    };
    expect([await tierOf(), await tierOf("priority"), await tierOf("flex")]).toEqual([
      ...["default", "default", "flex"],
    ]);
  });
});

describe("a parallel burst admits exactly the limit", () => {
  it("of requests", async () => {
    server = await startServer();
    const key = server.addKey("sk-r", { plan: { requestsPerMinute: 17 } });
    const answers = await many(60, () => ask(server, { key }));
    expect([statuses(answers, 200), statuses(answers, 429)]).toEqual([17, 43]);
  });

  it("of tokens", async () => {
    server = await startServer({ engine: { capacity: 64 } });
    server.engine.hold();
    // Each reserves its 5 words and 95 more: 7 fit, whatever they use in the end.
    const key = server.addKey("sk-t", { plan: { tokensPerMinute: 750 } });
    const answers = await burst({ key, body: { ...question, max_tokens: 95 } }, 33);
    expect([statuses(answers, 200), statuses(answers, 429)]).toEqual([7, 33]);
  });

  it("of requests at once", async () => {
    server = await startServer({ engine: { capacity: 64 } });
    server.engine.hold();
    const key = server.addKey("sk-c", { plan: { concurrentRequests: 9 } });
    const answers = await burst({ key }, 31);
    expect([statuses(answers, 200), statuses(answers, 429)]).toEqual([9, 31]);
  });

  it("of one key, and leaves the rest to the account", async () => {
    server = await startServer();
    const plan = { requestsPerMinute: 30 };
    const test = server.addKey("sk-test", { plan, accountId: "acc", limits: { requestsPerMinute: 5 } });
    const production = server.addKey("sk-prod", { plan, accountId: "acc" });
    expect(statuses(await many(40, () => ask(server, { key: test })), 200)).toBe(5);
    expect(statuses(await many(40, () => ask(server, { key: production })), 200)).toBe(25);
  });
});

describe("many clients that open and hang up", () => {
  it("leave no lease, no sequence and nothing in the queue", async () => {
    server = await startServer({ engine: { capacity: 8 }, queueLength: 1_000 });
    server.engine.hold();
    server.engine.release(400);
    const key = server.addKey("sk-h", { plan: { concurrentRequests: 50 }, accountId: "acc" });
    const body = JSON.stringify({ ...question, stream: true });
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      "host: x",
      `authorization: Bearer ${key}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      "",
      body,
    ];
    for (let round = 0; round < runs(20); round++) {
      await many(50, async (index) => {
        const socket = await RawSocket.open(server.port);
        socket.send(...head);
        // Some leave before they are read, some while queued, some once text has come.
        for (let turn = 0; turn < index % 30; turn++) await new Promise((resolve) => setImmediate(resolve));
        if (index % 3 === 2) await socket.untilReceived(/data:/, 200).catch(() => "");
        socket.destroy();
      });
    }
    await eventually(() => server.completions.active === 0 && server.engine.active === 0);
    expect((await server.parts.limits.read({ account: accountOf("acc"), plan: roomy })).held).toBe(0);
    const text = (await server.metrics.text()).body;
    expect(text).toContain('sotto_queue_waiting{model="omega"} 0');
    server.engine.release();
    expect((await ask(server, { key })).status).toBe(200);
  });
});

describe("an account with 100 requests in flight", () => {
  it("makes another account's one request wait for no more than one and a half service times", async () => {
    const capacity = 4;
    server = await startServer({ engine: { capacity }, queueLength: 200 });
    server.engine.hold();
    const greedy = server.addKey("sk-a", { plan: { concurrentRequests: 200 } });
    const modest = server.addKey("sk-b");
    const flood = many(100, () => ask(server, { key: greedy }));
    await eventually(() => server.completions.active === 100);
    const single = ask(server, { key: modest });
    await eventually(() => server.completions.active === 101);

    // One service time is the time in which every running generation is replaced: `capacity` of them.
    const modestAccount = () => server.engine.generations.findIndex(({ accountId }) => accountId === "acc_2");
    const startedBefore = server.engine.generations.length;
    const tokensEach = 4;
    for (let released = 0; modestAccount() < 0 && released < 400; released++) {
      server.engine.release(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => modestAccount() >= 0);
    expect(modestAccount() - startedBefore).toBeLessThanOrEqual(1.5 * capacity);
    expect(server.engine.produced).toBeLessThanOrEqual(1.5 * capacity * tokensEach);
    server.engine.release();
    expect((await single).status).toBe(200);
    expect(statuses(await flood, 200)).toBe(100);
  });
});

const accountOf = (id: string) => ({
  id,
  kind: "person" as const,
  email: "a@example.com",
  role: "user" as const,
  planId: "free",
  suspendedAt: null,
  emailVerifiedAt: null,
  createdAt: new Date(0),
});
const roomy = {
  id: "free",
  name: "Free",
  requestsPerMinute: 1,
  tokensPerMinute: 1,
  concurrentRequests: 1,
  maxKeys: 1,
  maxTokens: null,
  models: null,
  requiresEncryption: false,
  weight: 1,
  ...noQuotas,
};
