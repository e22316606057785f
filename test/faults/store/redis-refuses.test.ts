/** A Redis that answers, but refuses commands: limits are enforced by shares, and everything names the cause. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/core/clock.js";
import type { Counters } from "../../../src/store/counters/counters.js";
import { openRedisCounters } from "../../../src/store/counters/redis-counters.js";
import { probeRedis } from "../../../src/store/counters/redis-probe.js";
import { eventually } from "../../support/eventually.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";
import { WindowCounter } from "../../support/stores/window-counter.js";
import { startDashboard } from "../../support/processes/dashboard-server.js";

describe.skipIf(noRedis)("a Redis that refuses commands", () => {
  let redis: TestRedis;
  let told: string[];
  const opened: Counters[] = [];
  beforeEach(async () => {
    redis = await TestRedis.start({ password: "open-sesame" });
    told = [];
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((counters) => counters.close()));
    await redis.kill();
  });

  const open = async (url = redis.url) => {
    const counters = await openRedisCounters({
      url,
      secret: randomUUID(),
      replicas: 2,
      clock: systemClock,
      onHealth: (health, cause = "") => told.push(`${health} ${cause}`.trim()),
    });
    opened.push(counters);
    return counters;
  };

  it.each([
    ["wants a password", "", "NOAUTH"],
    ["refuses the password", "wrong", "WRONGPASS"],
  ])("that %s is not called unreachable", async (_what, password, cause) => {
    const url = redis.urlWith(password);
    const counters = await open(url);
    expect(counters.failure()).toEqual({ kind: "refusing", cause });
    // It stays so over many attempts.
    await eventually(async () => (await refusals(cause)) >= 4);
    expect(counters.failure()).toEqual({ kind: "refusing", cause });
    expect(told).toEqual([`refusing ${cause}`]);
    expect(await probeRedis(url)).toEqual({ kind: "refusing", cause });
  });
  /** How often Redis has answered with this error. */
  const refusals = (cause: string) =>
    redis.command(async (connection) =>
      Number(new RegExp(`errorstat_${cause}:count=(\\d+)`).exec(await connection.info("errorstats"))?.[1]),
    );

  it.each([
    ["has no memory left", "OOM", ["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "SET", "maxmemory", "0"]],
    ["became a replica", "READONLY", ["REPLICAOF", "127.0.0.1", "1"], ["REPLICAOF", "NO", "ONE"]],
  ])("that %s is named, until it recovers", async (_what, cause, spoil, mend) => {
    const counters = await open();
    expect(counters.failure()).toBeNull();
    expect(await probeRedis(redis.url)).toBeNull();
    await run(spoil);
    await eventually(() => counters.failure()?.kind === "refusing");
    expect(counters.failure()).toEqual({ kind: "refusing", cause });
    expect(await probeRedis(redis.url)).toEqual({ kind: "refusing", cause });
    expect(await new WindowCounter(counters.admissions).take("acc", 60, 100, 60_000)).toMatchObject({
      admitted: false,
    });
    await run(mend);
    await eventually(() => counters.failure() === null);
    expect(told).toEqual([`refusing ${cause}`, "ok"]);
  });
  const run = ([name = "", ...args]: string[]) =>
    redis.command((connection) => connection.call(name, ...args));

  it("is named in the log, on /readyz and in the metrics", async () => {
    const token = randomUUID();
    const service = await startDashboard({
      env: { SOTTO_REDIS_URL: redis.urlWith(""), SOTTO_METRICS_TOKEN: token },
    });
    const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const readiness = await fetch(`${service.url}/readyz`);
    const [text, body] = [await metrics.text(), await readiness.json()];
    const log = service.log();
    await service.close();
    expect(readiness.status).toBe(200);
    expect(body).toMatchObject({ status: "ready", failing: { redis: "NOAUTH" } });
    expect(text).toMatch(/^sotto_redis_up 0$/m);
    expect(text).toMatch(/^sotto_redis_refusing 1$/m);
    expect(log).toMatch(/"cause":"NOAUTH","msg":"redis refuses commands: run 'sotto doctor'"/);
    expect(log).not.toContain("unreachable");
  });
});
