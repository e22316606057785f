import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.js";
import { startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import { newDataDir } from "../support/processes/sotto-process.js";
import { writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { violations } from "./support/axe.js";
import { accountOpenings } from "./support/openings-account.js";
import { adminOpenings } from "./support/openings-admin.js";
import { securityOpenings } from "./support/openings-security.js";
import { teamOpenings } from "./support/openings-teams.js";
import { load, moveTo } from "./support/pages.js";
import { openPage, password } from "./support/visit.js";

const openings = [...accountOpenings, ...securityOpenings, ...teamOpenings, ...adminOpenings];
const hourMs = 60 * 60_000;
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

/** Something to open: keys, accounts, a plan that nobody has, an entry, a planned window. */
async function furnish(dashboard: TestDashboard): Promise<void> {
  const operator = await dashboard.setUp();
  for (const name of ["My program", "Old program"]) {
    await operator.post("/api/keys", { name, models: null, expiresInDays: 30, limits: null });
  }
  await operator.must("PUT", "/api/admin/plans/team", {
    ...{ name: "Team", requestsPerMinute: 60, tokensPerMinute: 60_000, concurrentRequests: 4, maxKeys: 10 },
    ...{ maxTokens: null, models: ["omega"] },
  });
  const ada = await dashboard.signUp("ada@example.com");
  await ada.post("/api/keys", { name: "Ada's", models: null, expiresInDays: 30, limits: null });
  const eve = await dashboard.signUp("eve@example.com");
  const { account } = await eve.get<{ account: { id: string } }>("/api/me");
  await operator.post(`/api/admin/accounts/${account.id}/suspend`);
  await operator.post("/api/admin/invites", { email: "invited@example.com", planId: "team" });
  await operator.post("/api/admin/changelog", { title: "Faster replies", body: "By **a lot**." });
  const at = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();
  const window = { title: "New disks", body: "", startsAt: at(30), endsAt: at(31) };
  await operator.post("/api/admin/maintenance", window);
  const weights = join(newDataDir(), "own.gguf");
  writeTinyGguf(weights);
  await operator.post("/api/admin/models/prism/weights", { file: weights });
  const provider = { name: "Office login", issuer: "https://login.example.com", clientId: "sotto" };
  await operator.must("PUT", "/api/admin/providers/office", provider);
  const me = await operator.get<{ account: { id: string } }>("/api/me");
  const identity = { issuer: provider.issuer, subject: "operator" };
  await dashboard.app.store.singleSignOn.link(me.account.id, "office", identity, new Date());
  const office = { name: "Office", planId: "free", ownerEmail: "operator@example.com" };
  const { team } = await operator.post<{ team: { id: string } }>("/api/admin/teams", office);
  const { account: member } = await ada.get<{ account: { id: string } }>("/api/me");
  await operator.must("PUT", `/api/admin/teams/${team.id}/members/${member.id}`, { role: "member" });
  await operator.post(`/api/teams/${team.id}/invites`, {});
  // Nobody listens at these.
  await operator.post("/api/admin/webhooks", { url: "http://127.0.0.1:1/hook", events: null });
  await operator.post("/api/admin/pulls", { reference: "hf:acme/tiny-GGUF" });
}

it("knows every file in which something opens over a page", () => {
  const opens = /<(?:(?:Confirm|Form|Invitation)?Dialog|Menu)\b|<Radix\.Root\b/;
  const files = readdirSync("web", { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?:pages|layouts|find)\b.*\.tsx$/.test(file))
    .filter((file) => opens.test(readFileSync(join("web", file), "utf8")));
  expect(files.length).toBeGreaterThan(0);
  const known = new Set(openings.map(({ file }) => file));
  expect(files.filter((file) => !known.has(file))).toEqual([]);
});

describe("while it is open, in light and in dark,", () => {
  let dashboard: TestDashboard;
  const pages = new Map<keyof typeof sizes, Awaited<ReturnType<typeof openPage>>>();

  beforeAll(async () => {
    dashboard = await startDashboard({
      webDir: "dist/web",
      env: { SOTTO_HF_ENDPOINT: "http://127.0.0.1:1" },
    });
    await furnish(dashboard);
    for (const size of ["desk", "phone"] as const) {
      const context = await browser.newContext({
        ...{ colorScheme: "light", reducedMotion: "reduce", viewport: sizes[size] },
      });
      context.setDefaultTimeout(60_000);
      const data = { email: "operator@example.com", password };
      await context.request.post(`${dashboard.url}/api/sign-in`, {
        data,
        headers: { origin: dashboard.url },
      });
      const opened = await openPage(context, dashboard.url);
      await load(opened.page, `${dashboard.url}/app`);
      pages.set(size, opened);
    }
  });
  afterAll(async () => {
    for (const { page } of pages.values()) await page.context().close();
    await dashboard.close();
  });

  it.each(openings)("$name has no accessibility violations", async (opening) => {
    const size = pages.get(opening.phone === true ? "phone" : "desk");
    if (size === undefined) throw new Error("no browser of that size");
    const { page, faults } = size;
    // However long the others took, nothing asks again who it is.
    const headers = { origin: dashboard.url };
    await page.request.post(`${dashboard.url}/api/me/confirm`, { data: { password }, headers });
    await page.unrouteAll();
    await moveTo(page, opening.path);
    let looks = 0;
    await opening.open(page, async () => {
      looks += 1;
      expect(await violations(page)).toEqual([]);
    });
    expect(looks).toBeGreaterThan(0);
    expect(faults.splice(0)).toEqual([]);
  });
});
