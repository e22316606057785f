import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageAddresses } from "../../src/protocol/pages/page-addresses.js";
import { launchBrowser } from "../support/browser.js";
import { eventually } from "../support/eventually.js";
import type { SottoProcess } from "../support/processes/sotto-process.js";
import { startTinySotto } from "../support/processes/tiny-sotto.js";
import { violations, violationsButColours } from "./support/axe.js";
import { Keyboard } from "./support/keyboard.js";
import { load, moveTo } from "./support/pages.js";
import { openPage, password } from "./support/visit.js";

const isOpen = (path: string) => !/^\/(app|admin)\b/.test(path);
const open = [...pageAddresses.filter(isOpen), "/no-such-page"];
const signedIn = pageAddresses.filter((path) => !isOpen(path));

/** A phone, where tables are lists of cards and the navigation is behind a button; and a desk, last: it stays. */
const widths = [390, 1280];

let sotto: SottoProcess;
let browser: Browser;

beforeAll(async () => {
  [sotto, browser] = await Promise.all([startTinySotto(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await sotto.stop();
});

describe("every page, on a phone and on a desk, in light and in dark,", () => {
  it("has no accessibility violations, contacts no other host and respects the policy", async () => {
    const context = await browser.newContext({ colorScheme: "light", reducedMotion: "reduce" });
    const { page, faults } = await openPage(context, sotto.url);
    const look = async (path: string) => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 844 });
        const found = await (width === 1280 ? violations : violationsButColours)(page);
        expect(found.map((violation) => `${path} at ${width}: ${violation}`)).toEqual([]);
      }
    };
    const visit = async (path: string) => {
      await moveTo(page, path);
      await look(path);
    };
    await load(page, sotto.url);
    for (const path of open) await visit(path);
    await page.goto(await eventually(() => /http\S+\/setup#token=\S+/.exec(sotto.output())?.[0]));
    await page.getByLabel("Email").waitFor();
    await look("/setup");
    await page.getByLabel("Email").fill("operator@example.com");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${sotto.url}/app`);
    for (const path of signedIn) await visit(path);
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe("the keyboard alone", () => {
  it("signs up, creates a key and revokes it", async () => {
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
    await page.getByText("No working keys").waitFor();
    await context.close();
  });
});
