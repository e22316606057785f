import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What opens over a page. */
const opened = ["[role=dialog]", "[role=alertdialog]", "[role=menu]", "[role=listbox]"].join();

/**
 * What axe finds on the page as it is now, and then in the other theme, where only colours can differ, and in which the
 * page is left. Where something is open over the page, in that alone: the page behind it must only be hidden as a whole.
 * That a page looks the same when it is loaded in a theme as when it is switched to it is in theme.test.ts.
 */
export async function violations(page: Page): Promise<string[]> {
  const inTheme = (theme: string, all: string[]) => all.map((violation) => `in ${theme}: ${violation}`);
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  const [first, second] = isDark ? (["dark", "light"] as const) : (["light", "dark"] as const);
  const inFirst = await found(page, {});
  await page.emulateMedia({ colorScheme: second });
  const inSecond = await found(page, { runOnly: ["color-contrast"] });
  return [...inTheme(first, inFirst), ...inTheme(second, inSecond)];
}

/** For a page whose colours are looked at in another size: they are the same in all, and take longest. */
export const violationsButColours = (page: Page): Promise<string[]> =>
  found(page, { rules: { "color-contrast": { enabled: false } } });

/** With the elements at fault. */
async function found(page: Page, options: RunOptions): Promise<string[]> {
  // Once for each document: it is half a megabyte. Through the debugger rather than a script element, which the
  // content security policy would refuse.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const results = await page.evaluate(
    async ([selector, options]) => {
      // What is still fading in counts as invisible: a dialog that nobody sees is none.
      const ending = document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity);
      await Promise.allSettled(ending.map((animation) => animation.finished));
      const { axe: loaded } = window as unknown as { axe: Axe };
      // All rules run; only what they pass is not put together.
      const run = (within: Document | Element[], more: RunOptions) =>
        loaded.run(within, { resultTypes: ["violations"], ...more });
      const parts = [...document.querySelectorAll(selector)];
      // As Radix marks what it hides behind something that is open.
      const isCovered = document.querySelector("[data-aria-hidden=true]") !== null;
      if (parts.length === 0 || !isCovered) return (await run(document, options)).violations;
      const behind = await run(document, { runOnly: ["aria-hidden-focus"] });
      return [...(await run(parts, options)).violations, ...behind.violations];
    },
    [opened, options] as const,
  );
  return results.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}

interface Axe {
  run: (context: Document | Element[], options: RunOptions) => Promise<AxeResults>;
}
