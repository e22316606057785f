/** Reading figures and times: what is under the pointer, which zone a time is in, and nothing that moves on the way. */
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { violations } from "../support/axe.js";
import { Keyboard } from "../support/keyboard.js";
import { setStage } from "../support/stage.js";
import { openPage, returningContext } from "../support/visit.js";

const keyCount = 12;
const hourMs = 60 * 60_000;

let context: BrowserContext;
let page: Page;
let faults: string[];

const stage = setStage(async (dashboard) => {
  const operator = await dashboard.setUp();
  const { account } = await operator.get<{ account: { id: string } }>("/api/me");
  for (let place = 1; place <= keyCount; place++) {
    const body = { name: `Program ${place}`, models: null, expiresInDays: null };
    const { key } = await operator.post<{ key: { id: string } }>("/api/keys", body);
    for (let request = 0; request < place; request++) {
      dashboard.app.dashboard.usage.record({
        ...{ accountId: account.id, keyId: key.id, model: "omega", outcome: "ok" },
        ...{ promptTokens: 1_000, completionTokens: 500, firstTokenMs: 120 },
      });
    }
  }
  await stage.dashboard.app.dashboard.usage.flush();
  const at = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();
  const window = { title: "New disks", body: "", startsAt: at(2), endsAt: at(3) };
  await operator.post("/api/admin/maintenance", window);
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

async function open(path: string, width = 1440): Promise<void> {
  // The plotting library needs a language that Intl knows.
  const options = { locale: "en-US", timezoneId: "Asia/Kathmandu", viewport: { width, height: 900 } };
  context = await returningContext(stage.browser, stage.url, "operator@example.com", options);
  ({ page, faults } = await openPage(context, stage.url));
  await page.goto(stage.url + path);
  await page.locator("h1").first().waitFor();
}

const boxOf = async (part: Locator) => {
  const box = await part.boundingBox();
  if (box === null) throw new Error("it is not on the screen");
  return box;
};

describe("a chart", () => {
  it.each([390, 1440])(
    "at %i px shows the values under the pointer without a layout shift",
    async (width) => {
      await open("/app/usage?period=7d", width);
      const plot = page.getByRole("img", { name: /^Requests by hour/ });
      await plot.locator("canvas").waitFor();
      await page.evaluate(() => document.fonts.ready);
      const before = await boxOf(plot);
      const over = await boxOf(plot.locator(".u-over"));
      // The present hour is the last one.
      await page.mouse.move(over.x + over.width - 3, over.y + 60);
      const figure = plot.locator("xpath=..");
      await figure.getByText("GMT+5:45").waitFor();
      const tip = figure.getByText("Succeeded").last();
      // None when an hour has begun since.
      expect((await tip.textContent())?.replace("Succeeded", "")).toMatch(/^(?:78|0)$/);
      const shown = await boxOf(tip);
      expect(shown.x).toBeGreaterThanOrEqual(before.x - 40);
      expect(shown.x + shown.width).toBeLessThanOrEqual(width);
      expect(await boxOf(plot)).toEqual(before);
      expect(await violations(page)).toEqual([]);
    },
  );
});

describe("times", () => {
  it.each(["/status", "/app", "/changelog"])("on %s say which zone they are in", async (path) => {
    await open(path);
    await page
      .getByText(/New disks/)
      .first()
      .waitFor();
    await page
      .getByText(/\d:\d\d.* GMT\+5:45/)
      .first()
      .waitFor();
  });

  it("on the usage page's tables do too", async () => {
    await open("/app/usage");
    await page.getByText("As a table").first().click();
    await page.getByRole("columnheader", { name: "Hour (GMT+5:45)" }).first().waitFor();
  });
});

describe("the usage page", () => {
  it("lists the ten keys that were used most, all of them when asked, and leads to one key's usage", async () => {
    await open("/app/usage");
    const table = page.getByRole("table", { name: "Usage by key" });
    await expect.poll(() => table.getByRole("link").count()).toBe(10);
    const keyboard = new Keyboard(page);
    await keyboard.choose(/^Show all 12 keys$/);
    await expect.poll(() => table.getByRole("link").count()).toBe(keyCount);
    await keyboard.isOn(/^Show the first 10$/);
    await table.getByRole("link", { name: "Program 3" }).focus();
    await keyboard.press("Enter");
    await page.waitForURL(/\/app\/usage\?key=key_/);
    await expect
      .poll(() => table.getByRole("link").allTextContents())
      .toEqual([expect.stringMatching(/^Program 3 …\w{4}$/)]);
  });
});
