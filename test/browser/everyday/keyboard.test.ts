/** What people come back for, without a pointer: comparing models, a range of days, the audit trail, a client. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.js";
import { Keyboard } from "../support/keyboard.js";
import { setStage } from "../support/stage.js";
import { openPage, returningContext } from "../support/visit.js";

let context: BrowserContext;
let page: Page;
let keyboard: Keyboard;
let faults: string[];

const stage = setStage(async (dashboard) => {
  const operator = await dashboard.setUp();
  await operator.post("/api/keys", { name: "Robot", models: null, expiresInDays: null });
});
beforeEach(async () => {
  context = await returningContext(stage.browser, stage.url, "operator@example.com", { locale: "en-US" });
  ({ page, faults } = await openPage(context, stage.url));
  keyboard = new Keyboard(page);
});
afterEach(async () => {
  stage.dashboard.engine.release();
  await context.close();
  expect(faults).toEqual([]);
});

async function open(path: string, heading: string): Promise<void> {
  await page.goto(stage.url + path);
  await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
}

describe("with the keyboard alone, a person", () => {
  it("compares two models, stops one of them, and goes on with the other", async () => {
    await open("/app/playground", "Playground");
    stage.dashboard.engine.hold();
    await keyboard.choose(/^Compare$/);
    await keyboard.isOn(/^Message$/);
    await keyboard.to(/^Second model$/, "Shift+Tab");
    await page.keyboard.press("l");
    expect(await page.getByLabel("Second model", { exact: true }).inputValue()).toBe("lambda");
    await keyboard.to(/^Message$/);
    await keyboard.type("who are you?");
    await keyboard.press("Enter");
    await eventually(() => stage.dashboard.engine.active === 2);
    await keyboard.to(/^Stop omega$/, "Shift+Tab");
    await keyboard.press("Enter");
    await page.getByRole("article", { name: "Reply from omega" }).getByText("stopped by you").waitFor();
    stage.dashboard.engine.release();
    await page.getByRole("article", { name: "Reply from lambda" }).getByText("Hello from lambda.").waitFor();
    await keyboard.to(/^Remove first model$/, "Shift+Tab");
    await keyboard.press("Enter");
    await keyboard.isOn(/^Message$/);
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("lambda");
  });

  it("reads usage of days of their own", async () => {
    await open("/app/usage", "Usage");
    // A group of radio buttons is one stop, and the arrows choose.
    await keyboard.to(/^24 hours$/);
    await keyboard.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
    await page.getByLabel("From", { exact: true }).waitFor();
    const from = await page.getByLabel("From", { exact: true }).inputValue();
    await page.getByLabel("From", { exact: true }).focus();
    await keyboard.press("ArrowDown");
    await expect.poll(() => page.getByLabel("From", { exact: true }).inputValue()).not.toBe(from);
    expect(page.url()).toMatch(/from=\d{4}-\d\d-\d\d&to=/);
  });

  it("finds a client to connect, and sees its configuration", async () => {
    await open("/app/connect", "Connect");
    await keyboard.to(/^Client$/);
    await page.keyboard.type("claude");
    await keyboard.choose(/^Claude Code, with omega/);
    await page.waitForURL(/#claude-code$/);
    await page.getByRole("heading", { name: "Claude Code" }).waitFor();
    await keyboard.to(/^Copy/);
  });
});

describe("with the keyboard alone, an operator", () => {
  it("narrows the audit trail, and takes the filters back", async () => {
    await open("/admin/audit", "Audit trail");
    await keyboard.to(/^Actor$/);
    await page.keyboard.type("operator@example.com");
    await page.waitForURL(/who=operator/);
    await keyboard.to(/^Action$/);
    await page.keyboard.type("created key");
    await page.waitForURL(/what=created\+key/);
    const rows = page.getByRole("table", { name: "Audit trail" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(2);
    await rows.filter({ hasText: "Robot (…" }).waitFor();
    await keyboard.choose(/^Clear filters$/);
    await expect.poll(() => rows.count()).toBeGreaterThan(2);
    expect(new URL(page.url()).search).toBe("");
  });
});
