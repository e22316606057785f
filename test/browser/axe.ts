import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds on the page as it is now, with the elements at fault. */
export async function violations(page: Page): Promise<string[]> {
  // Through the debugger rather than a script element, which the content security policy would refuse.
  await page.evaluate(axe);
  const found = await page.evaluate(() => {
    const { axe: loaded } = window as unknown as { axe: { run: () => Promise<AxeResults> } };
    return loaded.run();
  });
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}
