/** Two replicas on one Postgres and one Redis. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { revokeKey } from "../../../src/core/keys/issue-keys.js";
import { systemClock } from "../../../src/core/clock.js";
import { newApiCaller } from "../../support/clients/api-caller.js";
import { startDashboard, type TestDashboard } from "../../support/processes/dashboard-server.js";
import { eventually } from "../../support/eventually.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

describe.skipIf(noRedis)("two replicas", () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let database: string;
  let one: TestDashboard;
  let two: TestDashboard;

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([TestPostgres.start(), TestRedis.start()]);
  });
  afterAll(async () => {
    await redis.kill();
    await postgres.dispose();
  });
  beforeEach(async () => {
    database = await postgres.createDatabase();
    const env = { SOTTO_DATABASE_URL: postgres.url(database), SOTTO_REDIS_URL: redis.url };
    // Both at once: one of them creates the tables.
    [one, two] = await Promise.all([startDashboard({ env }), startDashboard({ env })]);
  });
  afterEach(async () => {
    await Promise.all([one.close(), two.close()]);
    await postgres.dropDatabase(database);
  });

  it("keep a limit together", async () => {
    const plan = await one.app.store.findPlan("free");
    if (plan === null) throw new Error("there is no plan");
    await one.app.store.putPlan({ ...plan, id: "small", requestsPerMinute: 10 });
    const caller = await newApiCaller(one.app.store, "ada@example.com", "small");
    const urls = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? one.url : two.url));
    const statuses = await Promise.all(urls.map((url) => caller.ask(url)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  it("keep the number of requests at once together", async () => {
    const plan = await one.app.store.findPlan("free");
    if (plan === null) throw new Error("there is no plan");
    await one.app.store.putPlan({ ...plan, id: "narrow", concurrentRequests: 2 });
    const caller = await newApiCaller(one.app.store, "ada@example.com", "narrow");
    for (const { engine } of [one, two]) engine.hold();
    const running = [caller.ask(one.url), caller.ask(two.url)];
    await eventually(() => one.engine.active + two.engine.active === 2);
    expect(await caller.ask(one.url)).toBe(429);
    expect(await caller.ask(two.url)).toBe(429);
    for (const { engine } of [one, two]) engine.release();
    expect(await Promise.all(running)).toEqual([200, 200]);
    await eventually(async () => (await caller.ask(two.url)) === 200);
  });

  const revokedElsewhere = async () => {
    const caller = await newApiCaller(one.app.store, "ada@example.com");
    two.engine.hold();
    two.engine.release(1);
    const stream = await caller.stream(two.url);
    expect(stream.status).toBe(200);
    await revokeKey(one.app.store, systemClock, caller.key.id);
    expect(await stream.text()).toContain("invalid_api_key");
    expect(await caller.ask(two.url)).toBe(401);
    expect(two.engine.active).toBe(0);
  };

  it("end the streams of a key that was revoked on the other", revokedElsewhere);

  it("end them even while Redis is unreachable, by polling the database, and report it on the status page", async () => {
    await redis.kill();
    await eventually(
      () => one.log().includes('"redis unreachable"') && two.log().includes('"redis unreachable"'),
    );
    await revokedElsewhere();
    expect((await one.browser().send("GET", "/api/status")).json).toMatchObject({
      overall: "degraded",
      parts: [{ state: "up" }, { name: "Limits", state: "degraded" }],
    });
    await redis.start();
    await eventually(() => one.log().includes('"redis recovered"'));
    expect((await one.browser().send("GET", "/api/status")).json).toMatchObject({ overall: "up" });
    expect(one.log().match(/"redis unreachable"/g)).toHaveLength(1);
  });
});
