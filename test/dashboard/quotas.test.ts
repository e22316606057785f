/** Quotas on a whole service: refusals, headers, the dashboard, mails, restarts. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noQuotas, type Quotas } from "../../src/core/entities.js";
import { rotateKey } from "../../src/core/keys/issue-keys.js";
import { keyHash } from "../../src/core/keys/key-format.js";
import type { MonthView } from "../../src/core/limits/month-use.js";
import type { KeyWithSecret, LimitsNow, Me, PlanMonths, PlanView } from "../../src/protocol/dashboard/api.js";
import { postChat } from "../support/clients/post-chat.js";
import { type SmtpServer, startSmtpServer } from "../support/clients/smtp-server.js";
import { eventually } from "../support/eventually.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import { type Browser, startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";

let service: TestDashboard;
let smtp: SmtpServer;
let clock: FakeClock;
let dataDir: string;

const start = async () => {
  service = await startDashboard({
    clock,
    env: {
      SOTTO_DATA_DIR: dataDir,
      SOTTO_SMTP_URL: smtp.url,
      SOTTO_MAIL_FROM: "Acme <chat@example.com>",
      SOTTO_PUBLIC_URL: "https://chat.example.com",
      SOTTO_QUOTA_TIMEZONE: "Europe/Berlin",
      SOTTO_METRICS_TOKEN: "metrics-token-of-a-test",
    },
  });
};
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sotto-quotas-"));
  smtp = await startSmtpServer();
  // A winter's day in Berlin ends at 23:00 UTC.
  clock = new FakeClock(new Date("2030-01-15T12:00:00Z"));
  await start();
});
afterEach(async () => {
  await service.close();
  await smtp.close();
  await rm(dataDir, { recursive: true, force: true });
});

const setQuotas = async (quotas: Partial<Quotas>): Promise<void> => {
  const plan = await service.app.store.findPlan("free");
  if (plan === null) throw new Error("there is no plan");
  await service.app.store.putPlan({ ...plan, ...noQuotas, ...quotas });
};

const newKey = async (browser: Browser, limits: Partial<KeyWithSecret["key"]["limits"]> = {}) => {
  const own = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null, ...limits };
  const body = { name: "test", models: null, expiresInDays: null, limits: own };
  return (await browser.post<KeyWithSecret>("/api/keys", body)).secret;
};

/** Uses 9 tokens: 5 of the prompt, 4 of the reply. */
const ask = (key: string, maxTokens = 5) =>
  postChat(service.url, key, {
    messages: [{ role: "user", content: "What is two plus two?" }],
    max_tokens: maxTokens,
  });

describe("a quota of the plan", () => {
  it("refuses with the limit and its reset, and shows the remainder in headers, on the limits page and in metrics", async () => {
    await setQuotas({ tokensPerDay: 20, requestsPerMonth: 3 });
    const ada = await service.signUp("ada@example.com");
    const key = await newKey(ada);
    const first = await ask(key);
    expect(first.status).toBe(200);
    const shown = (response: Response, kind: string) =>
      ["limit", "remaining", "reset"].map((name) => response.headers.get(`x-ratelimit-${name}-${kind}`));
    expect(shown(first, "tokens-day")).toEqual(["20", "10", "11h0m0s"]);
    expect(shown(first, "requests-month")).toEqual(["3", "2", "395h0m0s"]);
    expect(shown(first, "tokens-month")).toEqual([null, null, null]);
    expect((await ask(key)).status).toBe(200);

    const refused = await ask(key);
    expect(refused.status).toBe(429);
    // Eleven hours: a client that retries within the minute retries in vain.
    expect(refused.headers.get("retry-after")).toBe("39600");
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(shown(refused, "tokens-day")).toEqual(["20", "2", "11h0m0s"]);
    expect(await refused.json()).toMatchObject({
      error: {
        type: "rate_limit_error",
        code: "rate_limit_exceeded",
        message:
          "This request does not fit in what is left: it needs up to 10 tokens, and 2 of 20 tokens per day on the plan 'Free' are left. Ask for a shorter reply, or try again after the reset at 2030-01-15T23:00:00Z.",
      },
    });
    const { quotas } = await ada.get<LimitsNow>("/api/limits");
    expect(quotas).toEqual([
      { kind: "tokens", period: "day", limit: 20, remaining: 2, resetsAt: "2030-01-15T23:00:00.000Z" },
      { kind: "requests", period: "month", limit: 3, remaining: 1, resetsAt: "2030-01-31T23:00:00.000Z" },
    ]);
    const metrics = await fetch(`${service.url}/metrics`, {
      headers: { authorization: "Bearer metrics-token-of-a-test" },
    });
    expect(await metrics.text()).toContain(
      'sotto_limit_refusals_total{limit="tokens_per_day",scope="account"} 1',
    );

    clock.advance(11 * 3_600_000);
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).status).toBe(429);
  });

  it("does not count lists of models, and lets them pass when it is used up", async () => {
    await setQuotas({ requestsPerDay: 1 });
    const key = await newKey(await service.signUp("ada@example.com"));
    const models = () => fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    for (let count = 0; count < 3; count++) expect((await models()).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).status).toBe(429);
    expect((await models()).status).toBe(200);
  });

  it("holds after a restart", async () => {
    await setQuotas({ requestsPerDay: 3 });
    const key = await newKey(await service.signUp("ada@example.com"));
    for (let count = 0; count < 2; count++) expect((await ask(key)).status).toBe(200);
    await service.app.close();
    await start();
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).status).toBe(429);
  });

  it("counts the playground too", async () => {
    await setQuotas({ requestsPerDay: 2 });
    const ada = await service.signUp("ada@example.com");
    const key = await newKey(ada);
    const body = { model: "omega", messages: [{ role: "user", content: "Hello" }], stream: true };
    expect((await ada.send("POST", "/api/playground", body)).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
    expect((await ada.send("POST", "/api/playground", body)).status).toBe(429);
  });
});

it("counts a rotated key and those that replace it together, in the grace period and after a restart", async () => {
  const ada = await service.signUp("ada@example.com");
  const first = await newKey(ada, { requestsPerDay: 3 });
  expect((await ask(first)).status).toBe(200);
  const { account } = (await service.app.store.findKeyByHash(keyHash(first) ?? new Uint8Array())) ?? {};
  const rotate = async () => {
    const keys = await service.app.store.listKeys(account?.id ?? "");
    const current = keys.find(({ revokedAt }) => revokedAt === null);
    return (await rotateKey(service.app.store, clock, current?.id ?? "")).text;
  };
  const second = await rotate();
  expect((await ask(second)).status).toBe(200);
  const third = await rotate();
  expect((await ask(first)).status).toBe(200);
  const statuses = () => Promise.all([first, second, third].map(async (key) => (await ask(key)).status));
  expect(await statuses()).toEqual([429, 429, 429]);
  await service.app.close();
  await start();
  expect(await statuses()).toEqual([429, 429, 429]);
  clock.advance(12 * 3_600_000);
  expect([(await ask(third)).status, (await ask(first)).status]).toEqual([200, 200]);
});

it("a quota of a key holds below the plan's", async () => {
  await setQuotas({ requestsPerDay: 3 });
  const ada = await service.signUp("ada@example.com");
  const [small, other] = [await newKey(ada, { requestsPerDay: 1 }), await newKey(ada)];
  expect((await ask(small)).status).toBe(200);
  const refused = await ask(small);
  expect(await refused.json()).toMatchObject({
    error: { message: "Quota reached: 1 request per day on this key. It resets at 2030-01-15T23:00:00Z." },
  });
  expect(refused.headers.get("x-ratelimit-limit-requests-day")).toBe("1");
  expect([(await ask(other)).status, (await ask(other)).status]).toEqual([200, 200]);
  expect((await ask(other)).status).toBe(429);
});

describe("the month", () => {
  it("is shown against the quotas with a forecast, to its owner and to admins by account and by plan", async () => {
    await setQuotas({ tokensPerMonth: 100 });
    const operator = await service.setUp();
    const ada = await service.signUp("ada@example.com");
    const { account } = await ada.get<Me>("/api/me");
    const key = await newKey(ada);
    clock.advance(-36 * 3_600_000);
    await ask(key);
    clock.advance(36 * 3_600_000);
    await ask(key);
    // 18 tokens in a day and 13 hours, since the midnight in Berlin before the first; 16 days and 11 hours are left.
    const month = await ada.get<MonthView>("/api/usage/month");
    expect(month).toMatchObject({
      startsAt: "2029-12-31T23:00:00.000Z",
      endsAt: "2030-01-31T23:00:00.000Z",
      requests: { used: 2, limit: null, mostUsedAt: null, usedUpAt: null },
      tokens: { used: 18, limit: 100 },
    });
    const rate = 18 / (1 + 13 / 24);
    expect(month.tokens.forecast).toBe(Math.round(18 + rate * (16 + 11 / 24)));
    const after = (tokens: number) =>
      new Date(clock.now().getTime() + (tokens / rate) * 24 * 3_600_000).getTime();
    expect(Date.parse(month.tokens.mostUsedAt ?? "")).toBeCloseTo(after(80 - 18), -1);
    expect(Date.parse(month.tokens.usedUpAt ?? "")).toBeCloseTo(after(100 - 18), -1);
    expect(await operator.get(`/api/admin/accounts/${account.id}/month`)).toEqual(month);
    const { plans } = await operator.get<PlanMonths>("/api/admin/plans/month");
    expect(plans).toMatchObject([
      { planId: "free", requests: { used: 2, limit: null }, tokens: { used: 18, limit: 200 } },
    ]);
  });
});

describe("mails about a quota", () => {
  const subjectOf = (mail: string) => /^Subject: (.*)\r$/m.exec(mail)?.[1] ?? "";
  /** Without the one that asks to verify the address. */
  const mails = () => smtp.mails.filter((mail) => !subjectOf(mail).startsWith("Verify"));
  const subjects = () => mails().map(subjectOf);

  it("are sent at 80 % and when it is used up, once for each window, also after a restart", async () => {
    await setQuotas({ requestsPerDay: 5 });
    const key = await newKey(await service.signUp("ada@example.com"));
    for (let count = 0; count < 3; count++) await ask(key);
    await ask(key);
    const mail = await eventually(() => mails()[0]);
    expect(mail).toMatch(/^To: ada@example\.com\r$/m);
    expect(mail.replaceAll("=\r\n", "").replaceAll("\r\n", " ")).toContain(
      "Your account has used 4 of 5 requests per day, the limit on the plan 'Free'.",
    );
    expect(mail).toContain("2030-01-15 23:00 UTC");
    expect(mail).toContain("https://chat.example.com/app/limits");
    await service.app.close();
    await start();
    await ask(key);
    expect((await ask(key)).status).toBe(429);
    await eventually(() => mails().length === 2);
    for (let count = 0; count < 3; count++) await ask(key);
    await service.app.close();
    expect(subjects()).toEqual([
      expect.stringContaining("80% of a quota of requests is used"),
      expect.stringContaining("a quota of requests is used up"),
    ]);
    await start();
    clock.advance(12 * 3_600_000);
    for (let count = 0; count < 4; count++) await ask(key);
    await eventually(() => mails().length === 3);
  });

  it("say when a quota of the month will be used up", async () => {
    await setQuotas({ requestsPerMonth: 5 });
    const key = await newKey(await service.signUp("ada@example.com"));
    for (let count = 0; count < 4; count++) await ask(key);
    const mail = await eventually(() => mails()[0]);
    expect(mail.replaceAll("=\r\n", "").replaceAll("\r\n", " ")).toContain(
      "At the rate of the last seven days it is used up on 2030-01-15. Once it is used up,",
    );
  });

  it("are sent again when the mail server has refused them", async () => {
    smtp.refuses = true;
    await setQuotas({ requestsPerDay: 5 });
    const key = await newKey(await service.signUp("ada@example.com"));
    for (let count = 0; count < 4; count++) await ask(key);
    await eventually(() => smtp.refusals > 0);
    expect(mails()).toEqual([]);
    smtp.refuses = false;
    // What waits for its next try has its last one when the server stops.
    await service.app.dashboard.outbox.close();
    expect(subjects()).toEqual([expect.stringContaining("80% of a quota of requests is used")]);
  });

  it("depend on actual usage, not on reservations", async () => {
    await setQuotas({ tokensPerDay: 100 });
    const key = await newKey(await service.signUp("ada@example.com"));
    // Reserves 85, uses 9.
    expect((await ask(key, 80)).status).toBe(200);
    expect((await ask(key, 95)).status).toBe(429);
    await service.app.dashboard.outbox.close();
    expect(mails()).toEqual([]);
  });
});

describe("the operator", () => {
  it("sets quotas of a plan, and takes them away", async () => {
    const operator = await service.setUp();
    const plan = {
      name: "Team",
      requestsPerMinute: 60,
      tokensPerMinute: 60_000,
      concurrentRequests: 4,
      maxKeys: 10,
      maxTokens: null,
      models: null,
    };
    const path = "/api/admin/plans/team";
    const quotas = { ...noQuotas, tokensPerDay: 5_000_000_000, requestsPerMonth: 70 };
    expect(await operator.must<PlanView>("PUT", path, { ...plan, ...quotas })).toMatchObject(quotas);
    expect(await service.app.store.findPlan("team")).toMatchObject(quotas);
    expect(await operator.must<PlanView>("PUT", path, plan)).toMatchObject(noQuotas);
    const wrong = await operator.send("PUT", path, { ...plan, tokensPerDay: 0 });
    expect([wrong.status, wrong.json]).toMatchObject([400, { error: { field: "tokensPerDay" } }]);
  });
});
