/** What a request costs in round trips to Redis, and that counting it late changes nothing for its client. */
import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Calendar } from "../../../src/core/limits/calendar.js";
import { QuotaBook } from "../../../src/core/limits/quota-book.js";
import { Limits } from "../../../src/core/limits/limits.js";
import { noKeyLimits } from "../../../src/core/entities.js";
import { systemClock } from "../../../src/core/clock.js";
import type { Counters } from "../../../src/store/counters/counters.js";
import { openRedisCounters } from "../../../src/store/counters/redis-counters.js";
import { ask, question, type Answer, type Sent } from "../../support/clients/chat.js";
import { eventually } from "../../support/eventually.js";
import { startServer, type KeyOptions, type TestServer } from "../../support/processes/server.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";
import { WindowCounter } from "../../support/stores/window-counter.js";

describe.skipIf(noRedis)("with counters in Redis", () => {
  let redis: TestRedis;
  let counters: Counters[];
  let one: TestServer;
  let two: TestServer;

  beforeAll(async () => {
    redis = await TestRedis.start();
  });
  afterAll(() => redis.kill());
  beforeEach(async () => {
    await redis.command((connection) => connection.flushall());
    const open = () =>
      openRedisCounters({ url: redis.url, secret: "a secret", replicas: 2, clock: systemClock });
    counters = [await open(), await open()];
    const [first, second] = await Promise.all(
      counters.map(({ admissions }) =>
        startServer({ limits: new Limits(admissions), engine: { capacity: 4, contextTokens: 50 } }),
      ),
    );
    if (first === undefined || second === undefined) throw new Error("there are two");
    [one, two] = [first, second];
  });
  afterEach(async () => {
    await Promise.all([one.close(), two.close()]);
    await Promise.all(counters.map((each) => each.close()));
  });

  /** On both replicas; the account is the same. */
  const addKey = (options: KeyOptions = {}): string => {
    for (const server of [one, two]) server.addKey("sk-counted", { accountId: "acc_counted", ...options });
    return "sk-counted";
  };

  /** Commands that `work` sends to Redis, but for those that are sent at intervals whatever happens. */
  async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
    // By hand: the client's own monitor fails when a line comes together with the answer to its command.
    const monitor = connect(redis.port, "127.0.0.1");
    const commands: string[] = [];
    createInterface({ input: monitor }).on("line", (line) => {
      const isPeriodic = /"sotto:replicas/.test(line);
      if (!line.includes("[0 lua]") && !isPeriodic) commands.push(line);
    });
    monitor.write("MONITOR\r\n");
    const mark = (text: string) =>
      eventually(async () => {
        await redis.command((connection) => connection.echo(text));
        return commands.some((command) => command.includes(text));
      });
    await mark("begins");
    await work();
    await mark("ends");
    monitor.destroy();
    const from = commands.findIndex((command) => command.includes("begins"));
    const to = commands.findIndex((command) => command.includes("ends"));
    return commands.slice(from, to).filter((command) => /"sotto:(window|lease):/.test(command));
  }

  const limitedMember = {
    ...{ id: "acc_member", suspendedAt: null },
    limits: { ...noKeyLimits, requestsPerMinute: 40, tokensPerMinute: 4_000, concurrentRequests: 4 },
  };
  const ownLimits = { requestsPerMinute: 50, tokensPerMinute: 5_000, concurrentRequests: 5 };
  it.each([
    ["a plain key", {}, false],
    ["a plain key", {}, true],
    ["a key with limits of its own", { limits: ownLimits }, false],
    ["a key with limits of its own", { limits: ownLimits }, true],
    ["a key of a member with limits, in a team", { limits: ownLimits, member: limitedMember }, false],
  ])("a completion costs two round trips: %s %o, streamed: %s", async (_name, options, stream) => {
    const key = addKey(options);
    const answers: Answer[] = [];
    const commands = await commandsOf(async () => {
      for (let count = 0; count < 3; count++)
        answers.push(await ask(one, { key, body: { ...question, stream } }));
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(commands).toHaveLength(2 * answers.length);
    const remaining = answers.map(({ headers }) => Number(headers.get("x-ratelimit-remaining-requests")));
    expect(remaining.map((left) => left - (remaining[0] ?? 0))).toEqual([0, -1, -2]);
    for (const { headers } of answers) expect(headers.get("x-ratelimit-remaining-tokens")).toMatch(/^\d+$/);
  });

  it("a completion under quotas costs two round trips once its windows are open", async () => {
    const quotas = new QuotaBook({
      clock: systemClock,
      calendar: new Calendar("UTC"),
      used: async () => ({ requests: 1, tokens: 10 }),
      record: () => undefined,
    });
    const [shared] = counters;
    if (shared === undefined) throw new Error("there are two");
    const server = await startServer({ limits: new Limits(shared.admissions, { quotas }) });
    try {
      const key = server.addKey("sk-quotas", {
        plan: { tokensPerDay: 10_000, requestsPerMonth: 100 },
        limits: { tokensPerMonth: 10_000 },
      });
      expect((await ask(server, { key })).headers.get("x-ratelimit-remaining-requests-month")).toBe("98");
      const commands = await commandsOf(async () => {
        for (let count = 0; count < 3; count++) expect((await ask(server, { key })).status).toBe(200);
      });
      expect(commands).toHaveLength(6);
    } finally {
      await server.close();
    }
  });

  it("a list of the models and a refused request cost one", async () => {
    const key = addKey({ plan: { requestsPerMinute: 2 } });
    expect(await commandsOf(() => ask(one, { key, path: "/v1/models", method: "GET" }))).toHaveLength(1);
    expect(await commandsOf(() => ask(one, { key, body: "{" }))).toHaveLength(1);
    expect(await commandsOf(() => ask(one, { key }))).toHaveLength(1);
  });

  it.each<[string, Sent]>([
    ["malformed JSON", { body: "{" }],
    ["an unknown model", { body: { ...question, model: "gpt" } }],
    [
      "a prompt past the context",
      { body: { ...question, messages: [{ role: "user", content: "w ".repeat(60) }] } },
    ],
    ["nothing else", {}],
  ])("requests that another replica counted refuse %s first", async (_name, sent) => {
    const key = addKey({ plan: { requestsPerMinute: 2 } });
    for (let count = 0; count < 2; count++) expect((await ask(two, { key })).status).toBe(200);
    const refused = await ask(one, { ...sent, key });
    expect([refused.status, refused.json]).toMatchObject([429, { error: { code: "rate_limit_exceeded" } }]);
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(refused.headers.get("x-ratelimit-remaining-tokens")).toMatch(/^\d+$/);
  });

  it("works on no more of a burst than the limits allow, and admits exactly those", async () => {
    const key = addKey({ plan: { requestsPerMinute: 5 } });
    const prepared = [one, two].map(({ engine }) => vi.spyOn(engine, "prepare"));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => ask(i % 2 === 0 ? one : two, { key })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
    // What each replica lets in before it knows of the others, and what it admits.
    for (const { mock } of prepared) expect(mock.calls.length).toBeLessThanOrEqual(10);
  });

  it("counts a request whose client hangs up before its body has arrived", async () => {
    const key = addKey({ plan: { requestsPerMinute: 5 } });
    const client = new AbortController();
    const entered = vi.spyOn(one.parts.limits, "enter");
    const body = new ReadableStream<Uint8Array>({
      start: (feed) => feed.enqueue(new TextEncoder().encode("{")),
    });
    const sent = fetch(`${one.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
      signal: client.signal,
      duplex: "half",
    });
    await eventually(() => entered.mock.calls.length === 1);
    client.abort();
    await expect(sent).rejects.toThrow();
    const [, other] = counters;
    if (other === undefined) throw new Error("there are two");
    const counted = () => new WindowCounter(other.admissions).read("requests:acc_counted", 5, 60_000);
    await eventually(async () => (await counted()).count === 1);
  });

  it("takes the lease before a model is loaded", async () => {
    const key = addKey({ plan: { concurrentRequests: 1 } });
    one.engine.options.state = "waking";
    const loaded = new EventEmitter();
    const prepare = one.engine.prepare.bind(one.engine);
    vi.spyOn(one.engine, "prepare").mockImplementation(async (...given) => {
      await once(loaded, "loaded");
      return prepare(...given);
    });
    const waiting = ask(one, { key });
    await eventually(async () => (await counters[1]?.admissions.held("acc_counted")) === 1);
    expect((await ask(two, { key })).status).toBe(429);
    loaded.emit("loaded");
    expect((await waiting).status).toBe(200);
    expect(await counters[1]?.admissions.held("acc_counted")).toBe(0);
  });
});
