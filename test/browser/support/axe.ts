import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** All that a theme can change. */
const colours = ["color-contrast"];

/**
 * What axe finds on the page as it is now, and then in dark. That a page looks the same when it is loaded
 * in a theme as when it is switched to it is in theme.test.ts.
 */
export async function violations(page: Page): Promise<string[]> {
  const inLight = await found(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = await found(page, colours);
  await page.emulateMedia({ colorScheme: "light" });
  return [...inLight, ...inDark.map((violation) => `in dark: ${violation}`)];
}

/** With the elements at fault; by all of axe's rules, or by these. */
async function found(page: Page, rules?: readonly string[]): Promise<string[]> {
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
    (runOnly) => {
      const { axe: loaded } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
      // All rules run; only what they pass is not put together.
      return loaded.run({ resultTypes: ["violations"], ...(runOnly === null ? {} : { runOnly }) });
    },
    rules === undefined ? null : [...rules],
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}`),
  );
}
