/** What ⌘K does, each by the keyboard alone, with the dialog and the rights of its page. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { KeyWithSecret } from "../../../src/protocol/dashboard/api.js";
import type { AdminTeamDetail } from "../../../src/protocol/dashboard/teams.js";
import type { Browser as Visitor } from "../../support/processes/dashboard-server.js";
import { violations } from "../support/axe.js";
import { Keyboard } from "../support/keyboard.js";
import { setStage } from "../support/stage.js";
import { openPage, returningContext } from "../support/visit.js";

let context: BrowserContext;
let page: Page;
let keyboard: Keyboard;
let faults: string[];
let operator: Visitor;

const stage = setStage(async (dashboard) => {
  operator = await dashboard.setUp();
  await dashboard.signUp("ada@example.com");
});
beforeEach(() => enter("operator@example.com"));
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

async function enter(email: string): Promise<void> {
  context = await returningContext(stage.browser, stage.url, email, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  ({ page, faults } = await openPage(context, stage.url));
  keyboard = new Keyboard(page);
  await page.goto(`${stage.url}/app/keys`);
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await keyboard.to(/^Create key$/);
}

const newKey = async (name: string) =>
  (await operator.post<KeyWithSecret>("/api/keys", { name, models: null, expiresInDays: null })).key;
const palette = () => page.getByRole("dialog", { name: "Find anything" });
const marked = () => palette().locator('[role="option"][aria-selected="true"]');
const dialog = (name: string) =>
  page.getByRole("dialog", { name }).or(page.getByRole("alertdialog", { name }));
const done = async (text: string) => {
  await page.getByText(text, { exact: true }).waitFor();
  // Back where it was when the palette was opened.
  await keyboard.isOn(/^Create key$/);
};

/** Types it without waiting for anything, and takes what is marked first once it is what was meant. */
async function command(typed: string, title: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type(typed);
  await marked().filter({ hasText: title }).waitFor();
  await keyboard.press("Enter");
  await palette().waitFor({ state: "detached" });
}

describe("by the keyboard alone, the palette", () => {
  it("creates a key", async () => {
    await command("create key", "Create key");
    await keyboard.isOn(/^Name$/);
    expect(await violations(page)).toEqual([]);
    await keyboard.type("From the palette");
    await keyboard.press("Enter");
    await dialog("Key created").waitFor();
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(/^Create key$/);
    await page.getByRole("row", { name: /From the palette/ }).waitFor();
  });

  it("edits, rotates and revokes a key, by name or by its last four characters", async () => {
    const key = await newKey("Nightly robot");
    await command("edit nightly", "Edit Nightly robot");
    await keyboard.isOn(/^Name$/);
    await keyboard.type("Nightly batch");
    await keyboard.press("Enter");
    await done("Nightly batch saved");
    await command(`rotate …${key.lastFour}`, "Rotate Nightly batch");
    await dialog("Rotate key").waitFor();
    await keyboard.choose(/^Rotate key$/);
    await dialog("Key rotated").waitFor();
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(/^Create key$/);
    await command(`revoke ${key.lastFour}`, "Revoke Nightly batch");
    await dialog("Revoke key").getByText(key.lastFour).waitFor();
    // A question begins at its way out.
    await keyboard.isOn(/^Cancel$/);
    await keyboard.choose(/^Revoke key$/);
    await done("Nightly batch revoked");
    const { status } = (
      await operator.get<{ keys: { id: string; status: string }[] }>("/api/keys")
    ).keys.find(({ id }) => id === key.id) ?? { status: "none" };
    expect(status).toBe("revoked");
    // It has ended: the page offers nothing for it, nor does the palette.
    await page.keyboard.press("ControlOrMeta+k");
    await page.keyboard.type(`revoke ${key.lastFour}`);
    await page.getByText(/^Nothing found/).waitFor();
  });

  it("suspends an account and resumes it, changes its plan and makes a reset link", async () => {
    await command("suspend ada@example.com", "Suspend ada@example.com");
    await dialog("Suspend account").waitFor();
    await keyboard.choose(/^Suspend$/);
    await done("ada@example.com is suspended");
    await command("resume ada@", "Resume ada@example.com");
    await keyboard.choose(/^Resume$/);
    await done("ada@example.com is active again");
    await command("plan ada@", "Change plan of ada@example.com");
    await page.getByRole("dialog").waitFor();
    await keyboard.press("Escape");
    await keyboard.isOn(/^Create key$/);
    await command("reset ada@", "Reset password of ada@example.com");
    await page.getByRole("dialog").or(page.getByRole("alertdialog")).waitFor();
    await keyboard.press("Escape");
    await keyboard.isOn(/^Create key$/);
  });

  it("invites someone, with the address that was typed", async () => {
    await command("invite new@example.com", "Invite new@example.com");
    await keyboard.isOn(/^Email$/);
    expect(await page.getByLabel("Email").inputValue()).toBe("new@example.com");
    await keyboard.press("Enter");
    await dialog("Invite").getByText("Invitation for new@example.com").waitFor();
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(/^Create key$/);
  });

  it("opens the choice of weights for a model", async () => {
    await command("switch omega", "Change model of omega");
    await dialog("Change omega").getByRole("tab", { name: "Catalogue" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await keyboard.press("Escape");
    await keyboard.isOn(/^Create key$/);
  });

  it("schedules maintenance", async () => {
    await command("schedule", "Schedule maintenance");
    await keyboard.isOn(/^Title$/);
    await keyboard.type("New disks");
    await keyboard.press("Enter");
    await done("Maintenance scheduled");
  });

  it("changes the theme", async () => {
    await command("dark mode", "Dark theme");
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
    await keyboard.isOn(/^Create key$/);
    await command("light", "Light theme");
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset["theme"])).toBe("light");
  });

  it("copies the base URL", async () => {
    await command("copy base", "Copy base URL");
    await done("Base URL copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${stage.url}/v1`);
  });

  it("signs out", async () => {
    await command("sign out", "Sign out");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });
});

describe("on the pages of a team, the palette", () => {
  let team: AdminTeamDetail["team"];
  beforeAll(async () => {
    const body = { name: "Research", planId: "free", ownerEmail: "operator@example.com" };
    ({ team } = await operator.post<AdminTeamDetail>("/api/admin/teams", body));
  });

  it("finds and changes the team's keys", async () => {
    const body = { name: "Lab robot", models: null, expiresInDays: null };
    const { key } = await operator.post<KeyWithSecret>(`/api/teams/${team.id}/keys`, body);
    await page.goto(`${stage.url}/app/teams/${team.id}/keys`);
    await page.getByRole("row", { name: /Lab robot/ }).waitFor();
    await command("edit lab", "Edit Lab robot");
    await keyboard.isOn(/^Name$/);
    await keyboard.type("Lab batch");
    await keyboard.press("Enter");
    await page.getByText("Lab batch saved", { exact: true }).waitFor();
    await command(`revoke ${key.lastFour}`, "Revoke Lab batch");
    await dialog("Revoke key").getByText(key.lastFour).waitFor();
    await keyboard.choose(/^Revoke key$/);
    await page.getByText("Lab batch revoked", { exact: true }).waitFor();
  });

  it("offers no keys to a viewer", async () => {
    const { accounts } = await operator.get<{ accounts: { id: string; email: string }[] }>(
      "/api/admin/accounts",
    );
    const ada = accounts.find(({ email }) => email === "ada@example.com");
    await operator.must("PUT", `/api/admin/teams/${team.id}/members/${ada?.id}`, { role: "viewer" });
    await context.close();
    await enter("ada@example.com");
    await page.goto(`${stage.url}/app/teams/${team.id}`);
    await page.getByRole("heading", { level: 1, name: "Research" }).waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.keyboard.type("create key");
    await palette()
      .getByRole("option")
      .or(page.getByText(/^Nothing found/))
      .first()
      .waitFor();
    expect(await palette().getByRole("group", { name: "Actions" }).count()).toBe(0);
  });
});

describe("the palette", () => {
  it("has what was typed right after ⌘K", async () => {
    await page.keyboard.press("ControlOrMeta+k");
    await page.keyboard.type("gusage");
    expect(await palette().getByRole("combobox").inputValue()).toBe("gusage");
    expect(new URL(page.url()).pathname).toBe("/app/keys");
  });

  it("says so when a dialog cannot be loaded, and the page stays", async () => {
    await context.setOffline(true);
    await command("create key", "Create key");
    await page
      .getByText(/^You're offline/)
      .first()
      .waitFor();
    await context.setOffline(false);
    await command("create key", "Create key");
    await dialog("Create key").waitFor();
    // What a browser says about requests that failed.
    faults.length = 0;
  });

  it("offers nothing to others that only an admin may do", async () => {
    await context.close();
    await enter("ada@example.com");
    for (const typed of ["suspend operator@", "invite x@example.com", "schedule maint", "switch omega"]) {
      await page.keyboard.press("ControlOrMeta+k");
      await page.keyboard.type(typed);
      await page
        .getByText(/^Nothing found/)
        .or(palette().getByRole("option").first())
        .waitFor();
      expect(await palette().getByRole("group", { name: "Actions" }).count()).toBe(0);
      await keyboard.press("Escape");
      await palette().waitFor({ state: "detached" });
    }
  });
});
