/**
 * How far what is on the screen moves while a page loads, as browsers score it: 0.1 is what readers notice. The
 * network is slow enough for every stage of a page to be drawn.
 */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pageAddresses } from "../../src/protocol/pages/page-addresses.js";
import { setStage } from "./support/stage.js";
import { openPage, returningContext } from "./support/visit.js";

const most = 0.02;
const sizes = [
  { width: 1440, height: 900, shows: () => true },
  // One of each kind: what has to be kept free is the same on the others.
  { width: 390, height: 844, shows: (path: string) => onPhone.includes(path) },
];
const onPhone = ["/", "/docs/api", "/status", "/sign-in", "/app", "/app/keys", "/app/limits"];
const isOpen = (path: string) => !/^\/(app|admin)\b/.test(path);
const open = pageAddresses.filter(isOpen);
const signedIn = pageAddresses.filter((path) => !isOpen(path) && path !== "/admin");
const operatorEmail = "operator@example.com";

const stage = setStage(async (dashboard) => {
  const operator = await dashboard.setUp(operatorEmail);
  await operator.post("/api/keys", { name: "Robot", models: null, expiresInDays: null });
  await operator.post("/api/admin/changelog", { title: "Faster replies", body: "By **a lot**." });
});

/** Each load is a first one. */
async function shiftsOf(page: Page, paths: readonly string[]): Promise<string[]> {
  const link = await page.context().newCDPSession(page);
  await link.send("Network.enable");
  await link.send("Network.setCacheDisabled", { cacheDisabled: true });
  await link.send("Network.emulateNetworkConditions", {
    ...{ offline: false, latency: 60, downloadThroughput: 2_000_000, uploadThroughput: 2_000_000 },
  });
  const found: string[] = [];
  for (const { shows, ...size } of sizes) {
    await page.setViewportSize(size);
    for (const path of paths.filter(shows)) {
      await page.goto(stage.url + path);
      await page.locator("h1").first().waitFor();
      await page.waitForLoadState("networkidle");
      await page.waitForFunction(() => document.querySelector(".animate-breathe") === null);
      const { score, moved } = await page.evaluate(readShifts);
      if (score > most) found.push(`${path} at ${size.width}: ${score.toFixed(3)} ${moved.join(", ")}`);
    }
  }
  return found;
}

/** What the browser has scored so far, and what moved. */
function readShifts(): Promise<{ score: number; moved: string[] }> {
  interface Shift extends PerformanceEntry {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Node | null }[];
  }
  return new Promise((done) => {
    const observer = new PerformanceObserver((list) => {
      observer.disconnect();
      const shifts = (list.getEntries() as Shift[]).filter(({ hadRecentInput }) => !hadRecentInput);
      const moved = shifts.flatMap(({ sources, value }) =>
        sources.map(({ node }) => {
          const element = node instanceof Element ? node : node?.parentElement;
          return `${element?.tagName ?? "?"}.${element?.className ?? ""} ${value.toFixed(3)}`;
        }),
      );
      done({ score: shifts.reduce((sum, { value }) => sum + value, 0), moved });
    });
    observer.observe({ type: "layout-shift", buffered: true });
    // Without any shift there is nothing to be told of.
    requestAnimationFrame(() => requestAnimationFrame(() => done({ score: 0, moved: [] })));
  });
}

describe("while it loads", () => {
  it("no public page shifts while it loads", async () => {
    const { page } = await openPage(await stage.browser.newContext({ reducedMotion: "reduce" }), stage.url);
    expect(await shiftsOf(page, open)).toEqual([]);
    await page.context().close();
  });

  it("no signed-in page moves under the reader", async () => {
    const context = await returningContext(stage.browser, stage.url, operatorEmail);
    const { page } = await openPage(context, stage.url);
    expect(await shiftsOf(page, signedIn)).toEqual([]);
    await context.close();
  });
});
