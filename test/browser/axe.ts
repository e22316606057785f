import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** All that a theme can change. */
export const colours = ["color-contrast"];

/** What axe finds on the page as it is now, with the elements at fault; by all of its rules, or by these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger rather than a script element, which the content security policy would refuse.
  await page.evaluate(axe);
  const found = await page.evaluate(
    (runOnly) => {
      const { axe: loaded } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
      return loaded.run(runOnly === null ? {} : { runOnly });
    },
    rules === undefined ? null : [...rules],
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}
