/**
 * Looking things up: the palette, the shortcuts, what is chosen kept in the address, the overview of those who
 * return.
 */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { postChat } from "../../support/clients/post-chat.js";
import type { Browser as Visitor } from "../../support/processes/dashboard-server.js";
import { violations } from "../support/axe.js";
import { Keyboard } from "../support/keyboard.js";
import { press } from "../support/opening.js";
import { setStage } from "../support/stage.js";
import { openPage, password, returningContext } from "../support/visit.js";

let context: BrowserContext;
let page: Page;
let keyboard: Keyboard;
let faults: string[];

const stage = setStage(async (dashboard) => {
  const operator = await dashboard.setUp();
  await newKey(operator, "Nightly robot");
  const ada = await dashboard.signUp("ada@example.com");
  await newKey(ada, "Unused");
  const secret = await newKey(ada, "Invoice reader");
  const reply = await postChat(dashboard.url, secret);
  expect(reply.status).toBe(200);
  await stage.dashboard.usageWritten(1);
  await stage.dashboard.signUp("eve@example.com");
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

async function newKey(visitor: Visitor, name: string): Promise<string> {
  const body = { name, models: null, expiresInDays: null };
  return (await visitor.post<{ secret: string }>("/api/keys", body)).secret;
}

async function enter(email: string, width = 1280): Promise<void> {
  context = await returningContext(stage.browser, stage.url, email, { viewport: { width, height: 844 } });
  ({ page, faults } = await openPage(context, stage.url));
  keyboard = new Keyboard(page);
}

const open = async (path: string, heading: string) => {
  await page.goto(stage.url + path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
};
const palette = () => page.getByRole("dialog", { name: "Find anything" });
const marked = () => palette().locator('[role="option"][aria-selected="true"]');

async function look(query: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await palette().waitFor();
  await page.keyboard.type(query);
}

describe("the palette", () => {
  beforeEach(() => enter("operator@example.com"));

  it("opens a page by a few letters, and Escape hands the focus back", async () => {
    await open("/app/keys", "Keys");
    await keyboard.to(/^Create key$/);
    await look("usag");
    await keyboard.isOn(/^Find anything$/);
    await marked().filter({ hasText: "Usage" }).waitFor();
    await keyboard.press("Escape");
    await palette().waitFor({ state: "detached" });
    await keyboard.isOn(/^Create key$/);
    await look("usag");
    await marked().waitFor();
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
  });

  it("moves through the results with the arrows, around both ends", async () => {
    await open("/app", "Overview");
    await look("");
    const options = palette().getByRole("option");
    await options.first().waitFor();
    await keyboard.press("ArrowUp");
    await expect.poll(() => options.last().getAttribute("aria-selected")).toBe("true");
    await keyboard.press("ArrowDown", "ArrowDown");
    await marked().filter({ hasText: "Keys" }).waitFor();
    const active = await palette().getByRole("combobox").getAttribute("aria-activedescendant");
    expect(active).toBe(await marked().getAttribute("id"));
  });

  it("finds keys by name, accounts by the service and sections of the documentation", async () => {
    await open("/app", "Overview");
    await look("nightly");
    await palette().getByRole("group", { name: "Keys" }).getByText("Nightly robot").waitFor();
    await keyboard.type("service usage");
    await palette().getByRole("option", { name: "Service usage" }).waitFor();
    await keyboard.type("ada@");
    await marked().filter({ hasText: "ada@example.com" }).waitFor();
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "ada@example.com" }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/admin\/accounts\/acc_\w+$/);
    await look("when a limit is reached");
    await marked().filter({ hasText: "When a limit is reached" }).waitFor();
    await keyboard.press("Enter");
    await page.waitForURL(`${stage.url}/docs/limits#exceeded`);
    await page.getByRole("heading", { name: "When a limit is reached" }).waitFor();
  });

  it("finds an error by the code from a log, and an operation by its path", async () => {
    await open("/app", "Overview");
    await look("/v1/models");
    await palette().getByRole("option").filter({ hasText: "GET" }).first().waitFor();
    await keyboard.type("rate_limit_exc");
    await marked().filter({ hasText: "rate_limit_exceeded" }).waitFor();
    await keyboard.press("Enter");
    await page.waitForURL(`${stage.url}/docs/errors#rate_limit_exceeded`);
    await page.locator("#rate_limit_exceeded").waitFor();
  });

  it("says so when nothing is found, and has no accessibility violations in any state", async () => {
    await open("/app", "Overview");
    await look("");
    await marked().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("nothing is called so");
    await page.getByText("Nothing found for “nothing is called so”.").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("says when accounts cannot be searched", async () => {
    await page.route("**/api/admin/accounts?*", (route) => route.abort());
    await open("/app", "Overview");
    await look("ada");
    await page.getByText("Accounts could not be searched.").waitFor();
  });
});

describe("for someone who is no admin", () => {
  it("the palette never asks for accounts, nor names admins' pages", async () => {
    await enter("ada@example.com");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await open("/app", "Overview");
    await look("eve@");
    await page.getByText("Nothing found for").waitFor();
    await keyboard.type("service usage");
    // The documentation has these words, too.
    await palette().getByRole("option").first().waitFor();
    expect(await palette().getByRole("option", { name: "Service usage" }).count()).toBe(0);
    expect(asked.filter((url) => url.includes("/api/admin"))).toEqual([]);
  });

  it.each([390, 1024])("at %i px the palette opens by its button", async (width) => {
    await enter("ada@example.com", width);
    await open("/app", "Overview");
    await page.getByRole("button", { name: "Find anything" }).click();
    await palette().getByRole("combobox").fill("invoice");
    await marked().filter({ hasText: "Invoice reader" }).click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
});

describe("the keyboard shortcuts", () => {
  beforeEach(() => enter("ada@example.com"));
  const sheet = () => page.getByRole("dialog", { name: "Keyboard shortcuts" });

  it("go to pages, and a sheet lists them", async () => {
    await open("/app", "Overview");
    await keyboard.press("g", "u");
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await keyboard.press("?");
    await sheet().waitFor();
    expect(await violations(page)).toEqual([]);
    await keyboard.press("g", "k", "Escape");
    await sheet().waitFor({ state: "detached" });
    expect(page.url()).toBe(`${stage.url}/app/usage`);
    await keyboard.press("/");
    await palette().waitFor();
  });

  it("lead to an operator's pages, which others' keys and sheet do not", async () => {
    await open("/app", "Overview");
    await keyboard.press("?");
    await sheet().getByText("Playground").first().waitFor();
    expect(await sheet().getByText("Service usage").count()).toBe(0);
    await keyboard.press("Escape");
    await sheet().waitFor({ state: "detached" });
    await keyboard.press("g", "s", "g", "u");
    await page.getByRole("heading", { level: 1, name: "Usage", exact: true }).waitFor();
    await context.close();
    await enter("operator@example.com");
    await open("/app", "Overview");
    await keyboard.press("?");
    await sheet().getByText("Service usage").waitFor();
    await keyboard.press("Escape");
    await sheet().waitFor({ state: "detached" });
    await keyboard.press("g", "n");
    await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();
    await page.getByRole("link", { name: "ada@example.com" }).click();
    await page.getByRole("heading", { level: 1, name: "ada@example.com" }).waitFor();
    const current = page.getByRole("navigation", { name: "Dashboard" }).locator('[aria-current="page"]');
    expect(await current.allTextContents()).toEqual(["Accounts"]);
  });

  it("leave letters to whoever types them", async () => {
    await open("/app/playground", "Playground");
    const message = page.getByRole("textbox", { name: "Message" });
    await message.focus();
    await page.keyboard.type("g u?/");
    expect(await message.inputValue()).toBe("g u?/");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("of a single key can be switched off, and stay off", async () => {
    await open("/app", "Overview");
    await keyboard.press("?");
    await sheet().waitFor();
    await keyboard.to(/^Single-key shortcuts$/);
    await keyboard.press("Space", "Escape");
    await sheet().waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await keyboard.press("?", "g", "u");
    await page.keyboard.press("ControlOrMeta+k");
    await palette().waitFor();
    expect(page.url()).toBe(`${stage.url}/app`);
    expect(await sheet().count()).toBe(0);
  });
});

describe("the usage page's address", () => {
  beforeEach(() => enter("ada@example.com"));

  it("keeps the period and the filters over a reload and over a sign-in", async () => {
    await open("/app/usage", "Usage");
    await page.getByText("30 days", { exact: true }).click();
    await page.getByLabel("Model", { exact: true }).selectOption("omega");
    const address = `${stage.url}/app/usage?period=30d&model=omega`;
    expect(page.url()).toBe(address);
    await page.reload();
    await expect.poll(() => page.getByRole("radio", { name: "30 days" }).isChecked()).toBe(true);
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("omega");
    await context.clearCookies();
    await page.reload();
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await page.waitForURL(address);
  });

  it("takes a key that is found by a few letters, with the keyboard", async () => {
    await open("/app/usage", "Usage");
    const options = page.getByRole("listbox", { name: "Key" });
    await keyboard.to(/^Key$/);
    await page.keyboard.press("ArrowDown");
    await options.getByRole("option", { name: "All keys" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("invoi");
    await options.getByRole("option").filter({ hasText: "Invoice reader" }).waitFor();
    await expect.poll(() => options.getByRole("option").count()).toBe(1);
    await keyboard.press("Enter");
    await page.waitForURL(/key=key_/);
    const key = page.getByRole("combobox", { name: "Key" });
    expect(await key.inputValue()).toMatch(/^Invoice reader \(…\w{4}\)$/);
    // Two keys may share a name.
    await page
      .getByRole("table", { name: "Usage by key" })
      .getByRole("link", { name: /^Invoice reader …\w{4}$/ })
      .waitFor();
    await key.press("ArrowDown");
    await page.keyboard.type("nothing like it");
    await page.getByText("Nothing found.").waitFor();
    await keyboard.press("Escape");
    expect(await key.inputValue()).toMatch(/^Invoice reader/);
  });

  it("holds days of one's own, as far back as usage is kept", async () => {
    await open("/app/usage", "Usage");
    await page.getByText("Custom", { exact: true }).click();
    const [from, to] = [page.getByLabel("From", { exact: true }), page.getByLabel("To", { exact: true })];
    const earliest = (await from.getAttribute("min")) ?? "";
    const today = (await to.getAttribute("max")) ?? "";
    expect((Date.parse(today) - Date.parse(earliest)) / 86_400_000).toBe(399);
    const answered = page.waitForResponse(
      (response) => response.url().includes(`/api/usage?from=${earliest}`) && response.ok(),
    );
    await from.fill(earliest);
    await answered;
    expect(page.url()).toBe(`${stage.url}/app/usage?from=${earliest}&to=${today}`);
    await page.getByText("By model").waitFor();
    await to.fill("2020-01-01");
    await page.getByText("The first day must not be after the last.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
});

describe("the overview", () => {
  it("shows those who return their day, their limits and their keys, and the quickstart when asked", async () => {
    await enter("ada@example.com");
    await open("/app", "Overview");
    const keys = page.getByRole("table", { name: "Recent keys" });
    await keys.getByRole("link", { name: "Invoice reader" }).waitFor();
    // The one that was used comes first.
    expect(await keys.getByRole("link").first().textContent()).toBe("Invoice reader");
    await page.getByRole("heading", { name: "Last 24 hours" }).waitFor();
    await page.getByRole("meter", { name: "Requests this minute" }).waitFor();
    expect(await page.getByText("Make a request").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "Show the quickstart" }).click();
    await page.getByText("Make a request").waitFor();
    await page.goBack();
    await keys.getByRole("link", { name: "Invoice reader" }).click();
    await page.waitForURL(/\/app\/usage\?period=7d&key=/);
    expect(await page.getByLabel("Key", { exact: true }).inputValue()).not.toBe("");
  });

  it("begins with the quickstart, which stays while a new key's secret is on it", async () => {
    await enter("eve@example.com");
    await open("/app", "Overview");
    await page.getByText("Create your first key").waitFor();
    await press(page, "Create key");
    const secret = page.getByText(/^sk-sotto-\w+$/).first();
    const key = (await secret.textContent()) ?? "";
    const headers = { authorization: `Bearer ${key}` };
    const data = { model: "omega", messages: [{ role: "user", content: "hi" }] };
    const reply = await context.request.post(`${stage.url}/v1/chat/completions`, { headers, data });
    expect(reply.ok()).toBe(true);
    await stage.dashboard.usageWritten(2);
    await expect
      .poll(async () => (await context.request.get(`${stage.url}/api/keys`)).text())
      .not.toContain('"lastUsedAt":null');
    // As when the reader comes back to the tab: the keys are read again.
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("Requests this minute").waitFor();
    expect(await secret.isVisible()).toBe(true);
    await page.reload();
    await page.getByRole("table", { name: "Recent keys" }).waitFor();
  });
});
