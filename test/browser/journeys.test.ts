import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";
import { postChat } from "../support/clients/post-chat.js";
import { launchBrowser } from "../support/browser.js";
import { eventually } from "../support/eventually.js";
import type { SottoProcess } from "../support/processes/sotto-process.js";
import { startTinySotto } from "../support/processes/tiny-sotto.js";
import { chooseAction, openPage, password, shownSecret, signUp } from "./support/visit.js";
import { connect } from "../../src/store/sql/sqlite/connection.js";

let sotto: SottoProcess;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];
let people = 0;

beforeAll(async () => {
  [sotto, browser] = await Promise.all([startTinySotto(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await sotto.stop();
});
beforeEach(async () => {
  context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(60_000);
  ({ page, faults } = await openPage(context, sotto.url));
});
afterEach(async () => {
  await context.close();
  expect(faults).toEqual([]);
});

const newEmail = () => `person${++people}@example.com`;

async function statusOf(key: string): Promise<number> {
  const response = await fetch(`${sotto.baseURL}/models`, { headers: { authorization: `Bearer ${key}` } });
  return response.status;
}

function streamWith(key: string): Promise<Response> {
  return postChat(sotto.url, key, { max_tokens: 900, stream: true });
}

describe("a person", () => {
  it("talks in the playground: streams, stops, switches the model, and leaves nothing behind", async () => {
    await signUp(page, sotto.url, newEmail());
    await page.goto(`${sotto.url}/app/playground`);
    const before = await page.evaluate(() => history.length);
    await page.getByRole("textbox", { name: "Message" }).fill("a secret sentence");
    await page.keyboard.press("Enter");
    const reply = page.getByRole("article", { name: "Reply from omega" });
    await eventually(async () => ((await reply.textContent()) ?? "").length > 20);

    await page.getByLabel("Model", { exact: true }).selectOption("prism");
    await eventually(async () => (await page.getByRole("button", { name: "Send" }).count()) > 0);
    await page.getByRole("textbox", { name: "Message" }).fill("another secret sentence");
    await page.getByRole("button", { name: "Send" }).click();
    await page
      .getByRole("button", { name: "Stop" })
      .click({ timeout: 5_000 })
      .catch(() => undefined);
    await page.getByRole("article", { name: "Reply from prism" }).waitFor();
    await eventually(async () => (await sotto.metric("sotto_sequences_active", "prism")) === 0);

    const kept = await page.evaluate(async () => {
      const databases = await indexedDB.databases();
      const caches = await self.caches.keys();
      return JSON.stringify([
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        databases,
        caches,
        location.href,
        history.state,
      ]);
    });
    expect(kept).not.toMatch(/secret/);
    expect(await page.evaluate(() => history.length)).toBe(before);
    await page.reload();
    expect(await page.getByText("secret sentence").count()).toBe(0);
  });

  it("deletes the account, and no row of it is left", async () => {
    const email = newEmail();
    await signUp(page, sotto.url, email);
    await page.getByRole("button", { name: "Create key" }).click();
    const key = await shownSecret(page);
    expect(await statusOf(key)).toBe(200);
    const { account } = (await page.evaluate(() => fetch("/api/me").then((r) => r.json()))) as {
      account: { id: string };
    };

    await page.goto(`${sotto.url}/app/account`);
    await page.getByRole("button", { name: "Delete account…" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByLabel(/to confirm/).fill("delete");
    await dialog.getByRole("button", { name: "Delete account" }).click();
    await eventually(async () => (await statusOf(key)) === 401);

    const database = connect(join(sotto.dataDir, "sotto.db"));
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all() as {
      name: string;
    }[];
    expect(tables.length).toBeGreaterThan(8);
    for (const { name } of tables) {
      const rows = JSON.stringify(database.prepare(`select * from "${name}"`).all());
      expect(rows).not.toContain(email);
      // The trail, and for an hour what other servers are told, name it by an id that means nothing any more.
      if (name !== "audit" && name !== "changes") expect(rows).not.toContain(account.id);
    }
    database.close();
  });
});

describe("the operator", () => {
  it("sets up, suspends an account whose keys and streams end, and announces a change", async () => {
    const link = await eventually(() => /http\S+\/setup#token=\S+/.exec(sotto.output())?.[0]);
    await page.goto(link);
    await page.getByLabel("Email").fill("operator@example.com");
    expect(page.url()).not.toContain("token=");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: /Create/ }).click();
    await page.waitForURL(`${sotto.url}/app`);

    const key = await sotto.newKey();
    const email = /user\S+@example.com/.exec(await sotto.run("accounts", "list"))?.[0] ?? "";
    const stream = await streamWith(key);
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    await page.goto(`${sotto.url}/admin/accounts`);
    await chooseAction(page, email, "Suspend…");
    await page
      .getByRole("button", { name: /Suspend/ })
      .last()
      .click();
    let rest = "";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      rest += part.value;
    expect(rest.includes("invalid_api_key") || rest.includes("[DONE]")).toBe(true);
    await eventually(async () => (await statusOf(key)) === 401);

    await page.goto(`${sotto.url}/admin/changelog`);
    await page.getByRole("button", { name: /entry/i }).first().click();
    await page.getByLabel("Title").fill("Faster <b>replies</b>");
    await page.getByLabel("Text").fill("Now with **more** tokens. <script>alert(1)</script>");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /Publish|Save/ })
      .click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(`${sotto.url}/changelog`);
    await page.getByText("Faster <b>replies</b>").waitFor();
    const feed = await (await fetch(`${sotto.url}/changelog.atom`)).text();
    expect(feed).toContain("Faster &lt;b&gt;replies&lt;/b&gt;");
  });
});
