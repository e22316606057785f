import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { newApiCaller, type ApiCaller } from "../../support/clients/api-caller.js";
import {
  password,
  startDashboard,
  type Browser,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";
import { eventually } from "../../support/eventually.js";
import { TestPostgres } from "../../support/stores/postgres.js";

let postgres: TestPostgres;
let database: string;
let clock: FakeClock;
let service: TestDashboard;
let caller: ApiCaller;
let ada: Browser;

beforeAll(async () => {
  postgres = await TestPostgres.start();
});
afterAll(() => postgres.dispose());

beforeEach(async () => {
  database = await postgres.createDatabase();
  clock = new FakeClock(new Date());
  service = await startDashboard({ env: { SOTTO_DATABASE_URL: postgres.url(database) }, clock });
  caller = await newApiCaller(service.app.store, "caller@example.com");
  ada = await service.signUp("ada@example.com");
});
afterEach(async () => {
  await service.close();
  await postgres.stop();
  await postgres.start();
  await postgres.dropDatabase(database);
});

const ends = [
  ["stopped", () => postgres.stop()],
  ["killed", () => postgres.kill()],
] as const;

describe.each(ends)("when Postgres is %s", (_how, end) => {
  it("known keys go on for 60 s, then get 503 and never 401; all recovers without a restart", async () => {
    expect(await caller.ask(service.url)).toBe(200);
    const stranger = await newApiCaller(service.app.store, "stranger@example.com");
    await end();
    expect(await caller.ask(service.url)).toBe(200);
    clock.advance(58_000);
    expect(await caller.ask(service.url)).toBe(200);
    clock.advance(2_000);
    expect(await caller.ask(service.url)).toBe(503);
    expect(await stranger.ask(service.url)).toBe(503);

    await postgres.start();
    await eventually(async () => (await caller.ask(service.url)) === 200);
    expect(await stranger.ask(service.url)).toBe(200);
  });

  it("says so on /readyz once no key works any more, and stays alive", async () => {
    const readiness = async () => {
      const response = await fetch(`${service.url}/readyz`);
      return { status: response.status, body: await response.json() };
    };
    expect(await caller.ask(service.url)).toBe(200);
    await end();
    await eventually(() => service.log().includes('"database unavailable"'));
    clock.advance(58_000);
    expect([await caller.ask(service.url), (await readiness()).status]).toEqual([200, 200]);
    clock.advance(2_000);
    expect(await caller.ask(service.url)).toBe(503);
    expect(await readiness()).toMatchObject({
      status: 503,
      body: { status: "unavailable", reason: "database_unreachable", models: { omega: "ready" } },
    });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);

    await postgres.start();
    await eventually(async () => (await readiness()).status === 200);
    expect(await caller.ask(service.url)).toBe(200);
  });

  it("the dashboard says that it is unavailable, and works again afterwards", async () => {
    await end();
    const answer = await ada.send("GET", "/api/keys");
    expect(answer).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } });
    expect(answer.headers.get("retry-after")).toBe("5");
    const signIn = await service
      .browser()
      .send("POST", "/api/sign-in", { email: "ada@example.com", password });
    expect(signIn.status).toBe(503);
    expect((await service.browser().send("GET", "/api/status")).json).toMatchObject({
      parts: [
        { name: "Accounts and keys", state: "down" },
        { name: "Limits", state: "up" },
      ],
    });
    await eventually(() => service.log().includes('"database unavailable"'));
    expect(service.log()).not.toContain("unexpected error");

    await postgres.start();
    await eventually(async () => (await ada.send("GET", "/api/keys")).status === 200);
    await eventually(() => service.log().includes('"database recovered"'));
    expect(service.log().match(/"database unavailable"/g)).toHaveLength(1);
  });

  it("usage during the outage is counted once it has recovered", async () => {
    expect(await caller.ask(service.url)).toBe(200);
    await service.app.dashboard.usage.flush();
    await end();
    expect(await caller.ask(service.url)).toBe(200);
    await service.app.dashboard.usage.flush();
    await service.app.keys.flush();
    await postgres.start();

    const { accountId, id } = caller.key;
    const now = clock.now().getTime();
    const period = { accountId, from: new Date(now - 86_400_000), to: new Date(now + 86_400_000) };
    const counted = await eventually(async () => {
      await service.app.dashboard.usage.flush();
      const rows = await service.app.store.usage.readByKey(period).catch(() => []);
      return rows[0]?.requests === 2 && rows[0];
    });
    expect(counted).toMatchObject({ keyId: id, refused: 0 });
    await service.app.keys.flush();
    // Of the last use only the day is kept.
    const today = new Date(clock.now().toISOString().slice(0, 10));
    expect((await service.app.store.findKey(id))?.lastUsedAt).toEqual(today);
  });
});
