/**
 * Browsers keep a page that was left in memory and show it again on Back: the back/forward cache. The playground
 * must be empty before that copy is made. The headless Chromium from npm has no such cache, an installed one has;
 * so what `pagehide` does is looked at by itself, too.
 */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchWithBackCache } from "../support/browser.js";
import { startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import { openDialog, press } from "./support/opening.js";
import { openPage, returningContext, shownSecret } from "./support/visit.js";

let dashboard: TestDashboard;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [dashboard, browser] = await Promise.all([startDashboard({ webDir: "dist/web" }), launchWithBackCache()]);
  await dashboard.signUp("ada@example.com");
  dashboard.engine.script = () => ({ fragments: ["a secret reply"] });
});
afterAll(async () => {
  await browser.close();
  await dashboard.close();
});
beforeEach(async () => {
  context = await returningContext(browser, dashboard.url, "ada@example.com");
  ({ page } = await openPage(context, dashboard.url));
});
afterEach(() => context.close());

async function converse(): Promise<void> {
  await page.goto(`${dashboard.url}/app/playground`);
  await page.getByLabel("System prompt").fill("a secret instruction");
  await page.getByLabel("Tools", { exact: true }).fill('[{"name": "f", "description": "a secret tool"}]');
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("a secret question");
  await press(page, "Send");
  await page.getByText("a secret reply", { exact: true }).waitFor();
  await message.fill("a secret draft");
}

/** What the page shows and what its fields hold. */
const shown = () =>
  page.evaluate(() =>
    [
      document.body.innerText,
      ...Array.from(document.querySelectorAll("textarea"), ({ value }) => value),
    ].join("\n"),
  );

/** What is left on the page when `pagehide` has been told: from then on no script of it runs. */
const leftBehind = () =>
  page.evaluate(() => {
    window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
    const fields = document.querySelectorAll("textarea, input");
    return [
      document.body.textContent,
      ...Array.from(fields, (field) => (field instanceof HTMLTextAreaElement ? field.value : "")),
    ].join("\n");
  });

describe("leaving the playground", () => {
  it("erases the conversation, the draft, the system prompt and the tools before the browser keeps the page", async () => {
    await converse();
    const before = await shown();
    const secrets = ["instruction", "tool", "question", "reply", "draft"];
    for (const text of secrets.map((secret) => `a secret ${secret}`)) expect(before).toContain(text);
    expect(await leftBehind()).not.toContain("a secret");
  });

  it("shows nothing of it when the reader goes elsewhere and presses Back", async () => {
    await converse();
    await page.goto(`${dashboard.url}/docs`);
    // A page that is shown again from the cache does not load.
    await page.goBack({ waitUntil: "commit" });
    await page.getByText("Ask something").waitFor();
    expect(await shown()).not.toContain("a secret");
  });
});

describe("leaving a page with a secret that is shown once", () => {
  it("takes a new key off the page before the browser keeps it", async () => {
    await page.goto(`${dashboard.url}/app/keys`);
    await openDialog(page, "Create key");
    await page.getByLabel("Name").fill("Robot");
    await press(page, "Create key");
    const secret = await shownSecret(page);
    expect(await shown()).toContain(secret);
    expect(await leftBehind()).not.toContain(secret);
  });
});
