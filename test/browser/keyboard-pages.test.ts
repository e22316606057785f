import { readFileSync } from "node:fs";
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { Keyboard } from "./support/keyboard.js";
import { setStage } from "./support/stage.js";
import { openPage, signedInContext } from "./support/visit.js";

let context: BrowserContext;
let page: Page;
let keyboard: Keyboard;
let faults: string[];
let people = 0;

const stage = setStage();
beforeEach(async () => {
  context = await signedInContext(stage.browser, stage.url, `keys${++people}@example.com`);
  ({ page, faults } = await openPage(context, stage.url));
  keyboard = new Keyboard(page);
});
afterEach(async () => {
  stage.dashboard.engine.release();
  await context.close();
  expect(faults).toEqual([]);
});

const open = async (path: string, heading: string) => {
  await page.goto(stage.url + path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
};

describe("with the keyboard alone, a person", () => {
  it("creates a key with limits of its own", async () => {
    await open("/app/keys", "Keys");
    await keyboard.choose(/^Create key$/);
    await keyboard.isOn(/^Name$/);
    await keyboard.type("tests");
    await keyboard.to(/^Set lower limits than my plan’s/);
    await keyboard.press("Space");
    await keyboard.to(/^Requests per minute$/);
    await keyboard.type("many");
    await keyboard.choose(/^Create key$/);
    await page.getByText("Enter a whole number from 1").waitFor();
    await keyboard.to(/^Requests per minute$/, "Shift+Tab");
    await keyboard.type("30");
    await keyboard.choose(/^Create key$/);
    await page.getByRole("heading", { name: "Key created" }).waitFor();
    await keyboard.choose(/^Done$/);
    await page.getByText("At most 30 requests per minute").waitFor();
  });

  it("talks in the playground, stops a reply, switches the model and views the code", async () => {
    await open("/app/playground", "Playground");
    stage.dashboard.engine.hold();
    await keyboard.to(/^Message$/);
    await keyboard.type("hello there");
    await keyboard.press("Enter");
    stage.dashboard.engine.release(2);
    await page.getByText("Hello from").waitFor();
    await keyboard.choose(/^Stop$/);
    await eventually(() => stage.dashboard.engine.active === 0);
    await keyboard.isOn(/^Message$/);

    await keyboard.to(/^Model$/);
    await keyboard.press("ArrowDown");
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("prism");
    stage.dashboard.engine.release();
    await keyboard.to(/^Message$/, "Shift+Tab");
    await keyboard.type("and now you");
    await keyboard.press("Enter");
    await page.getByRole("article", { name: "Reply from prism" }).getByText("Hello from prism.").waitFor();
    await keyboard.isOn(/^Message$/);

    await keyboard.to(/^View code$/, "Shift+Tab");
    await keyboard.press("Enter");
    await page.getByRole("dialog", { name: "View code" }).waitFor();
    await keyboard.to(/^curl$/);
    await keyboard.press("ArrowRight");
    await page.getByRole("dialog").getByText("OpenAI(").waitFor();
    await keyboard.press("Escape");
    await keyboard.isOn(/^View code$/);
  });

  it("reads usage: another period, one model, a plot as a table, the CSV file", async () => {
    await page.request.post(`${stage.url}/api/playground`, {
      headers: { origin: stage.url },
      data: { model: "omega", stream: true, messages: [{ role: "user", content: "hi" }] },
    });
    await eventually(async () => {
      await stage.dashboard.app.dashboard.usage.flush();
      return stage.dashboard.tables().get("usage")?.includes('"requests":1');
    });
    await open("/app/usage", "Usage");
    await page.getByText("By model").waitFor();
    await keyboard.to(/^24 hours$/);
    await keyboard.press("ArrowRight");
    expect(await page.getByRole("radio", { name: "7 days" }).isChecked()).toBe(true);
    await keyboard.to(/^Model$/);
    await keyboard.press("ArrowDown");
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("omega");
    await keyboard.to(/^As a table$/);
    await keyboard.press("Space");
    await page.getByRole("table", { name: "Requests by hour, newest first" }).waitFor();
    await keyboard.to(/^Download CSV$/, "Shift+Tab");
    const [download] = await Promise.all([page.waitForEvent("download"), keyboard.press("Enter")]);
    expect(readFileSync(await download.path(), "utf8")).toMatch(/omega/);
  });

  it("changes the password, exports what is stored and deletes the account", async () => {
    await open("/app/account", "Account");
    await keyboard.to(/^New password$/);
    await keyboard.type("short");
    await keyboard.press("Enter");
    // The refusal stands at the field, and is what the field is described by.
    await page
      .getByRole("alert")
      .filter({ hasText: "The password must have at least 10 characters." })
      .waitFor();
    await keyboard.isOn(/^New password$/);
    await keyboard.type("another long password");
    await keyboard.press("Enter");
    await page.getByText("Password changed.").waitFor();

    await keyboard.to(/^Export as JSON$/);
    const [download] = await Promise.all([page.waitForEvent("download"), keyboard.press("Enter")]);
    expect(readFileSync(await download.path(), "utf8")).toContain(`keys${people}@example.com`);

    await keyboard.choose(/^Delete account…$/);
    const dialog = page.getByRole("alertdialog", { name: "Delete account" });
    await dialog.waitFor();
    await keyboard.isOn(/to confirm$/);
    await keyboard.press("Escape");
    await keyboard.isOn(/^Delete account…$/);
    await keyboard.press("Enter");
    await keyboard.isOn(/to confirm$/);
    await keyboard.type("delete");
    await keyboard.press("Enter");
    await page.waitForURL(`${stage.url}/`);
  });

  it("rotates a key, and the focus comes back to the key's menu", async () => {
    await page.request.post(`${stage.url}/api/keys`, {
      headers: { origin: stage.url },
      data: { name: "Robot", models: null, expiresInDays: null },
    });
    await open("/app/keys", "Keys");
    await page.getByText("Robot").waitFor();
    await keyboard.chooseFrom(/^Actions for Robot$/, "Rotate");
    await keyboard.isOn(/^Keep the old key working for$/);
    await keyboard.press("Escape");
    await keyboard.isOn(/^Actions for Robot$/);
    await keyboard.takeItem("Rotate");
    await keyboard.isOn(/^Keep the old key working for$/);
    await keyboard.press("ArrowUp");
    await keyboard.choose(/^Rotate key$/);
    await page.getByText("The old key, ending in").waitFor();
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(/^Actions for Robot$/);
  });

  it("switches the theme, and navigates on a phone", async () => {
    await page.setViewportSize({ width: 375, height: 812 });
    await open("/app", "Overview");
    await keyboard.choose(/^Open menu$/);
    await page.getByRole("dialog", { name: "Menu" }).waitFor();
    await keyboard.press("Escape");
    await keyboard.isOn(/^Open menu$/);
    await keyboard.press("Enter");
    await keyboard.to(/^System theme$/);
    await keyboard.press("ArrowRight", "ArrowRight");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    await keyboard.choose(/^Limits$/);
    await page.getByRole("heading", { level: 1, name: "Limits" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // On a new page the focus begins at its content.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
  });
});
