/** Every page at every width between a small phone and a desk, with data as long as people's data is. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pageAddresses } from "../../src/protocol/pages/page-addresses.js";
import { furnishWithLongData, operatorEmail } from "./support/long-data.js";
import { layoutErrors } from "./support/layout-faults.js";
import { setStage } from "./support/stage.js";
import { load, moveTo } from "./support/pages.js";
import { openPage, returningContext } from "./support/visit.js";

/** 640 and below also stand for a desk at 200 %; the last is a 4K screen without scaling. */
const widths = [320, 390, 640, 768, 900, 1024, 1100, 1280, 1440, 3840];

const isOpen = (path: string) => !/^\/(app|admin)\b/.test(path);
const open = [...pageAddresses.filter(isOpen), "/no-such-page"];
const signedIn = pageAddresses.filter((path) => !isOpen(path) && path !== "/admin");

/** The plotting library needs a language that Intl knows. */
const reader = { reducedMotion: "reduce", locale: "en-US" } as const;

const stage = setStage(async (dashboard) => {
  await furnishWithLongData(dashboard);
});

/** With everything unfolded. */
async function errorsOf(page: Page, path: string): Promise<string[]> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await moveTo(page, path);
  return unfoldedErrors(page, path);
}

async function unfoldedErrors(page: Page, name: string): Promise<string[]> {
  await page.evaluate(() => {
    for (const part of document.querySelectorAll("details")) part.open = true;
  });
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    faults.push(...(await layoutErrors(page)).map((fault) => `${name} at ${width}: ${fault}`));
  }
  return faults;
}

describe("at every width", () => {
  it("the public pages show all of their text", async () => {
    const { page, faults } = await openPage(await stage.browser.newContext(reader), stage.url);
    await load(page, stage.url);
    for (const path of open) faults.push(...(await errorsOf(page, path)));
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it("the signed-in pages show all of their text", async () => {
    const context = await returningContext(stage.browser, stage.url, operatorEmail, reader);
    const { page, faults } = await openPage(context, stage.url);
    await load(page, `${stage.url}/app`);
    for (const path of signedIn) faults.push(...(await errorsOf(page, path)));
    await page.goto(`${stage.url}/app/usage`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText("As a table").first().waitFor();
    for (const part of await page.getByText("As a table").all()) await part.click();
    const tables = await page.getByRole("group", { name: / as a table$/ }).all();
    expect(tables.length).toBeGreaterThan(0);
    for (const table of tables) {
      expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    }
    await page.goto(`${stage.url}/admin/maintenance`);
    await page.getByText("New disks").first().waitFor();
    faults.push(...(await unfoldedErrors(page, "/admin/maintenance")));
    expect(faults).toEqual([]);
    await context.close();
  });
});

it("a chart that fails to render leaves its numbers", async () => {
  const context = await returningContext(stage.browser, stage.url, operatorEmail);
  const { page } = await openPage(context, stage.url);
  await page.route("**/assets/plot-*.js", (route) => route.abort());
  await page.goto(`${stage.url}/app/usage`);
  await page.getByText("The chart could not be drawn.").first().waitFor();
  await page.getByText("As a table").first().click();
  await page.getByRole("table", { name: "Requests by hour, newest first" }).waitFor();
  await context.close();
});
