/**
 * Quotas through outages of Redis, with requests in flight: whatever becomes of it, afterwards limits are counted
 * together again, and quotas say what the database says.
 */
import { EventEmitter, once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noQuotas } from "../../../src/core/entities.js";
import { postChat } from "../../support/clients/post-chat.js";
import { newApiCaller, type ApiCaller } from "../../support/clients/api-caller.js";
import { eventually } from "../../support/eventually.js";
import { startDashboard, type TestDashboard } from "../../support/processes/dashboard-server.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { RedisProxy } from "../../support/stores/redis-proxy.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

const limit = 1_000_000;
/** Of each request: what it reserves beside its prompt of one token, and what it uses. */
const maxTokens = 900;
const usedByOne = 2;

interface Parts {
  redis: TestRedis;
  /** Before each replica, one of its own. */
  proxies: readonly RedisProxy[];
}

interface Outage {
  begin(parts: Parts): Promise<void> | void;
  end(parts: Parts): Promise<void> | void;
}

const all = (proxies: readonly RedisProxy[], work: (proxy: RedisProxy) => void): void => {
  for (const proxy of proxies) work(proxy);
};

const outages: Record<string, Outage> = {
  "behind a proxy that accepts and resets": {
    begin: ({ proxies }) => all(proxies, (proxy) => proxy.reset()),
    end: ({ proxies }) => all(proxies, (proxy) => proxy.pass()),
  },
  "killed and restarted": {
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.start(),
  },
  paused: {
    begin: ({ redis }) => redis.freeze(),
    end: ({ redis }) => redis.thaw(),
  },
  "replaced by an empty one": {
    begin: async ({ redis, proxies }) => {
      all(proxies, (proxy) => proxy.reset());
      await redis.command((connection) => connection.flushall());
    },
    end: ({ proxies }) => all(proxies, (proxy) => proxy.pass()),
  },
  "slowed to 300 ms": {
    begin: ({ proxies }) => all(proxies, (proxy) => proxy.slow(300)),
    end: ({ proxies }) => all(proxies, (proxy) => proxy.pass()),
  },
};

/** Requests run until the test lets those of their kind end; what they ask is their kind. */
class Gate {
  readonly #open = new Set<string>();
  readonly #opened = new EventEmitter().setMaxListeners(0);
  /** How many run or have run. */
  entered = 0;

  constructor(dashboards: readonly TestDashboard[]) {
    for (const { engine } of dashboards) {
      const generate = engine.generate.bind(engine);
      engine.options.capacity = 64;
      engine.script = () => ({ fragments: ["Hello"] });
      const pass = (kind: string): Promise<void> => this.#pass(kind);
      engine.generate = async function* (prepared, signal) {
        await pass(prepared.generation.messages[0]?.content ?? "");
        yield* generate(prepared, signal);
      };
    }
  }

  open(kind: string): void {
    this.#open.add(kind);
    this.#opened.emit("opened");
  }

  async #pass(kind: string): Promise<void> {
    this.entered += 1;
    while (!this.#open.has(kind)) await once(this.#opened, "opened");
  }
}

const planOf = async ({ app }: TestDashboard): Promise<string> => {
  const plan = await app.store.findPlan("free");
  if (plan === null) throw new Error("there is no plan");
  const roomy = { requestsPerMinute: 100_000, tokensPerMinute: 10_000_000, concurrentRequests: 1_000 };
  await app.store.putPlan({ ...plan, ...roomy, ...noQuotas, tokensPerMonth: limit, id: "quota" });
  return "quota";
};

const ask = async (url: string, caller: ApiCaller, kind: string): Promise<number> => {
  const response = await postChat(url, caller.text, {
    max_tokens: maxTokens,
    messages: [{ role: "user", content: kind }],
  });
  await response.arrayBuffer();
  return response.status;
};

/** By the counters. */
const countedOf = async (url: string, caller: ApiCaller): Promise<number> => {
  const response = await fetch(`${url}/v1/key`, { headers: { authorization: `Bearer ${caller.text}` } });
  const { limits } = (await response.json()) as { limits: { name: string; remaining: number }[] };
  return limit - (limits.find(({ name }) => name === "tokens_per_month")?.remaining ?? NaN);
};

/** One outage from its beginning to the comparison with the database. */
async function outlive(outage: Outage, dashboards: readonly TestDashboard[], parts: Parts): Promise<void> {
  const [first] = dashboards;
  if (first === undefined) throw new Error("there is no replica");
  const { store } = first.app;
  const caller = await newApiCaller(store, "ada@example.com", await planOf(first));
  const gate = new Gate(dashboards);
  const running: { kind: string; status: Promise<number> }[] = [];
  const start = async (count: number, kind: string): Promise<void> => {
    const before = gate.entered;
    for (let index = 0; index < count; index++) {
      const status = ask(dashboards[index % dashboards.length]?.url ?? "", caller, kind);
      running.push({ kind, status });
    }
    await eventually(() => gate.entered === before + count);
  };
  const end = async (kind: string): Promise<void> => {
    gate.open(kind);
    for (const each of running) if (each.kind === kind) expect(await each.status).toBe(200);
  };
  const times = (dashboard: TestDashboard, text: string): number => dashboard.log().split(text).length - 1;
  const isShared = (dashboard: TestDashboard): boolean =>
    times(dashboard, '"redis unreachable') === times(dashboard, '"redis recovered');
  /** On a busy machine Redis may be lost once more meanwhile. */
  const shared = () => eventually(() => dashboards.every(isShared));
  /** What the counters say beyond what the database has, once everything that ended is in it. */
  const difference = async (requests: number): Promise<number> => {
    const used = await eventually(async () => {
      for (const { app } of dashboards) await app.dashboard.usage.flush();
      const { requests: written, tokens } = await store.quotas.used(caller.key.accountId, null, "20");
      return written === requests && tokens;
    });
    expect(used).toBe(requests * usedByOne);
    return eventually(async () => {
      await shared();
      const [counted, ...others] = await Promise.all(dashboards.map(({ url }) => countedOf(url, caller)));
      if (counted === undefined || !dashboards.every(isShared)) return undefined;
      expect(others.every((other) => other === counted)).toBe(true);
      return counted - used;
    });
  };

  await start(4, "before");
  await end("before");
  await start(6, "during");
  await start(6, "after");
  await outage.begin(parts);
  await start(6, "during");
  await start(6, "after");
  await eventually(() => !dashboards.every(isShared));
  await end("during");
  await outage.end(parts);
  await shared();
  // Those that end meet the first that opens the quota's window again.
  await Promise.all([end("after"), start(2, "after")]);
  await end("after");
  expect(Math.abs(await difference(30))).toBeLessThanOrEqual(usedByOne);

  // Leases of those whose admission had no answer end by themselves, and the next request gives back what they held.
  await parts.redis.command(async (connection) => {
    for (const key of await connection.keys("sotto:lease:*")) {
      if (!key.endsWith(":reserved")) await connection.del(key);
    }
  });
  await start(1, "after");
  await end("after");
  expect(Math.abs(await difference(31))).toBeLessThanOrEqual(usedByOne);
}

describe.skipIf(noRedis)("after an outage of Redis with requests in flight", () => {
  let redis: TestRedis;
  let proxies: RedisProxy[];
  let dashboards: TestDashboard[];
  beforeEach(async () => {
    redis = await TestRedis.start();
    proxies = [];
    dashboards = [];
  });
  afterEach(async () => {
    redis.thaw();
    await Promise.all(dashboards.map((dashboard) => dashboard.close()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await redis.kill();
  });
  const startReplica = async (env: Record<string, string> = {}): Promise<void> => {
    const proxy = await RedisProxy.start(redis.port);
    proxies.push(proxy);
    dashboards.push(await startDashboard({ env: { ...env, SOTTO_REDIS_URL: proxy.url } }));
  };

  it.each(Object.entries(outages))("a quota matches the database: %s", async (_name, outage) => {
    await startReplica();
    await outlive(outage, dashboards, { redis, proxies });
  });

  describe("of two replicas", () => {
    let postgres: TestPostgres;
    let database: string;
    beforeAll(async () => {
      postgres = await TestPostgres.start();
    });
    afterAll(() => postgres.dispose());
    beforeEach(async () => {
      database = await postgres.createDatabase();
      const env = { SOTTO_DATABASE_URL: postgres.url(database), SOTTO_REPLICAS: "2" };
      await startReplica(env);
      await startReplica(env);
    });
    afterEach(async () => {
      await Promise.all(dashboards.splice(0).map((dashboard) => dashboard.close()));
      await postgres.dropDatabase(database);
    });

    it.each(["killed and restarted", "paused"])("a quota matches the database: %s", async (name) => {
      const outage = outages[name];
      if (outage === undefined) throw new Error("there is no such outage");
      await outlive(outage, dashboards, { redis, proxies });
    });

    it("a quota matches the database when only one of them lost Redis", async () => {
      const [proxy] = proxies;
      if (proxy === undefined) throw new Error("there is no proxy");
      const outage = { begin: () => proxy.reset(), end: () => proxy.pass() };
      await outlive(outage, dashboards, { redis, proxies });
    });
  });
});
