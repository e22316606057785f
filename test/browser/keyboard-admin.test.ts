import type { BrowserContext, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { Keyboard } from "./support/keyboard.js";
import { setStage } from "./support/stage.js";
import { openPage, returningContext } from "./support/visit.js";

let context: BrowserContext;
let page: Page;
let keyboard: Keyboard;
let faults: string[];

afterAll(() => expect(faults).toEqual([]));
const stage = setStage(async (dashboard) => {
  const operator = await dashboard.setUp();
  await operator.must("PUT", "/api/admin/plans/team", {
    ...{ name: "Team", requestsPerMinute: 60, tokensPerMinute: 60_000, concurrentRequests: 4, maxKeys: 10 },
    ...{ maxTokens: null, models: null },
  });
  await Promise.all(["ada@example.com", "eve@example.com"].map((email) => dashboard.signUp(email)));
  context = await returningContext(stage.browser, dashboard.url, "operator@example.com");
  ({ page, faults } = await openPage(context, dashboard.url));
  keyboard = new Keyboard(page);
});

const open = async (path: string, heading: string) => {
  await page.goto(stage.url + path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
};
const row = (text: string) => page.getByRole("row").filter({ hasText: text });

describe("with the keyboard alone, the operator", () => {
  it("finds an account, suspends and resumes it, changes its plan, creates a reset link", async () => {
    await open("/admin/accounts", "Accounts");
    await row("ada@example.com").waitFor();
    await keyboard.to(/^Search accounts$/);
    await keyboard.type("eve@");
    await row("ada@example.com").waitFor({ state: "detached" });
    const menu = /^Actions for eve@example\.com$/;

    await keyboard.chooseFrom(menu, "Suspend");
    await page.getByRole("alertdialog", { name: "Suspend account" }).waitFor();
    await keyboard.isOn(/^Cancel$/);
    await keyboard.press("Escape");
    await keyboard.isOn(menu);
    await keyboard.takeItem("Suspend");
    await keyboard.isOn(/^Cancel$/);
    await keyboard.choose(/^Suspend$/);
    await row("eve@example.com").getByText("Suspended").waitFor();
    await keyboard.isOn(menu);

    await keyboard.takeItem("Resume");
    await keyboard.isOn(/^Cancel$/);
    await keyboard.choose(/^Resume$/);
    await row("eve@example.com").getByText("Active").waitFor();
    await keyboard.isOn(menu);

    await keyboard.takeItem("Change plan");
    await keyboard.isOn(/^Plan$/);
    await page.getByText("requests and").waitFor();
    await keyboard.press("ArrowDown");
    await keyboard.choose(/^Change plan$/);
    await row("eve@example.com").getByText("Team").waitFor();
    await keyboard.isOn(menu);

    await keyboard.takeItem("Password reset");
    await page.getByRole("dialog", { name: "Password reset link" }).waitFor();
    await keyboard.choose(/^Create link$/);
    await page.getByText(/\/reset#token=/).waitFor();
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(menu);
  });

  it("invites someone, and sees an invalid address explained beside it", async () => {
    await open("/admin/accounts", "Accounts");
    await keyboard.choose(/^Invite$/);
    await keyboard.isOn(/^Email$/);
    await keyboard.type("no address");
    await keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "Enter an email address" }).waitFor();
    await keyboard.type("new@example.com");
    await keyboard.press("Enter");
    await page.getByText("Invitation for new@example.com").waitFor();
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(/^Invite$/);
  });

  it("edits a plan, and is taken to the invalid number, with the reason", async () => {
    await open("/admin/plans", "Plans");
    await row("Team").first().waitFor();
    await keyboard.choose(/^Edit Team$/);
    await keyboard.isOn(/^Name$/);
    await keyboard.to(/^Keys$/);
    await keyboard.type("20000");
    await keyboard.choose(/^Save$/);
    await keyboard.isOn(/^Keys$/);
    const alert = page.getByRole("alert").filter({ hasText: "Enter a whole number from 1 to 10,000." });
    await alert.waitFor();
    expect(await page.getByLabel("Keys", { exact: true }).getAttribute("aria-describedby")).toBe(
      await alert.getAttribute("id"),
    );
    await keyboard.type("25");
    await keyboard.press("Enter");
    await row("Team").getByRole("cell", { name: "25", exact: true }).waitFor();
    await keyboard.isOn(/^Edit Team$/);
  });

  it("writes an entry and deletes it, and the focus goes to the page when its button is gone", async () => {
    await open("/admin/changelog", "Changelog");
    await keyboard.choose(/^New entry$/);
    await keyboard.isOn(/^Title$/);
    await keyboard.type("Faster replies");
    await keyboard.to(/^Text$/);
    await keyboard.type("By **a lot**.");
    await keyboard.choose(/^Publish$/);
    await row("Faster replies").waitFor();
    await keyboard.isOn(/^New entry$/);
    await keyboard.choose(/^Delete Faster replies$/);
    await keyboard.isOn(/^Cancel$/);
    await keyboard.choose(/^Delete/);
    await row("Faster replies").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
  });

  it("schedules maintenance, edits it and calls it off", async () => {
    await open("/admin/maintenance", "Maintenance");
    await keyboard.choose(/^Schedule maintenance$/);
    await keyboard.isOn(/^Title$/);
    await keyboard.type("New disks");
    await keyboard.press("Enter");
    await row("New disks").getByText("Scheduled", { exact: true }).waitFor();
    await keyboard.isOn(/^Schedule maintenance$/);

    await keyboard.choose(/^Edit New disks$/);
    await keyboard.isOn(/^Title$/);
    await keyboard.type("More disks");
    await keyboard.press("Enter");
    await row("More disks").waitFor();
    await keyboard.choose(/^Call off$/);
    await keyboard.isOn(/^Cancel$/);
    await keyboard.choose(/^Call off$/);
    await row("More disks").getByText("Called off").waitFor();
    await page.goto(`${stage.url}/changelog`);
    await page.getByText("Called off, was scheduled:").waitFor();
  });
});
