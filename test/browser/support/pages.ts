import type { Page } from "playwright-core";

/** Loads a page, and waits until all of it is there. */
export async function load(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "networkidle" });
  await shown(page);
}

/**
 * Changes to another page as a link does: the document stays, which spares half of the work. By way of the page for
 * unknown addresses, so that what is waited for is not the heading of the page before.
 */
export async function moveTo(page: Page, path: string): Promise<void> {
  const open = (address: string) => page.evaluate((to) => history.pushState(null, "", to), address);
  const isUnknown = () => document.querySelector("h1")?.textContent === "Page not found";
  await open("/no-such-page");
  await page.waitForFunction(isUnknown);
  if (path === "/no-such-page") return;
  await open(path);
  await page.waitForFunction(
    () => ![undefined, "Page not found"].includes(document.querySelector("h1")?.textContent),
  );
  await shown(page);
}

/** Its heading is there, and nothing on it is still loading. */
async function shown(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(() => document.querySelector(".animate-breathe, [aria-busy=true]") === null);
}
