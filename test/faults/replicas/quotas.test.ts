/** Quotas of two replicas on one Postgres and one Redis. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noQuotas, type Quotas } from "../../../src/core/entities.js";
import { Calendar } from "../../../src/core/limits/calendar.js";
import { newApiCaller, type ApiCaller } from "../../support/clients/api-caller.js";
import { startSmtpServer, type SmtpServer } from "../../support/clients/smtp-server.js";
import { eventually } from "../../support/eventually.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { startDashboard, type TestDashboard } from "../../support/processes/dashboard-server.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

describe.skipIf(noRedis)("two replicas", () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let smtp: SmtpServer;
  let database: string;
  let env: Record<string, string>;
  let replicas: TestDashboard[];

  beforeAll(async () => {
    [postgres, redis, smtp] = await Promise.all([TestPostgres.start(), TestRedis.start(), startSmtpServer()]);
  });
  afterAll(async () => {
    await smtp.close();
    await redis.kill();
    await postgres.dispose();
  });
  beforeEach(async () => {
    database = await postgres.createDatabase();
    env = {
      SOTTO_DATABASE_URL: postgres.url(database),
      SOTTO_REDIS_URL: redis.url,
      SOTTO_SMTP_URL: smtp.url,
      SOTTO_MAIL_FROM: "chat@example.com",
    };
    replicas = await Promise.all([startDashboard({ env }), startDashboard({ env })]);
  });
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await postgres.dropDatabase(database);
  });

  const callerOn = async (quotas: Partial<Quotas>): Promise<ApiCaller> => {
    const [one] = replicas;
    const plan = await one?.app.store.findPlan("free");
    if (one === undefined || plan == null) throw new Error("there is no plan");
    const id = `quota-${Object.keys(quotas).join("-").toLowerCase()}`;
    await one.app.store.putPlan({ ...plan, ...noQuotas, ...quotas, id, requestsPerMinute: 100_000 });
    return newApiCaller(one.app.store, "ada@example.com", id);
  };
  const urlOf = (i: number): string => replicas[i % replicas.length]?.url ?? "";
  const admittedOf = async (caller: ApiCaller, count: number): Promise<number> => {
    const statuses = await Promise.all(Array.from({ length: count }, (_, i) => caller.ask(urlOf(i))));
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    return statuses.filter((status) => status === 200).length;
  };
  const used = async (caller: ApiCaller) => {
    for (const { app } of replicas) await app.dashboard.usage.flush();
    return replicas[0]?.app.store.quotas.used(caller.key.accountId, null, "20");
  };

  const bothKnowEachOther = async (): Promise<void> => {
    const oldest = () =>
      redis.command(async (connection) => {
        const [key = ""] = await connection.keys("sotto:replicas:*");
        const beats = await connection.zrange(key, 0, -1, "WITHSCORES");
        return beats.length === 4 ? Number(beats[1]) : undefined;
      });
    const before = await eventually(oldest);
    await eventually(async () => ((await oldest()) ?? 0) > before);
  };

  it("never exceed a quota together, and count nothing twice", async () => {
    const caller = await callerOn({ requestsPerDay: 7, tokensPerMonth: 1_000_000 });
    expect(await admittedOf(caller, 12)).toBe(7);
    expect(await admittedOf(caller, 4)).toBe(0);
    await eventually(async () => (await used(caller))?.requests === 7);
    // Each used 5 tokens of the prompt and 4 of the reply.
    expect(await used(caller)).toEqual({ requests: 7, tokens: 63 });
  });

  it("enforce it across months and clock changes, whichever replica is called", async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    const zone = "Europe/Berlin";
    const clock = new FakeClock(new Date("2030-03-29T12:00:00Z"));
    const zoned = { ...env, SOTTO_QUOTA_TIMEZONE: zone };
    replicas = await Promise.all([
      startDashboard({ env: zoned, clock }),
      startDashboard({ env: zoned, clock }),
    ]);
    const quotas = { requestsPerDay: 4, requestsPerMonth: 9 };
    const caller = await callerOn(quotas);
    const calendar = new Calendar(zone);
    // Over the 23 hours of 31 March, the ends of two months, and the 25 hours of 27 October.
    const stepsHours = [
      1,
      11,
      12,
      11,
      13,
      1,
      22,
      24,
      30 * 24,
      1,
      24,
      176 * 24,
      11,
      12,
      12,
      12,
      1,
      24,
      6 * 24,
    ];
    const admitted = new Map<string, number>();
    const count = (name: string) => admitted.get(name) ?? 0;
    const days = new Set<string>();
    for (const [step, hours] of stepsHours.entries()) {
      clock.advance(hours * 3_600_000);
      const day = calendar.windowAt("day", clock.now()).label;
      days.add(day);
      const month = day.slice(0, 7);
      const left = Math.min(quotas.requestsPerDay - count(day), quotas.requestsPerMonth - count(month));
      const asked = 1 + (step % 6);
      expect(await admittedOf(caller, asked), clock.now().toISOString()).toBe(Math.min(asked, left));
      for (const name of [day, month]) admitted.set(name, count(name) + Math.min(asked, left));
    }
    expect([...days]).toEqual(expect.arrayContaining(["2030-03-31", "2030-10-27"]));
    const sums = async () => {
      for (const { app } of replicas) await app.dashboard.usage.flush();
      const { store } = replicas[0]?.app ?? {};
      const names = [...admitted.keys()];
      return Promise.all(
        names.map(async (name) => (await store?.quotas.used(caller.key.accountId, null, name))?.requests),
      );
    };
    await expect.poll(sums).toEqual([...admitted.values()]);
  });

  it("go on where they were when Redis has lost everything", async () => {
    const caller = await callerOn({ requestsPerDay: 10 });
    expect(await admittedOf(caller, 6)).toBe(6);
    // What another replica has not written yet is not known when Redis has lost it.
    await eventually(async () => (await used(caller))?.requests === 6);
    await redis.command((connection) => connection.flushall());
    expect(await admittedOf(caller, 12)).toBe(4);
  });

  it("go on where they were when all of it was restarted", async () => {
    const caller = await callerOn({ requestsPerMonth: 10 });
    expect(await admittedOf(caller, 6)).toBe(6);
    await Promise.all(replicas.map((replica) => replica.close()));
    await redis.kill();
    await redis.start();
    replicas = await Promise.all([startDashboard({ env }), startDashboard({ env })]);
    expect(await admittedOf(caller, 12)).toBe(4);
  });

  it("enforce it from the database while Redis is unreachable", async () => {
    const caller = await callerOn({ requestsPerDay: 10 });
    expect(await admittedOf(caller, 6)).toBe(6);
    await eventually(async () => (await used(caller))?.requests === 6);
    await bothKnowEachOther();
    await redis.kill();
    await eventually(() => replicas.every((replica) => replica.log().includes('"redis unreachable"')));
    expect(await admittedOf(caller, 12)).toBeLessThanOrEqual(4);
    await redis.start();
    await eventually(() => replicas.every((replica) => replica.log().includes('"redis recovered"')));
    await admittedOf(caller, 12);
    expect(await admittedOf(caller, 4)).toBe(0);
    await eventually(async () => ((await used(caller))?.requests ?? 0) >= 9);
    expect((await used(caller))?.requests).toBeLessThanOrEqual(10);
  });

  it("mail a warning once", async () => {
    const before = smtp.mails.length;
    const levels = () => smtp.mails.slice(before).map((mail) => /80 %|used up/.exec(mail)?.[0]);
    const caller = await callerOn({ requestsPerDay: 10 });
    await admittedOf(caller, 30);
    await eventually(() => levels().includes("used up"));
    await admittedOf(caller, 10);
    await Promise.all(replicas.map(({ app }) => app.dashboard.outbox.close()));
    expect(new Set(levels()).size).toBe(levels().length);
  });
});
