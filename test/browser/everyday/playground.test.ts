/**
 * The playground: asking before it is left, two models side by side, refusals that pass, figures and defaults,
 * Markdown, exported conversations and presets.
 */
import { readFile } from "node:fs/promises";
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.js";
import { violations } from "../support/axe.js";
import { Keyboard } from "../support/keyboard.js";
import { press, question } from "../support/opening.js";
import { setStage } from "../support/stage.js";
import { openPage, signedInContext } from "../support/visit.js";

let context: BrowserContext;
let page: Page;
let keyboard: Keyboard;
let faults: string[];
let people = 0;

const stage = setStage();
beforeEach(async () => {
  context = await signedInContext(stage.browser, stage.url, `play${++people}@example.com`);
  ({ page, faults } = await openPage(context, stage.url));
  keyboard = new Keyboard(page);
  await page.goto(`${stage.url}/app/keys`);
  await page.getByRole("link", { name: "Playground" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
});
afterEach(async () => {
  stage.dashboard.engine.release();
  await context.close();
  expect(faults).toEqual([]);
});

const message = () => page.getByRole("textbox", { name: "Message" });
const reply = (model: string) => page.getByRole("article", { name: `Reply from ${model}` });
const leaving = () => question(page, "Leave the playground?");
const at = (path: string) => page.waitForURL(stage.url + path);

async function ask(text: string): Promise<void> {
  await message().fill(text);
  await keyboard.press("Enter");
}

describe("leaving the playground", () => {
  it("needs a confirmation for a link, and staying keeps the draft and the focus", async () => {
    await message().fill("half a thought");
    await keyboard.to(/^Usage$/, "Shift+Tab");
    await keyboard.press("Enter");
    await leaving();
    await keyboard.isOn(/^Stay$/);
    expect(await violations(page)).toEqual([]);
    await keyboard.press("Enter");
    await keyboard.isOn(/^Usage$/);
    expect(await message().inputValue()).toBe("half a thought");
    expect(page.url()).toBe(`${stage.url}/app/playground`);
    await keyboard.press("Enter");
    await leaving();
    await press(page, "Leave");
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
  });

  it("needs a confirmation for the browser's Back, which then goes to its usual target", async () => {
    await ask("hello");
    await reply("omega").getByText("Hello from omega.").waitFor();
    await page.goBack();
    await leaving();
    await press(page, "Stay");
    expect(page.url()).toBe(`${stage.url}/app/playground`);
    await reply("omega").getByText("Hello from omega.").waitFor();
    await page.goBack();
    await leaving();
    await press(page, "Leave");
    await at("/app/keys");
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  });

  it("needs the browser's own confirmation for a reload", async () => {
    await message().fill("half a thought");
    await message().press("End");
    const asked = page.waitForEvent("dialog").then(async (dialog) => {
      await dialog.accept();
      return dialog.type();
    });
    await page.reload();
    expect(await asked).toBe("beforeunload");
    expect(await message().inputValue()).toBe("");
  });

  it("is not asked about when there is nothing to lose, nor when someone signs out", async () => {
    await page.getByRole("link", { name: "Limits" }).first().click();
    await at("/app/limits");
    await page.goBack();
    await message().fill("a secret draft");
    const { page: other } = await openPage(context, stage.url);
    await other.goto(`${stage.url}/app`);
    await press(other, /^Account: play/);
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(/\/sign-in/);
  });
});

describe("two models side by side", () => {
  it("get the same message, stream independently and are stopped one by one", async () => {
    stage.dashboard.engine.hold();
    await press(page, "Compare");
    await page.getByText("Ask both").waitFor();
    // Its button is gone.
    await keyboard.isOn(/^Message$/);
    expect(await page.getByLabel("Second model", { exact: true }).inputValue()).toBe("prism");
    expect(await violations(page)).toEqual([]);
    await ask("who are you?");
    await press(page, "Stop omega");
    await reply("omega").getByText("stopped by you").waitFor();
    await eventually(() => stage.dashboard.engine.active === 1);
    stage.dashboard.engine.release();
    await reply("prism").getByText("Hello from prism.").waitFor();
    await reply("prism")
      .getByText(/tokens in, \d+ out/)
      .waitFor();
    const asked = stage.dashboard.engine.generations.slice(-2).map(({ model }) => model);
    expect(asked.toSorted()).toEqual(["omega", "prism"]);
    expect(await violations(page)).toEqual([]);
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  });

  it("continue what one began, and either can go on alone", async () => {
    await ask("first");
    await reply("omega").getByText("Hello from omega.").waitFor();
    await press(page, "Compare");
    await ask("second");
    await reply("prism").getByText("Hello from prism.").waitFor();
    await expect.poll(() => reply("omega").count()).toBe(2);
    const sent = stage.dashboard.engine.generations.at(-1)?.messages.map(({ role }) => role);
    expect(sent).toEqual(["user", "assistant", "user"]);
    await press(page, "Remove first model");
    await keyboard.isOn(/^Message$/);
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("prism");
    expect(await reply("omega").count()).toBe(1);
    await ask("third");
    await expect.poll(() => reply("prism").count()).toBe(2);
  });
});

describe("a refusal that passes", () => {
  it("counts down to when it can be sent again, and sends it", async () => {
    await page.clock.install();
    const error = { code: "limit_reached", message: "Rate limit reached: 20 requests per minute." };
    await page.route(
      "**/api/playground",
      (route) => route.fulfill({ status: 429, headers: { "retry-after": "115" }, json: { error } }),
      { times: 1 },
    );
    await ask("hello");
    await page.getByRole("alert").filter({ hasText: "20 requests per minute" }).waitFor();
    const retry = page.getByRole("button", { name: /^Retry/ });
    const left = async () => Number(/^Retry in (\d+) s$/.exec((await retry.textContent()) ?? "")?.[1]);
    const atFirst = await left();
    expect(atFirst).toBeGreaterThan(60);
    expect(await violations(page)).toEqual([]);
    // Too early: nothing is sent.
    await retry.click({ force: true });
    expect(await retry.textContent()).toMatch(/^Retry in/);
    await page.clock.fastForward(30_000);
    await expect.poll(left).toBeLessThanOrEqual(atFirst - 30);
    await page.clock.fastForward(120_000);
    await expect.poll(() => retry.textContent()).toBe("Retry");
    await retry.focus();
    await keyboard.press("Enter");
    await reply("omega").getByText("Hello from omega.").waitFor();
    await keyboard.isOn(/^Message$/);
  });

  it("shows hours and minutes when a quota resets much later", async () => {
    await page.clock.install();
    const error = { code: "limit_reached", message: "Quota reached: 100 requests per day." };
    await page.route("**/api/playground", (route) =>
      route.fulfill({ status: 429, headers: { "retry-after": "43200" }, json: { error } }),
    );
    await ask("hello");
    const retry = page.getByRole("button", { name: /^Retry/ });
    await expect.poll(() => retry.textContent()).toBe("Retry in 12 h");
    await page.clock.fastForward(41_000_000);
    await expect.poll(() => retry.textContent()).toMatch(/^Retry in \d\d min$/);
  });
});

describe("the settings", () => {
  it("show what applies when nothing is chosen", async () => {
    const settings = page.getByRole("complementary", { name: "Settings" });
    await settings.getByText("1 (default)").waitFor();
    await settings.getByText("model’s own (default)").waitFor();
    expect(await settings.getByText("0 (default)").count()).toBe(2);
    const maxTokens = settings.getByLabel("Max tokens");
    expect(await maxTokens.getAttribute("placeholder")).toBe("Default: 256");
    await maxTokens.fill("12");
    await settings.getByText("256 by default").waitFor();
    await settings.getByLabel("Temperature").fill("0.5");
    await settings.getByRole("button", { name: "Reset temperature to 1" }).click();
    await settings.getByText("1 (default)").waitFor();
  });
});

describe("a reply in Markdown", () => {
  const written = [
    "### Results\n\n# Whole\n\n| model | speed |\n| :-- | --: |\n| omega | 12 |\n\n- [x] done\n- [ ] open\n\n",
    "~~old~~ see https://example.com/a.\n\n```go\nfunc main() {}\n```\n\n```sql\nselect 1\n```\n\nمرحبا\n",
  ];

  it("has tables, tasks, links, code with its language, and headings in order", async () => {
    stage.dashboard.engine.script = () => ({ fragments: written });
    // The message box has the focus already.
    await keyboard.isOn(/^Message$/);
    await page.keyboard.type("hello");
    await keyboard.press("Enter");
    const shown = reply("omega");
    await shown.getByRole("cell", { name: "12" }).waitFor();
    await shown.getByText(/tokens in, \d+ out/).waitFor();
    await shown.getByRole("heading", { level: 3, name: "Results" }).waitFor();
    await shown.getByRole("img", { name: "Done" }).waitFor();
    await shown.getByRole("deletion").waitFor();
    expect(await shown.getByRole("link").getAttribute("href")).toBe("https://example.com/a");
    expect(await shown.getByText(/^(?:Go|SQL)$/).count()).toBe(2);
    expect(await shown.getByRole("button", { name: "Copy code" }).count()).toBe(2);
    const direction = shown.getByText("مرحبا").evaluate((element) => getComputedStyle(element).direction);
    expect(await direction).toBe("rtl");
    expect(await violations(page)).toEqual([]);
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  });
});

describe("a conversation in a file", () => {
  const choose = async (item: string) => {
    await press(page, "More");
    await page.getByRole("menuitem", { name: item }).click();
    await page.getByRole("dialog", { name: item }).waitFor();
  };
  const field = (name: string) => page.getByLabel(name, { exact: true });

  it("is encrypted, opens on an empty page, and nothing of it is sent", async () => {
    stage.dashboard.engine.script = () => ({ fragments: ["an unmistakable reply"] });
    await field("System prompt").fill("Be unmistakable.");
    await ask("an unmistakable question");
    await reply("omega").getByText("an unmistakable reply").waitFor();
    await choose("Export conversation");
    await field("Passphrase").fill("correct horse");
    await field("Repeat passphrase").fill("correct house");
    await press(page, "Export");
    await page.getByText("The two passphrases differ.").waitFor();
    expect(await violations(page)).toEqual([]);
    await field("Repeat passphrase").fill("correct horse");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Export")]);
    expect(download.suggestedFilename()).toMatch(/^conversation-[\d-]+\.sotto\.json$/);
    const path = await download.path();
    const text = await readFile(path, "utf8");
    expect(text).not.toContain("unmistakable");
    expect(JSON.parse(text)).toMatchObject({ iterations: 600_000, cipher: "AES-256-GCM" });

    await page.getByRole("dialog").waitFor({ state: "detached" });
    await keyboard.isOn(/^More$/);
    await press(page, "Clear");
    await field("System prompt").fill("");
    await choose("Import conversation");
    await field("File").setInputFiles({
      name: "a.json",
      mimeType: "application/json",
      buffer: Buffer.from(text.slice(0, -20)),
    });
    await field("Passphrase").fill("correct house");
    await press(page, "Import");
    await page.getByText(/The file is damaged/).waitFor();
    await keyboard.isOn(/^File$/);
    await field("File").setInputFiles(path);
    await press(page, "Import");
    await page.getByText(/The passphrase is wrong/).waitFor();
    await keyboard.isOn(/^Passphrase$/);
    expect(await violations(page)).toEqual([]);
    await field("Passphrase").fill("correct horse");
    await press(page, "Import");
    await reply("omega").getByText("an unmistakable reply").waitFor();
    expect(await field("System prompt").inputValue()).toBe("Be unmistakable.");
    expect(sent.filter((request) => !request.startsWith("GET"))).toEqual([]);
    await ask("and on");
    await expect.poll(() => reply("omega").count()).toBe(2);
    expect(stage.dashboard.engine.generations.at(-1)?.messages.map(({ role }) => role)).toEqual([
      ...["system", "user", "assistant", "user"],
    ]);
  });
});

describe("a preset", () => {
  it("outlives a reload, is used, and is gone once deleted", async () => {
    const system = page.getByLabel("System prompt");
    await system.fill("Be brief.");
    await press(page, "Presets");
    await press(page, "Save");
    await page.getByText("Enter a name.").waitFor();
    await page.getByLabel("Save the current settings as").fill("Brief");
    await keyboard.press("Enter");
    await page.getByRole("button", { name: "Use Brief" }).waitFor();
    expect(await violations(page)).toEqual([]);
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await press(page, "Presets");
    await press(page, "Use Brief");
    await expect.poll(() => system.inputValue()).toBe("Be brief.");
    await press(page, "Presets");
    await press(page, "Delete Brief");
    await keyboard.isOn(/^Save the current settings as$/);
    const left = () =>
      page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes("preset")));
    expect(await left()).toEqual([]);
  });
});
