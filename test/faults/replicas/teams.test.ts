/** A team's limits over three replicas on one Postgres and one Redis, and what ends with a member on all of them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/core/clock.js";
import { noKeyLimits, noQuotas } from "../../../src/core/entities.js";
import { createKey } from "../../../src/core/keys/issue-keys.js";
import type { Team } from "../../../src/core/teams/ports.js";
import { postChat } from "../../support/clients/post-chat.js";
import { question } from "../../support/clients/chat.js";
import { eventually } from "../../support/eventually.js";
import { startDashboard, type TestDashboard } from "../../support/processes/dashboard-server.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

describe.skipIf(noRedis)("three replicas", () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let database: string;
  let replicas: TestDashboard[];

  beforeAll(async () => {
    [postgres, redis] = await Promise.all([TestPostgres.start(), TestRedis.start()]);
    database = await postgres.createDatabase();
    const env = { SOTTO_DATABASE_URL: postgres.url(database), SOTTO_REDIS_URL: redis.url };
    const [first] = [await startDashboard({ env })];
    replicas = [first, ...(await Promise.all([startDashboard({ env }), startDashboard({ env })]))];
    const plan = await first.app.store.findPlan("free");
    if (plan === null) throw new Error("there is no plan");
    const roomy = { requestsPerMinute: 100_000, tokensPerMinute: 1_000_000_000, concurrentRequests: 5_000 };
    await first.app.store.putPlan({ ...plan, ...noQuotas, ...roomy, maxKeys: 1_000, id: "roomy" });
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await postgres.dropDatabase(database);
    await redis.kill();
    await postgres.dispose();
  });

  const store = () => {
    const [first] = replicas;
    if (first === undefined) throw new Error("there is no replica");
    return first.app.store;
  };

  async function teamWith(members: number, name: string): Promise<{ team: Team; people: string[] }> {
    const people: string[] = [];
    for (let count = 0; count < members; count++) {
      const email = `${name}${count}@example.com`;
      const account = { email, passwordHash: null, role: "user", planId: "free" } as const;
      people.push((await store().createAccount(account)).id);
    }
    const [owner = "", ...others] = people;
    const team = await store().teams.create({ name, planId: "roomy", ownerId: owner });
    for (const id of others) await store().teams.addMember(team.id, id, "member");
    return { team, people };
  }

  const keyOf = async (team: Team, memberId: string | null): Promise<string> => {
    const permissions = { name: "test", models: null, operations: null, expiresAt: null };
    return (await createKey(store(), systemClock, team, permissions, memberId)).text;
  };

  const ask = async (replica: number, key: string) => {
    const response = await postChat(replicas[replica % 3]?.url ?? "", key, { ...question, max_tokens: 8 });
    return { status: response.status, text: await response.text() };
  };

  it("admit exactly a team's 600 requests over 50 keys, and count them once", async () => {
    const { team, people } = await teamWith(10, "Research");
    await store().teams.change(team.id, { quotas: { ...noQuotas, requestsPerDay: 600 } });
    const keys = await Promise.all(
      // Four keys of each member, and ten service keys.
      Array.from({ length: 50 }, (_, index) => keyOf(team, index < 40 ? (people[index % 10] ?? null) : null)),
    );
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    for (let sent = 0; sent < 900; sent += 150) {
      const batch = Array.from({ length: 150 }, (_, index) => {
        const number = sent + index;
        return ask(number, keys[number % keys.length] ?? "");
      });
      answers.push(...(await Promise.all(batch)));
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    for (const { text } of refused) expect(text).toContain("600 requests per day on the team 'Research'");
    await eventually(async () => {
      for (const { app } of replicas) await app.dashboard.usage.flush();
      return (await store().quotas.used(team.id, null, "20")).requests === 600;
    });
    expect(await store().quotas.used(team.id, null, "20")).toMatchObject({ requests: 600 });
  }, 180_000);

  it("hold a member's limit within the team's, whichever of the member's keys is used", async () => {
    const { team, people } = await teamWith(2, "Shared");
    const [, member = ""] = people;
    await store().teams.setLimits(team.id, member, { ...noKeyLimits, requestsPerDay: 20 });
    const keys = await Promise.all([keyOf(team, member), keyOf(team, member), keyOf(team, member)]);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => ask(index, keys[index % 3] ?? "")),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect((await ask(0, await keyOf(team, null))).status).toBe(200);
  });

  it("refuse the keys of a member who left within two seconds, everywhere", async () => {
    const { team, people } = await teamWith(2, "Leaving");
    const [, member = ""] = people;
    const key = await keyOf(team, member);
    for (const replica of [0, 1, 2]) expect((await ask(replica, key)).status).toBe(200);
    await store().teams.removeMember(team.id, member, new Date());
    for (const replica of [0, 1, 2]) {
      await eventually(async () => (await ask(replica, key)).status === 401, 2_000);
    }
  });
});
