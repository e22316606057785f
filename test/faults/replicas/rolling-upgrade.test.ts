/**
 * A rolling upgrade: the version before and this one beside each other on one Postgres and one Redis, which this one
 * migrates while the other is running.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noKeyLimits } from "../../../src/core/entities.js";
import type { UsageReport } from "../../../src/core/usage/usage-views.js";
import type { KeyWithSecret, Me } from "../../../src/protocol/dashboard/api.js";
import { question } from "../../support/clients/chat.js";
import { startScriptedUpstream, type ScriptedUpstream } from "../../support/engines/scripted-upstream.js";
import { eventually } from "../../support/eventually.js";
import {
  Browser,
  password,
  startDashboard,
  type TestDashboard,
} from "../../support/processes/dashboard-server.js";
import {
  checkOutPreviousVersion,
  commits,
  noHistory,
  type PreviousVersion,
} from "../../support/processes/previous-version.js";
import { startSotto, type SottoProcess } from "../../support/processes/sotto-process.js";
import { TestPostgres } from "../../support/stores/postgres.js";
import { noRedis, TestRedis } from "../../support/stores/redis.js";

describe.skipIf(noRedis || noHistory)("the version before and this one", () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let upstream: ScriptedUpstream;
  let previous: PreviousVersion;
  let env: Record<string, string>;
  let old: SottoProcess;
  let current: TestDashboard | undefined;

  beforeAll(async () => {
    [postgres, redis, upstream] = await Promise.all([
      TestPostgres.start(),
      TestRedis.start(),
      startScriptedUpstream(),
    ]);
    previous = checkOutPreviousVersion(commits.beforeFactors);
    const engines = JSON.stringify([{ url: upstream.url, profile: "vllm" }]);
    env = {
      SOTTO_DATABASE_URL: postgres.url(await postgres.createDatabase()),
      SOTTO_REDIS_URL: redis.url,
      SOTTO_LIMIT_REQUESTS_PER_MINUTE: "100000",
      SOTTO_LIMIT_TOKENS_PER_MINUTE: "100000000",
    };
    const models = {
      SOTTO_MODELS_OMEGA_UPSTREAMS: engines,
      SOTTO_MODELS_PRISM_UPSTREAMS: engines,
      SOTTO_MODELS_LAMBDA_UPSTREAMS: engines,
    };
    old = await startSotto({ env: { ...env, ...models }, program: previous.program });
  });
  afterAll(async () => {
    await old.stop();
    await current?.close();
    previous.remove();
    await upstream.close();
    await redis.kill();
    await postgres.dispose();
  });

  /** The same browser at the other replica, as behind a load balancer. */
  const at = (url: string, browser: Browser): Browser => {
    const moved = new Browser(url);
    for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
    return moved;
  };
  const newKey = (browser: Browser, path = "/api/keys", more: object = {}) =>
    browser.post<KeyWithSecret>(path, { name: "k", models: null, expiresInDays: null, ...more });
  const send = async (url: string, secret: string, path: string, body?: object): Promise<number> => {
    const response = await fetch(`${url}/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const refuses = (url: string, secret: string) =>
    eventually(async () => (await send(url, secret, "models")) === 401);

  it("serve the same people, keys, limits and usage, until the old one is stopped", async () => {
    const ada = new Browser(old.url);
    await ada.must("POST", "/api/sign-up", { email: "ada@example.com", password });
    const first = await newKey(ada);
    let replies = 0;
    const ask = async (url: string, secret: string) => {
      const status = await send(url, secret, "chat/completions", question);
      if (status === 200) replies += 1;
      return status;
    };
    for (let count = 0; count < 3; count++) expect(await ask(old.url, first.secret)).toBe(200);

    current = await startDashboard({ env });
    const urls = [old.url, current.url];
    const both = { old: ada, current: at(current.url, ada) };
    const bob = await current.signUp("bob@example.com");
    expect((await both.current.get<Me>("/api/me")).account.email).toBe("ada@example.com");
    expect((await at(old.url, bob).get<Me>("/api/me")).account.email).toBe("bob@example.com");

    const second = await newKey(both.current);
    const third = await newKey(both.old);
    for (const url of urls)
      for (const { secret } of [first, second, third]) expect(await ask(url, secret)).toBe(200);

    const limits = { ...noKeyLimits, requestsPerMinute: 40 };
    const limited = await newKey(both.current, "/api/keys", { limits });
    const admitted = await Promise.all(
      Array.from({ length: 80 }, (_, count) => send(urls[count % 2] ?? "", limited.secret, "models")),
    );
    expect(admitted.filter((status) => status === 200)).toHaveLength(40);

    // What only this version knows is an account like any other to the one before.
    const { id } = (await both.current.get<Me>("/api/me")).account;
    const team = await current.app.store.teams.create({ name: "Research", planId: "free", ownerId: id });
    const service = await newKey(both.current, `/api/teams/${team.id}/keys`, { isService: true });
    for (const url of urls) expect(await send(url, service.secret, "models")).toBe(200);
    await current.app.store.teams.setSuspended(team.id, new Date());
    for (const url of urls) await refuses(url, service.secret);

    await both.current.post(`/api/keys/${second.key.id}/revoke`);
    await both.old.post(`/api/keys/${third.key.id}/revoke`);
    for (const url of urls) for (const { secret } of [second, third]) await refuses(url, secret);

    const [from, to] = [-7_200_000, 7_200_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const used = async (browser: Browser) =>
      (await browser.get<UsageReport>(`/api/usage?from=${from}&to=${to}&step=hour`)).totals;
    for (const browser of [both.old, both.current])
      await eventually(async () => (await used(browser)).requests === replies);
    expect(await used(both.old)).toEqual(await used(both.current));

    await at(current.url, bob).post("/api/sign-out");
    expect((await at(old.url, bob).send("GET", "/api/me")).status).toBe(401);
    expect(await old.stop()).toBe(0);
    expect(await ask(current.url, first.secret)).toBe(200);
    await eventually(async () => (await used(both.current)).requests === replies);
    expect((await both.current.get<Me>("/api/me")).account.id).toBe(id);
  });

  it("do not start in the other order: the one before says that the database is newer", async () => {
    await expect(startSotto({ env, program: previous.program })).rejects.toThrow(
      /by a newer version of Sotto/,
    );
  });
});
