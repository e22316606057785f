/** An operator's day in a real browser: the checklist, the last hour, the service's usage, the public status. */
import type { BrowserContext, Page } from "playwright-core";
import { beforeEach, afterEach, describe, expect, it } from "vitest";
import type { KeyWithSecret } from "../../src/protocol/dashboard/api.js";
import { noUsage } from "../../src/core/usage/usage-recorder.js";
import { ServiceError } from "../../src/core/errors.js";
import { postChat } from "../support/clients/post-chat.js";
import { eventually } from "../support/eventually.js";
import { violations } from "./support/axe.js";
import { Keyboard } from "./support/keyboard.js";
import { setStage } from "./support/stage.js";
import { openPage, returningContext } from "./support/visit.js";

let context: BrowserContext;
let page: Page;
let faults: string[];

const stage = setStage(async (dashboard) => {
  await dashboard.setUp("operator@example.com");
  const ada = await dashboard.signUp("ada@example.com");
  const { secret } = await ada.post<KeyWithSecret>("/api/keys", {
    name: "laptop",
    models: null,
    expiresInDays: null,
  });
  const chat = async () => {
    const response = await postChat(dashboard.url, secret);
    await response.text();
  };
  await chat();
  dashboard.engine.script = () => ({
    fragments: ["a"],
    failure: { at: 0, error: new ServiceError("engine_unavailable") },
  });
  await chat();
  await dashboard.usageWritten(2);
  await eventually(async () => {
    await dashboard.app.dashboard.outcomes.flush();
    return dashboard.tables().get("outcomes")?.includes("engine_unavailable") === true;
  });
});
beforeEach(async () => {
  // The plotting library needs a language that Intl knows.
  context = await returningContext(stage.browser, stage.url, "operator@example.com", { locale: "en-US" });
  ({ page, faults } = await openPage(context, stage.url));
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();

describe("an unusual account", () => {
  it("is suspended in one click, which is undone in another, without a mouse", async () => {
    const { id } = (await stage.dashboard.app.store.findAccountByEmail("ada@example.com")) ?? { id: "" };
    const now = Date.now();
    const start = new Date(now - (now % 3_600_000));
    const place = { accountId: id, keyId: "playground", model: "omega", start } as const;
    await stage.dashboard.app.store.usage.add([{ ...noUsage, ...place, rateLimited: 1_200 }]);
    await page.goto(`${stage.url}/app`);
    await page.getByRole("heading", { name: "Unusual accounts" }).waitFor();
    await page.getByText("1,200 rate-limited requests, usually none").waitFor();
    expect(await violations(page)).toEqual([]);
    const keyboard = new Keyboard(page);
    await keyboard.choose(/^Suspend ada@example\.com$/);
    await page.getByText("ada@example.com: suspended.").waitFor();
    expect(
      (await stage.dashboard.app.store.findAccountByEmail("ada@example.com"))?.suspendedAt,
    ).not.toBeNull();
    // The focus is on the line that took the place of the buttons.
    await eventually(() => page.evaluate("document.activeElement.tagName === 'LI'"));
    await keyboard.choose(/^Undo: Suspend ada@example\.com$/);
    // Exactly: the undo button's own name contains the other's.
    await page.getByRole("button", { name: "Suspend ada@example.com", exact: true }).waitFor();
    expect((await stage.dashboard.app.store.findAccountByEmail("ada@example.com"))?.suspendedAt).toBeNull();
    await page.getByRole("button", { name: "Dismiss the alert about ada@example.com" }).click();
    await page.getByText("ada@example.com: dismissed for a day.").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Last hour" }).waitFor();
    expect(await page.getByRole("heading", { name: "Unusual accounts" }).count()).toBe(0);
  });
});

describe("the operator's overview", () => {
  it("shows the set-up checklist and the last hour instead of the quickstart", async () => {
    await page.goto(`${stage.url}/app`);
    await page.getByRole("heading", { name: "Set up your service" }).waitFor();
    expect(await page.getByText("Create your first key").count()).toBe(0);
    await page.getByRole("img", { name: "Requests by minute: 2 in the last hour" }).waitFor();
    await page.getByRole("img", { name: "Errors by minute: 1 in the last hour" }).waitFor();
    await page.getByRole("img", { name: /^Disk: / }).waitFor();
    await page.getByText("Ready").first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("lets the keyboard tick off what the server cannot know, take it back, and hide the list", async () => {
    await page.goto(`${stage.url}/app`);
    await page.getByText("1 of 7 done").waitFor();
    const keyboard = new Keyboard(page);
    await keyboard.choose(/^Mark as done: Say who runs this service$/);
    await page.getByText("2 of 7 done").waitFor();
    await keyboard.isOn(/^Undo: Say who runs this service$/);
    await keyboard.press("Enter");
    await page.getByText("1 of 7 done").waitFor();
    await keyboard.isOn(/^To do: Say who runs this service$/);
    for (const [done, title] of [
      [2, "Say who runs this service"],
      [3, "Decide who may sign up"],
      [4, "Set up mail"],
      [5, "Serve it over HTTPS"],
      [6, "Invite someone"],
    ] as const) {
      await page.getByRole("button", { name: `Mark as done: ${title}` }).waitFor();
      await page.getByRole("button", { name: `Mark as done: ${title}` }).press("Enter");
      await page.getByText(`${done} of 7 done`).waitFor();
    }
    await page.getByRole("button", { name: "Mark as done: Back up the database" }).press("Enter");
    await page.getByText("Everything is done.").waitFor();
    expect(await violations(page)).toEqual([]);
    await keyboard.choose(/^Hide checklist$/);
    await page.getByRole("heading", { name: "Set up your service" }).waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.reload();
    await page.getByRole("heading", { name: "Last hour" }).waitFor();
    expect(await page.getByRole("heading", { name: "Set up your service" }).count()).toBe(0);
  });

  it("is for operators: others have their own", async () => {
    const other = await returningContext(stage.browser, stage.url, "ada@example.com");
    const opened = await openPage(other, stage.url);
    await opened.page.goto(`${stage.url}/app`);
    await opened.page.getByRole("link", { name: "Show the quickstart" }).waitFor();
    expect(await opened.page.getByText("Last hour").count()).toBe(0);
    await opened.page.goto(`${stage.url}/admin/usage`);
    await opened.page.getByRole("heading", { name: "Page not found" }).first().waitFor();
    await other.close();
  });
});

describe("the service's usage", () => {
  it("has totals, causes and top lists, with its filters in the address", async () => {
    await page.goto(`${stage.url}/admin/usage`);
    await heading("Service usage");
    await page
      .getByRole("table", { name: "Errors and refusals by cause" })
      .getByText("engine_unavailable")
      .waitFor();
    const accounts = page.getByRole("table", { name: "Top accounts" });
    await accounts.getByRole("link", { name: "ada@example.com" }).waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByText("By tokens").click();
    await page.waitForURL(/measure=tokens/);
    await page.getByText("7 days").click();
    await page.waitForURL(/period=7d/);
    await page.getByLabel("Model", { exact: true }).selectOption("prism");
    await page.waitForURL(/model=prism/);
    await page.getByText("No requests in this period").first().waitFor();
    await page.getByLabel("Model", { exact: true }).selectOption("All models");
    await accounts.getByRole("link", { name: "ada@example.com" }).click();
    await page.waitForURL(/account=acc_/);
    await page.getByText("Causes are counted for the whole service").waitFor();
    await page.getByRole("table", { name: "Top keys" }).getByRole("link", { name: "laptop" }).click();
    await page.waitForURL(/key=key_/);
    await page.reload();
    await page.getByText(", key: ").waitFor();
    expect(await violations(page)).toEqual([]);
    const csv = page.getByRole("link", { name: "Download CSV" });
    expect(await csv.getAttribute("href")).toMatch(/account=acc_.*&key=key_/);
    await page.getByRole("button", { name: "All accounts" }).click();
    await page.getByLabel("Find an account").waitFor();
    expect(page.url()).not.toContain("account=");
  });

  it.each(["of the service", "of an account"])("shows days of one's own, %s", async (whose) => {
    const accounts = await stage.dashboard.app.store.listAccounts();
    const ada = accounts.find(({ email }) => email === "ada@example.com")?.id ?? "";
    const path = whose === "of the service" ? "/admin/usage" : `/admin/accounts/${ada}`;
    await page.goto(stage.url + path);
    await page.getByText("Custom", { exact: true }).click();
    const from = page.getByLabel("From", { exact: true });
    const earliest = (await from.getAttribute("min")) ?? "";
    const answered = page.waitForResponse(
      (response) => response.url().includes(`from=${earliest}`) && response.ok(),
    );
    await from.fill(earliest);
    await answered;
    await page.getByRole("heading", { name: "By model" }).waitFor();
    expect(new URL(page.url()).searchParams.get("from")).toBe(earliest);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });

  it("finds an account by its address from the keyboard, and says when there is none", async () => {
    await page.goto(`${stage.url}/admin/usage`);
    await page.getByLabel("Find an account").waitFor();
    const keyboard = new Keyboard(page);
    await keyboard.to(/^Find an account$/);
    await keyboard.type("nobody@example.com");
    await keyboard.press("Enter");
    await page.getByText("There is no such account.").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await keyboard.to(/^Find an account$/);
    await keyboard.type("ada@example.com");
    await keyboard.press("Enter");
    await page.getByRole("button", { name: "All accounts" }).waitFor();
    await page.getByRole("table", { name: "Top keys" }).getByText("laptop").waitFor();
  });
});

describe("the public status page", () => {
  it("has 90 days by model, as a picture and as a table, and a feed", async () => {
    await page.goto(`${stage.url}/status`);
    await page.getByRole("img", { name: /^omega: 50% of requests answered in 90 days/ }).waitFor();
    await page.getByRole("img", { name: "lambda: no requests in 90 days" }).waitFor();
    await new Keyboard(page).choose(/^omega as a table$/);
    await page
      .getByRole("table", { name: /^omega: requests by day/ })
      .getByText("50%")
      .waitFor();
    await page.getByText("While no server is running").waitFor();
    expect(await violations(page)).toEqual([]);
    const feed = page.getByRole("link", { name: "Atom feed" });
    expect(await feed.getAttribute("href")).toBe("/status.atom");
  });
});
