import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.js";
import type { SottoProcess } from "../support/processes/sotto-process.js";
import { startTinySotto } from "../support/processes/tiny-sotto.js";
import { eventually } from "../support/eventually.js";
import { violations } from "./support/axe.js";
import { openPage } from "./support/visit.js";

let sotto: SottoProcess;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [sotto, browser] = await Promise.all([startTinySotto(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await sotto.stop();
});
beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: "reduce" });
});
afterEach(() => context.close());

describe("the page Verify", () => {
  it("is green for its own service, remembers it, and is red when its history was rewritten", async () => {
    const { page, faults } = await openPage(context, sotto.url);
    await page.goto(`${sotto.url}/verify`);
    await page.getByText("This was the first check in this browser").waitFor();
    // The hash of the weights may have come since.
    await eventually(async () => {
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByText("Since your last check").waitFor();
      return page.getByText("Nothing changed.").isVisible();
    });
    expect(await violations(page)).toEqual([]);
    // What someone who restored an older log, or wrote another one, would serve.
    await page.evaluate(() => {
      const stored = localStorage.getItem("sotto-verify") ?? "";
      localStorage.setItem("sotto-verify", stored.replace(/"root":"[0-9a-f]{8}/, '"root":"00000000'));
    });
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("alert").getByText("its history was rewritten").waitFor();
    await page.getByText("Refused").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Pin anew" }).click();
    await page.getByText("This was the first check in this browser").waitFor();
    expect(faults).toEqual([]);
  });

  it("says what is no service of this kind", async () => {
    const { page } = await openPage(context, sotto.url);
    await page.goto(`${sotto.url}/verify`);
    await page.getByText("Verified").waitFor();
    await page.getByLabel("Address of the service").fill(`${sotto.url}/nowhere`);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("It could not be checked").waitFor();
  });
});

describe("the transparency log", () => {
  it("tells its history in words, and the page Privacy how it stands", async () => {
    const { page, faults } = await openPage(context, sotto.url);
    await page.goto(`${sotto.url}/transparency`);
    await page.getByText(/^The log begins with version/).waitFor();
    await page.getByLabel("Show renewals and daily keys, too").check();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${sotto.url}/docs/privacy`);
    await page.getByText("This service’s signed statement holds").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
