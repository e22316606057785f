/** What a service of this version must find in the data of an earlier one (test/fixtures). */
import { expect } from "vitest";
import type { UsageReport } from "../../../src/core/usage/usage-views.js";
import type { Me } from "../../../src/protocol/dashboard/api.js";
import type { TeamPage } from "../../../src/protocol/dashboard/teams.js";
import { PhoneApp } from "../../support/clients/factors.js";
import { FakeClock } from "../../support/inputs/fake-clock.js";
import { Browser, startDashboard, type TestDashboard } from "../../support/processes/dashboard-server.js";
import { readExpected } from "../../support/stores/upgrade-fixture.js";

const dayMs = 24 * 60 * 60_000;

export async function expectEverything(version: string, env: Record<string, string>): Promise<void> {
  const expected = readExpected(version);
  const clock = new FakeClock(expected.now);
  const dashboard = await startDashboard({ clock, env: { SOTTO_SECRET_KEY: expected.secretKey, ...env } });
  try {
    const { store } = dashboard.app;
    for (const { email, role, planId, totpSecret, keys, usage } of expected.accounts) {
      const browser = await signIn(dashboard, email, expected.password, totpSecret, clock);
      expect((await browser.get<Me>("/api/me")).account).toMatchObject({ email, role });
      expect(await store.accounts.findCredentials(email)).toMatchObject({ account: { planId } });
      expect(await usageAt(browser, "/api/usage", expected.now)).toMatchObject(usage);
      for (const { secret, status } of keys) expect(await statusOf(dashboard.url, secret)).toBe(status);
    }
    const { team, plan, quotaUsed } = expected;
    const owner = await signIn(dashboard, team.members[0] ?? "", expected.password, null, clock);
    const page = await owner.get<TeamPage>(`/api/teams/${team.id}`);
    expect(page.name).toBe(team.name);
    expect(page.members.map(({ email }) => email).sort()).toEqual([...team.members].sort());
    expect(await usageAt(owner, `/api/teams/${team.id}/usage`, expected.now)).toMatchObject(team.usage);
    expect(await store.findPlan(plan.id)).toMatchObject(plan);
    const { account } = await owner.get<Me>("/api/me");
    expect(await store.quotas.used(account.id, null, expected.now.toISOString().slice(0, 10))).toEqual(
      quotaUsed,
    );
    expect(await store.webhooks.list()).toHaveLength(expected.webhooks);
    expect((await store.news.listItems(10)).map(({ title }) => title)).toEqual(expected.changelog);
  } finally {
    await dashboard.close();
  }
}

async function signIn(
  { url }: TestDashboard,
  email: string,
  password: string,
  totpSecret: string | null,
  clock: FakeClock,
): Promise<Browser> {
  const browser = new Browser(url);
  await browser.post("/api/sign-in", { email, password });
  if (totpSecret !== null)
    await browser.post("/api/sign-in/second-factor", { code: new PhoneApp(totpSecret, clock).code() });
  return browser;
}

async function usageAt(browser: Browser, path: string, now: Date): Promise<UsageReport["totals"]> {
  const [from, to] = [-30, 1].map((days) => new Date(now.getTime() + days * dayMs).toISOString());
  return (await browser.get<UsageReport>(`${path}?from=${from}&to=${to}&step=day`)).totals;
}

async function statusOf(url: string, secret: string): Promise<number> {
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  await response.arrayBuffer();
  return response.status;
}
