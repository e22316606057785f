/** What people and the operator read about the models while the starter is in use, and when another model does. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { recordSpeed } from "../../src/models/measured-speed.js";
import { starterFileNames } from "../../src/models/starter/starter.js";
import { launchBrowser } from "../support/browser.js";
import { startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import { violations } from "./support/axe.js";
import { layoutErrors } from "./support/layout-faults.js";
import { openPage, returningContext } from "./support/visit.js";

const operatorEmail = "operator@example.com";
const note = "Demonstration model";
const starter = `/data/models/${starterFileNames[0] ?? ""}`;

let browser: Browser;
let dashboard: TestDashboard;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());
afterEach(() => dashboard.close());

async function visit(engineWeights: string, look: (page: Page) => Promise<void>): Promise<void> {
  dashboard = await startDashboard({
    webDir: "dist/web",
    engineWeights,
    env: { SOTTO_MODELS_OMEGA_DESCRIPTION: "Our best for letters and long answers." },
  });
  await dashboard.setUp(operatorEmail);
  await recordSpeed(dashboard.app.store, engineWeights, { tokensPerSecond: 41.5, at: new Date() });
  const context = await returningContext(browser, dashboard.url, operatorEmail, { locale: "en-US" });
  const { page, faults } = await openPage(context, dashboard.url);
  await look(page);
  expect(faults).toEqual([]);
  await context.close();
}

async function textOf(page: Page, path: string): Promise<string> {
  await page.goto(dashboard.url + path);
  await page.locator("h1").first().waitFor();
  await page.waitForLoadState("networkidle");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await layoutErrors(page)).toEqual([]);
  }
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
  return page.locator("main").innerText();
}

const places = ["/", "/docs/models", "/app/playground"];

describe("while the starter is in use", () => {
  it("pages say that it is a demonstration and what it cannot do", () =>
    visit(starter, async (page) => {
      for (const path of places) {
        const text = await textOf(page, path);
        expect(text).toContain(note);
        for (const weakness of ["multi-step reasoning", "other languages", "long texts", "role-play"])
          expect(text).toContain(weakness);
      }
    }));

  it("the operator's page names a better model, or the catalogue, with the command", () =>
    visit(starter, async (page) => {
      for (const path of ["/admin/engines", "/admin/models"]) {
        const text = await textOf(page, path);
        expect(text).toContain("The starter is a demonstration model");
        expect(text).toMatch(/sotto models (use omega [a-z0-9.-]+|catalog)/);
      }
    }));

  it("visitors without an account read the same", () =>
    visit(starter, async (page) => {
      await page.context().clearCookies();
      for (const path of ["/", "/docs/models"]) {
        const text = await textOf(page, path);
        expect(text).toContain(note);
        expect(text).toContain("TinyLlama 1.1B Chat");
      }
    }));
});

describe("when another model is in use", () => {
  it("pages show its facts, and nothing about a demonstration", () =>
    visit("/data/models/Qwen3-4B-Instruct-2507-Q4_K_M.gguf", async (page) => {
      for (const path of places) {
        const text = await textOf(page, path);
        expect(text).not.toContain(note);
        for (const fact of [
          "1,000 tokens",
          "41.5 tokens/s",
          "Qwen3 4B Instruct 2507",
          "Apache-2.0",
          "Our best for letters",
        ])
          expect(text).toContain(fact);
      }
      expect(await textOf(page, "/admin/engines")).not.toContain("demonstration");
    }));
});
