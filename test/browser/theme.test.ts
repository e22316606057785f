/** What the theme switch leaves behind. A page is compared with itself, loaded anew in the theme it was given. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { setStage } from "./support/stage.js";
import { password } from "./support/visit.js";

/** A deep page with parts that are folded away, and one with charts and tables. */
const paths = ["/docs/api", "/app/usage"];

let context: BrowserContext | undefined;

const stage = setStage(async (dashboard) => {
  await dashboard.setUp();
});
afterEach(() => context?.close());

/** In a browser whose system is light. */
async function visit(path: string, reducedMotion: "reduce" | "no-preference"): Promise<Page> {
  context = await stage.browser.newContext({ reducedMotion, colorScheme: "light" });
  const data = { email: "operator@example.com", password };
  await context.request.post(`${stage.url}/api/sign-in`, { data, headers: { origin: stage.url } });
  const page = await context.newPage();
  await page.goto(stage.url + path);
  await settled(page);
  return page;
}

const difference = (looks: readonly string[], others: readonly string[]) =>
  looks.filter((look, place) => look !== others[place]);

const settled = async (page: Page) => {
  await page.locator("h1").first().waitFor();
  await page.waitForLoadState("networkidle");
  // What has come may still have to be drawn.
  await page.waitForFunction(() => document.querySelector(".animate-breathe") === null);
};

/** The colours of every element but the switch, which is meant to look different; after a change, at once. */
const colours = (page: Page, choose: "Dark theme" | "Light theme" | null = null) =>
  page.evaluate((label) => {
    if (label !== null) document.querySelector<HTMLElement>(`input[aria-label="${label}"]`)?.click();
    const looked = [...document.body.querySelectorAll("*")].filter((element) => !element.closest("fieldset"));
    return looked.map((element) => {
      const { color, backgroundColor, borderTopColor, fill, stroke } = getComputedStyle(element);
      const name = `${element.tagName} ${element.getAttribute("class") ?? ""}`;
      return [name, color, backgroundColor, borderTopColor, fill, stroke].join(" | ");
    });
  }, choose);

describe.each(["reduce", "no-preference"] as const)("with motion %s", (reducedMotion) => {
  it.each(paths)("all of %s has its new colours immediately", async (path) => {
    const page = await visit(path, reducedMotion);
    for (const theme of ["Dark theme", "Light theme"] as const) {
      const before = await colours(page);
      const switched = await colours(page, theme);
      expect(switched).not.toEqual(before);
      await page.reload();
      await settled(page);
      expect(difference(switched, await colours(page))).toEqual([]);
    }
  });
});

describe("when the system changes its own", () => {
  it.each(paths)("all of %s follows, immediately without motion", async (path) => {
    const page = await visit(path, "reduce");
    const light = await colours(page);
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await colours(page);
    expect(dark).not.toEqual(light);
    await page.reload();
    await settled(page);
    expect(difference(dark, await colours(page))).toEqual([]);
  });
});
