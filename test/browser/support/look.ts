/** What a page must hold at every width: no violation that axe finds, nothing that overflows or overlaps. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violations } from "./axe.js";
import { layoutErrors } from "./layout-faults.js";

export const widths = [320, 390, 1024, 1440];

export async function expectNoFaults(page: Page, name: string): Promise<void> {
  await page.waitForFunction(() => document.querySelector(".animate-breathe") === null);
  expect((await violations(page)).map((violation) => `${name}: ${violation}`)).toEqual([]);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect((await layoutErrors(page)).map((error) => `${name} at ${width}: ${error}`)).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
