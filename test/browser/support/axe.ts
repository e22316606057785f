import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What opens over a page. */
const opened = ["[role=dialog]", "[role=alertdialog]", "[role=menu]", "[role=listbox]"].join();

/**
 * What axe finds on the page as it is now, and then in dark, where only colours can differ, and only those of what is
 * open over the page where something is. That a page looks the same when it is loaded in a theme as when it is
 * switched to it is in theme.test.ts.
 */
export async function violations(page: Page): Promise<string[]> {
  const inLight = await violationsInLight(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = await found(page, { runOnly: ["color-contrast"] }, opened);
  await page.emulateMedia({ colorScheme: "light" });
  return [...inLight, ...inDark.map((violation) => `in dark: ${violation}`)];
}

export const violationsInLight = (page: Page): Promise<string[]> => found(page, {});

/** With the elements at fault; in the whole page where nothing is of that selector. */
async function found(page: Page, options: RunOptions, within?: string): Promise<string[]> {
  // Once for each document: it is half a megabyte. Through the debugger rather than a script element, which the
  // content security policy would refuse.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  // What is still fading in counts as invisible: a dialog that nobody sees is none.
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map((animation) => animation.finished));
  });
  const results = await page.evaluate(
    ([selector, options]) => {
      const { axe: loaded } = window as unknown as { axe: Axe };
      const parts = selector === undefined ? [] : [...document.querySelectorAll(selector)];
      // All rules run; only what they pass is not put together.
      return loaded.run(parts.length === 0 ? document : parts, { resultTypes: ["violations"], ...options });
    },
    [within, options] as const,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}`),
  );
}

interface Axe {
  run: (context: Document | Element[], options: RunOptions) => Promise<AxeResults>;
}
