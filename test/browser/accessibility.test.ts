import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageAddresses } from "../../src/protocol/page-addresses.js";
import { launchBrowser } from "../support/browser.js";
import { eventually } from "../support/eventually.js";
import type { SottoProcess } from "../support/sotto-process.js";
import { startTinySotto } from "../support/tiny-sotto.js";
import { Keyboard } from "./keyboard.js";
import { openPage, password } from "./visit.js";

const isOpen = (path: string) => !/^\/(app|admin)\b/.test(path);
const open = [...pageAddresses.filter(isOpen), "/no-such-page"];
const signedIn = pageAddresses.filter((path) => !isOpen(path));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let sotto: SottoProcess;
let browser: Browser;

beforeAll(async () => {
  [sotto, browser] = await Promise.all([startTinySotto(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await sotto.stop();
});

/** What axe finds on the page, with the elements at fault. */
async function violations(page: Page, only: string[] = []): Promise<string[]> {
  // Through the debugger rather than a script element, which the content security policy would refuse.
  await page.evaluate(axe);
  const found = await page.evaluate((rules) => {
    const { axe: loaded } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return loaded.run({ resultTypes: ["violations"], ...(rules.length === 0 ? {} : { runOnly: rules }) });
  }, only);
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}

/** All of it in light; in dark what depends on colours, which is what can differ. */
async function violationsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violations(page, ["color-contrast", "link-in-text-block"]);
  return [...light, ...dark.map((violation) => `dark: ${violation}`)];
}

describe("every page", { timeout: 240_000 }, () => {
  it("has nothing that axe finds, in light or dark, asks no other host and keeps to the policy", async () => {
    const context = await browser.newContext({ reducedMotion: "reduce" });
    const { page, faults } = await openPage(context, sotto.url);
    const visit = async (path: string) => {
      await page.goto(sotto.url + path);
      await page.locator("h1").first().waitFor();
      await page.locator(".animate-breathe").first().waitFor({ state: "detached" });
      const found = await violationsInBoth(page);
      expect(found.map((violation) => `${path} ${violation}`)).toEqual([]);
    };
    for (const path of open) await visit(path);

    await page.goto(await eventually(() => /http\S+\/setup#token=\S+/.exec(sotto.output())?.[0]));
    await page.getByLabel("Email").waitFor();
    expect(await violationsInBoth(page)).toEqual([]);
    await page.getByLabel("Email").fill("operator@example.com");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${sotto.url}/app`);
    for (const path of signedIn) await visit(path);
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe("the keyboard alone", { timeout: 120_000 }, () => {
  it("signs up, makes a key and revokes it", async () => {
    const context = await browser.newContext();
    const { page } = await openPage(context, sotto.url);
    await page.goto(`${sotto.url}/sign-up`);
    await page.getByLabel("Email").waitFor();
    const keyboard = new Keyboard(page);
    await keyboard.to(/^Email$/);
    await keyboard.type("keyboard@example.com");
    await keyboard.to(/^Password$/);
    await keyboard.type(password);
    await keyboard.press("Enter");
    await page.waitForURL(`${sotto.url}/app`);
    await page.getByRole("button", { name: "Create key" }).waitFor();
    await keyboard.choose(/^Create key$/);
    await page
      .getByText(/^sk-sotto-/)
      .first()
      .waitFor();
    await page.goto(`${sotto.url}/app/keys`);
    await page.getByRole("button", { name: "Actions for My first key" }).waitFor();
    await keyboard.chooseFrom(/^Actions for My first key$/, "Revoke");
    await page.getByRole("alertdialog").waitFor();
    await keyboard.choose(/^Revoke key$/);
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await page.getByText("No key that works").waitFor();
    await context.close();
  });
});
