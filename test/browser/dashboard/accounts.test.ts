/** What an operator does with many accounts, invitations and the audit trail, by pointer and by keyboard. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import type { AccountPage } from "../../../src/protocol/dashboard/accounts.js";
import { violations } from "../support/axe.js";
import { Keyboard } from "../support/keyboard.js";
import { expectNoFaults } from "../support/look.js";
import { setStage } from "../support/stage.js";
import { openPage, returningContext } from "../support/visit.js";

let context: BrowserContext;
let page: Page;
let keyboard: Keyboard;
let faults: string[];
let adaId: string;

afterAll(() => expect(faults).toEqual([]));
const stage = setStage(async (dashboard) => {
  const operator = await dashboard.setUp();
  await operator.must("PUT", "/api/admin/plans/team", {
    ...{ name: "Team", requestsPerMinute: 60, tokensPerMinute: 60_000, concurrentRequests: 4, maxKeys: 10 },
    ...{ maxTokens: null, models: null },
  });
  for (let i = 10; i < 70; i++) {
    await dashboard.app.store.createAccount({
      ...{ email: `member${i}@example.com`, passwordHash: null, role: "user", planId: "free" },
    });
  }
  const ada = await dashboard.signUp("ada@example.com");
  await ada.post("/api/keys", { name: "Ada's laptop", models: ["omega"], expiresInDays: null, tags: ["ci"] });
  const found = await operator.get<AccountPage>("/api/admin/accounts?search=ada");
  adaId = found.accounts[0]?.id ?? "";
  dashboard.app.dashboard.usage.record({
    ...{ accountId: adaId, keyId: "playground", model: "omega", outcome: "ok" },
    ...{ promptTokens: 12, completionTokens: 30, firstTokenMs: 40 },
  });
  context = await returningContext(stage.browser, dashboard.url, "operator@example.com", {
    ...{ colorScheme: "light", locale: "en-US", timezoneId: "America/New_York" },
  });
  ({ page, faults } = await openPage(context, dashboard.url));
  keyboard = new Keyboard(page);
});

const open = async (path: string, heading: string) => {
  await page.goto(stage.url + path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
};
const row = (text: string) => page.getByRole("row").filter({ hasText: text });

const look = (name: string) => expectNoFaults(page, name);

describe("the list of accounts", () => {
  it("pages by cursor, keeps the search in the address, and its rows open the account", async () => {
    await open("/admin/accounts", "Accounts");
    await page.getByText("62 accounts").waitFor();
    await row("ada@example.com").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await row("operator@example.com").waitFor();
    await page.getByText("Page 2").waitFor();
    await page.getByRole("button", { name: "Previous page" }).click();
    await row("ada@example.com").waitFor();

    await page.getByLabel("Search accounts").fill("ada@");
    await row("member").first().waitFor({ state: "detached" });
    await page.waitForURL(/search=ada/);
    await page.reload();
    await row("ada@example.com").waitFor();
    expect(await page.getByLabel("Search accounts").inputValue()).toBe("ada@");
    expect(await row("member").count()).toBe(0);

    // On the row, beside every control of it.
    await row("ada@example.com").getByRole("cell").nth(2).click();
    await page.getByRole("heading", { level: 1, name: "ada@example.com" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/admin/accounts/${adaId}`);
  });

  it("changes several at once with the keyboard, after a confirmation", async () => {
    await open("/admin/accounts?search=member1", "Accounts");
    await row("member11@example.com").waitFor();
    for (const email of ["member10", "member11"]) {
      await keyboard.to(new RegExp(`^Select ${email}@`));
      await keyboard.press("Space");
    }
    await page.getByText("2 selected").waitFor();
    await look("/admin/accounts with a selection");
    await keyboard.to(/^Suspend…$/, "Shift+Tab");
    await keyboard.press("Enter");
    const question = page.getByRole("alertdialog", { name: "Suspend accounts" });
    await question.getByText("member10@example.com").waitFor();
    expect(await violations(page)).toEqual([]);
    await keyboard.press("Escape");
    await keyboard.isOn(/^Suspend…$/);
    await keyboard.press("Enter");
    await keyboard.choose(/^Suspend 2 accounts$/);
    await row("member10@example.com").getByText("Suspended").waitFor();
    await row("member11@example.com").getByText("Suspended").waitFor();
    await row("member12@example.com").getByText("Active").waitFor();
    await question.waitFor({ state: "detached" });
  });

  it("moves a whole page to another plan, and says who could not be changed", async () => {
    await open("/admin/accounts?search=member2", "Accounts");
    await page.getByLabel("Select all on this page").check();
    await page.getByText("10 selected").waitFor();
    await page.getByRole("button", { name: "Change plan…" }).click();
    const dialog = page.getByRole("dialog", { name: "Change plan" });
    await dialog.getByText("and 5 others").waitFor();
    await dialog.getByLabel("Plan").selectOption("team");
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Change plan of 10 accounts" }).click();
    await dialog.waitFor({ state: "detached" });
    await row("member25@example.com").getByText("Team").waitFor();

    await open("/admin/accounts?search=operator", "Accounts");
    await page.getByLabel("Select operator@example.com").check();
    await page.getByRole("button", { name: "Suspend…" }).click();
    await page.getByRole("button", { name: "Suspend 1 account" }).click();
    const refused = page.getByRole("dialog", { name: "Suspend accounts" });
    await refused.getByText("The only account that manages the service").waitFor();
    expect(await violations(page)).toEqual([]);
    await refused.getByRole("button", { name: "Done" }).click();
  });
});

describe("invitations", () => {
  it("are created with a plan and an expiry, listed while pending, and revoked with the keyboard", async () => {
    await open("/admin/accounts", "Accounts");
    await page.getByRole("button", { name: "Invite" }).first().click();
    await page.getByLabel("Email").fill("new@example.com");
    await page.getByLabel("Plan").selectOption("team");
    await page.getByLabel("Expires").selectOption("30");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByText("Invitation for new@example.com").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await keyboard.to(/^Accounts$/);
    await page.getByRole("tab", { name: "Invitations (1)" }).click();
    await page.waitForURL(/tab=invitations/);
    await row("new@example.com").getByText("Team").waitFor();
    await look("/admin/accounts, invitations");
    await keyboard.choose(/^Revoke the invitation for new@/);
    await page.getByRole("alertdialog", { name: "Revoke invitation" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await keyboard.choose(/^Revoke invitation$/);
    await page.getByText("No pending invitations").waitFor();
  });
});

describe("the page of an account", () => {
  it("has its keys, usage, sessions and audit lines, readable at every width", async () => {
    await open(`/admin/accounts/${adaId}`, "ada@example.com");
    await page.getByRole("table", { name: "Keys of the account" }).getByText("Ada's laptop").waitFor();
    await page.getByRole("table", { name: "Sessions" }).waitFor();
    await row("created key").waitFor();
    await page.locator('dt:text-is("Requests") + dd').getByText("1", { exact: true }).waitFor();
    await look("/admin/accounts/:id");
  });

  it("signs its owner out everywhere", async () => {
    await open(`/admin/accounts/${adaId}`, "ada@example.com");
    await page.getByRole("button", { name: "Sign out everywhere…" }).click();
    await page.getByRole("alertdialog", { name: "Sign out everywhere" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await keyboard.choose(/^Sign out$/);
    await page.getByText("Not signed in anywhere").waitFor();
    await row("ended sessions of account").waitFor();
  });

  it("says so when there is none", async () => {
    await open("/admin/accounts/acc_none", "Account");
    await page.getByText("There is no such account.").waitFor();
  });
});

describe("the audit trail", () => {
  it("is filtered in the address, with names, seconds and the zone, and exported", async () => {
    await open("/admin/audit", "Audit trail");
    await page.getByLabel("Action").selectOption("created key");
    await page.waitForURL(/what=created\+key/);
    await row("Ada's laptop (…").waitFor();
    expect(await row("created key").locator("time").textContent()).toMatch(/:\d\d:\d\d [AP]M E[SD]T$/);
    await page.getByLabel("Actor").fill("nobody@example.com");
    await page.getByRole("alert").filter({ hasText: "No account has this address." }).waitFor();
    await page.getByLabel("Actor").fill("ada@example.com");
    await row("Ada's laptop (…").waitFor();
    await page.waitForURL(/who=ada%40example\.com/);
    await page.reload();
    await row("Ada's laptop (…").waitFor();
    await look("/admin/audit with filters");

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("sotto-audit.csv");
    const lines: string[] = [];
    for await (const part of await download.createReadStream()) lines.push(String(part));
    expect(lines.join("").trimEnd().split("\r\n")).toHaveLength(2);

    await page.getByRole("button", { name: "Clear filters" }).click();
    await row("suspended account").first().waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await page.getByText("No matching activity").waitFor();
  });
});
