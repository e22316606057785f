/** The one fault of Redis that every run tests; redis-unreachable.test.ts and others test the rest. */
import { describe, expect, it } from "vitest";
import { newApiCaller } from "../../support/clients/api-caller.js";
import { eventually } from "../../support/eventually.js";
import { startDashboard } from "../../support/processes/dashboard-server.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

describe.skipIf(noRedis)("a server whose Redis is killed", () => {
  it("answers within its limits, says so, and counts in Redis again when it is back", async () => {
    const redis = await TestRedis.start();
    const server = await startDashboard({ env: { SOTTO_REDIS_URL: redis.url } });
    try {
      const plan = await server.app.store.findPlan("free");
      if (plan === null) throw new Error("there is no plan");
      await server.app.store.putPlan({ ...plan, id: "small", requestsPerMinute: 10 });
      const ada = await newApiCaller(server.app.store, "ada@example.com");
      const grace = await newApiCaller(server.app.store, "grace@example.com", "small");
      expect(await ada.ask(server.url)).toBe(200);

      await redis.kill();
      await eventually(() => server.log().includes('"redis unreachable"'));
      expect(await ada.ask(server.url)).toBe(200);
      const statuses = await Promise.all(Array.from({ length: 30 }, () => grace.ask(server.url)));
      const admitted = statuses.filter((status) => status === 200).length;
      expect(admitted).toBeGreaterThan(0);
      expect(admitted).toBeLessThanOrEqual(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(30 - admitted);

      await redis.start();
      await eventually(() => server.log().includes('"redis recovered"'));
      expect(await ada.ask(server.url)).toBe(200);
      expect(await redis.command((connection) => connection.dbsize())).toBeGreaterThan(0);
    } finally {
      await server.close();
      await redis.kill();
    }
  });
});
