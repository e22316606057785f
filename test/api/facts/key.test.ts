/** `GET /v1/key`: what a key is, and what is left of the limits that hold for it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/core/clock.js";
import { Limits } from "../../../src/core/limits/limits.js";
import type { Counters } from "../../../src/store/counters/counters.js";
import { openRedisCounters } from "../../../src/store/counters/redis-counters.js";
import { postChat } from "../../support/clients/post-chat.js";
import { ask, errorOf, send } from "../../support/clients/chat.js";
import { expectDocumented, expectOurs } from "../../support/clients/openapi.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { startServer, type KeyOptions, type TestServer } from "../../support/processes/server.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

interface KeyBody {
  limits: { name: string; scope: string; limit: number; remaining: number; resets_at: number | null }[];
}

async function keyOf(server: TestServer, key: string): Promise<KeyBody> {
  const answer = await ask(server, { method: "GET", path: "/v1/key", key });
  expect(answer.status).toBe(200);
  expectDocumented(answer);
  if (!isKeyBody(answer.json)) throw new Error("There is no key.");
  return answer.json;
}

function isKeyBody(json: unknown): json is KeyBody {
  expectOurs("Key", json);
  return true;
}

const plan = { requestsPerMinute: 50, tokensPerMinute: 5000, concurrentRequests: 4 };
const limited: KeyOptions = { plan, limits: { requestsPerMinute: 10, concurrentRequests: 2 } };

describe("a key", () => {
  const clock = new FakeClock();
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ clock });
  });
  afterAll(() => server.close());

  it("gets its name, permissions and limits", async () => {
    const expiresAt = new Date(clock.now().getTime() + 3_600_500);
    const key = server.addKey("sk-test-1234", {
      name: "Laptop",
      models: ["prism", "omega"],
      operations: ["chat"],
      plan: { id: "team", name: "Team", models: ["lambda", "omega"] },
      expiresAt,
    });
    expect(await keyOf(server, key)).toMatchObject({
      object: "key",
      name: "Laptop",
      last_four: "1234",
      plan: { id: "team", name: "Team" },
      models: ["omega"],
      operations: ["chat"],
      created: 0,
      expires_at: Math.floor(expiresAt.getTime() / 1000),
    });
  });

  it("that may do everything has every model and operation, and no end", async () => {
    expect(await keyOf(server, server.apiKey)).toMatchObject({
      models: ["omega", "prism", "lambda"],
      operations: ["chat", "models"],
      scopes: [],
      expires_at: null,
    });
  });

  it("with scopes has no models, and is refused them", async () => {
    const key = server.addKey("sk-operator", { scopes: ["admin:read", "scim"] });
    expect(await keyOf(server, key)).toMatchObject({ models: [], scopes: ["admin:read", "scim"] });
    const refused = await postChat(server.url, key);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { code: "insufficient_permissions" } });
  });

  it("that was rotated ends when its grace period does", async () => {
    const revokedAt = new Date(clock.now().getTime() + 60_000);
    const expiresAt = new Date(clock.now().getTime() + 120_000);
    const key = server.addKey("sk-rotated", { revokedAt, expiresAt });
    expect(await keyOf(server, key)).toMatchObject({ expires_at: Math.floor(revokedAt.getTime() / 1000) });
  });

  it("needs no permission to ask about itself", async () => {
    await keyOf(server, server.addKey("sk-models-only", { operations: ["models"] }));
  });

  it("sees neither itself nor an address", async () => {
    const { body } = await ask(server, { method: "GET", path: "/v1/key" });
    expect(body).not.toContain(server.apiKey);
    expect(body).not.toContain("@");
  });

  it("sees its own limits and the account's, with when each is whole again", async () => {
    const key = server.addKey("sk-limited", limited);
    const resetsAt = Math.ceil(clock.now().getTime() / 1000) + 60;
    expect((await keyOf(server, key)).limits).toEqual([
      { name: "requests_per_minute", scope: "key", limit: 10, remaining: 9, resets_at: resetsAt },
      { name: "requests_per_minute", scope: "account", limit: 50, remaining: 49, resets_at: resetsAt },
      { name: "tokens_per_minute", scope: "account", limit: 5000, remaining: 5000, resets_at: null },
      { name: "concurrent_requests", scope: "key", limit: 2, remaining: 2, resets_at: null },
      { name: "concurrent_requests", scope: "account", limit: 4, remaining: 4, resets_at: null },
    ]);
    clock.advance(20_000);
    expect((await keyOf(server, key)).limits[0]).toMatchObject({ remaining: 8, resets_at: resetsAt });
    clock.advance(40_000);
    expect((await keyOf(server, key)).limits[0]).toMatchObject({ remaining: 9, resets_at: resetsAt + 60 });
  });

  it("is refused like any other request when its requests are used up", async () => {
    const key = server.addKey("sk-one", { limits: { requestsPerMinute: 1 } });
    await keyOf(server, key);
    const answer = await ask(server, { method: "GET", path: "/v1/key", key });
    expect(answer.status).toBe(429);
    expectDocumented(answer);
  });

  it("is known at this address alone", async () => {
    const answer = await ask(server, { method: "POST", path: "/v1/key" });
    expect(errorOf(answer.json).message).toBe("This endpoint does not accept this method: use GET /v1/key.");
    expect((await ask(server, { method: "HEAD", path: "/v1/key" })).status).toBe(200);
    expect((await ask(server, { method: "GET", path: "/v1/key", key: "sk-nobody" })).status).toBe(401);
  });
});

describe.each([
  ["in memory", false],
  ["in Redis", true],
])("limits counted %s", (_, inRedis) => {
  describe.skipIf(inRedis && noRedis)("where they are kept", () => {
    let redis: TestRedis | undefined;
    let counters: Counters | undefined;
    let server: TestServer;
    beforeAll(async () => {
      if (inRedis) {
        redis = await TestRedis.start();
        counters = await openRedisCounters({ url: redis.url, secret: "s", replicas: 1, clock: systemClock });
      }
      server = await startServer(counters === undefined ? {} : { limits: new Limits(counters.admissions) });
    });
    afterAll(async () => {
      await server.close();
      await counters?.close();
      await redis?.kill();
    });

    it("show what runs now and what has been used, and taking a look takes nothing", async () => {
      const key = server.addKey("sk-busy", { ...limited, accountId: "acc_shared" });
      const sibling = server.addKey("sk-sibling", { plan, accountId: "acc_shared" });
      server.engine.hold();
      const running = send(server, {
        key,
        body: { model: "omega", messages: [{ role: "user", content: "hi" }], max_tokens: 8 },
      });
      await eventually(() => server.engine.active === 1);

      const before = await keyOf(server, key);
      expect(before.limits).toMatchObject([
        { scope: "key", remaining: 8 },
        { scope: "account", remaining: 48 },
        { name: "tokens_per_minute", remaining: expect.any(Number) as number },
        { name: "concurrent_requests", scope: "key", remaining: 1 },
        { name: "concurrent_requests", scope: "account", remaining: 3 },
      ]);
      const tokensLeft = before.limits[2]?.remaining ?? 0;
      expect(tokensLeft).toBeLessThan(5000);
      const after = await keyOf(server, sibling);
      expect(after.limits).toMatchObject([
        { name: "requests_per_minute", scope: "account", remaining: 47 },
        { name: "tokens_per_minute", remaining: tokensLeft },
        { name: "concurrent_requests", remaining: 3 },
      ]);
      server.engine.release();
      expect((await running).status).toBe(200);
    });
  });
});
