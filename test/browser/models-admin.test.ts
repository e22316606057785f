/**
 * An operator puts another model behind `omega` in a real browser, on the built program with the real engine. A server
 * on this machine stands in for the hub: it sends slowly, breaks off, goes on, and is wrong once.
 */
import { join } from "node:path";
import OpenAI from "openai";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.js";
import { eventually } from "../support/eventually.js";
import { startModelServer, type ModelServer } from "../support/engines/model-server.js";
import { newDataDir, runSotto, startSotto, type SottoProcess } from "../support/processes/sotto-process.js";
import { tinyGgufBytes, writeTinyGguf } from "../support/engines/tiny-gguf.js";
import { violations } from "./support/axe.js";
import { layoutErrors } from "./support/layout-faults.js";
import { dialog, press, question } from "./support/opening.js";
import { openPage, password } from "./support/visit.js";

const file = "better-Q4_K_M.gguf";
const bytes = tinyGgufBytes({ seed: 2 });

let hub: ModelServer;
let sotto: SottoProcess;
let browser: Browser;
let client: OpenAI;

beforeAll(async () => {
  const dataDir = newDataDir();
  writeTinyGguf(join(dataDir, "models", "small.gguf"), { seed: 3 });
  const first = join(newDataDir(), "first.gguf");
  writeTinyGguf(first, { seed: 1 });
  const env = { PATH: process.env.PATH, SOTTO_DATA_DIR: dataDir };
  for (const model of ["omega", "prism", "lambda"]) await runSotto(["models", "use", model, first], env);
  hub = await startModelServer({ [`/acme/better-GGUF/resolve/main/${file}`]: bytes });
  sotto = await startSotto({ dataDir, env: { SOTTO_HF_ENDPOINT: hub.url } });
  client = new OpenAI({ baseURL: sotto.baseURL, apiKey: await sotto.newKey() });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await sotto.stop();
  await hub.close();
});

const messages = [{ role: "user" as const, content: "hello" }];
const reply = async () => {
  const request = { model: "omega", temperature: 0, max_completion_tokens: 12, messages };
  return (await client.chat.completions.create(request)).choices[0]?.message.content ?? "";
};

async function openModels(): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ reducedMotion: "reduce", colorScheme: "light" });
  context.setDefaultTimeout(60_000);
  const { page, faults } = await openPage(context, sotto.url);
  await page.goto(await eventually(() => /http\S+\/setup#token=\S+/.exec(sotto.output())?.[0]));
  await page.getByLabel("Email").fill("operator@example.com");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${sotto.url}/app`);
  await page.getByRole("link", { name: "Models" }).click();
  await page.waitForURL(`${sotto.url}/admin/models`);
  return { page, faults };
}

describe("an operator in a browser", () => {
  it("downloads a model slowly, in pieces and corrupt once, switches to it, asks it something and rolls back", async () => {
    const { page, faults } = await openModels();
    const omega = page.getByRole("region", { name: "omega" });
    await omega.getByText("first.gguf").waitFor();
    await omega.getByText("CPU", { exact: true }).waitFor();
    const before = await reply();

    // Slow: two fifths arrive, and no more until the test has seen them.
    const part = Math.ceil(bytes.length * 0.4);
    let breakOff = (): void => undefined;
    const held = new Promise<void>((resolve) => (breakOff = resolve));
    Object.assign(hub.behaviour, { cutAfter: part, cuts: 1, beforeCut: () => held });
    await press(page, "Change model of omega");
    await dialog(page, "Change omega");
    await page.getByRole("tab", { name: "Download" }).click();
    await page.getByLabel("Hugging Face").fill("hf:acme/better-GGUF");
    await press(page, "Download");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const bar = page.getByRole("progressbar", { name: file });
    const isAt = (percent: string) =>
      eventually(async () => (await bar.getAttribute("aria-valuenow")) === percent);
    await isAt("40");
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await isAt("40");

    // Paused and resumed, it goes on where it was; then the connection breaks, and so does one byte of the rest.
    await press(page, `Pause ${file}`);
    await page.getByText("Paused").first().waitFor();
    Object.assign(hub.behaviour, { cutAfter: Math.ceil(bytes.length * 0.2), cuts: 1, corrupts: 0 });
    await press(page, `Resume ${file}`);
    await isAt("60");
    hub.behaviour.corrupts = 1;
    breakOff();
    await page.getByText(/arrived with the SHA-256/).waitFor();
    expect(hub.requests.map(({ range }) => range)).toEqual([
      undefined,
      `bytes=${part}-`,
      `bytes=${part + Math.ceil(bytes.length * 0.2)}-`,
    ]);
    await press(page, `Try again ${file}`);
    await page.getByText(/, verified/).waitFor();

    // A reply that runs is not dropped by the switch.
    const stream = await client.chat.completions.create({
      ...{ model: "omega", temperature: 0, max_completion_tokens: 900, messages, stream: true },
    });
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    await press(page, "Use for omega");
    await omega.getByText(file).first().waitFor();
    await eventually(async () => (await omega.getByText("Loading").count()) === 0);
    const after = await reply();
    expect(after).not.toBe(before);
    let finish: string | null | undefined;
    for (let event = await events.next(); event.done !== true; event = await events.next()) {
      finish = event.value.choices[0]?.finish_reason ?? finish;
    }
    expect(finish).toBe("length");

    for (const width of [320, 390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await layoutErrors(page)).toEqual([]);
    }
    await press(page, "Roll back omega");
    await question(page, "Roll back model");
    await press(page, "Roll back");
    await omega.getByText("first.gguf").waitFor();
    await eventually(async () => (await reply()) === before);

    // A draft model beside it changes nothing that it says; another model runs without it, and the dialog says so.
    await press(page, "Change model of omega");
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByLabel("Draft model").selectOption("small.gguf");
    await press(page, `Use ${file}`);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await omega.getByText("small.gguf").waitFor();
    await eventually(async () => (await reply()) === after);
    await press(page, "Change model of omega");
    await page.getByText(/^A model chosen here runs without the draft model small\.gguf/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByLabel("Draft model").selectOption("None");
    await press(page, `Apply ${file}`);
    await omega.getByText("small.gguf").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
