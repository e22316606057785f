/**
 * Screenshots of every page and of everything that opens over one, from a small phone to a desk, light and dark, in the
 * git-ignored folder screenshots/. They show the built pages on a service with made-up data:
 *
 *   npm run build && npm run screenshots -- [--out screenshots] [--widths 390,1440] [part of a name …]
 *
 * Prints problems: console errors, script errors and requests to other hosts.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "../test/support/browser.js";
import { password } from "../test/support/processes/dashboard-server.js";
import { people, startMadeUpService } from "./showcase/made-up-service.js";
import { views, type View } from "./showcase/views.js";

interface Look {
  name: string;
  theme: "light" | "dark";
  width: number;
  height: number;
}

/** Heights are those of a phone, a tablet and a desk. */
const looksAt = (widths: readonly number[]): Look[] =>
  // Widest last, in light: what only a large screen has is opened in it.
  widths.flatMap((width) =>
    (["dark", "light"] as const).map((theme) => ({
      ...{ name: theme === "light" ? String(width) : `${width}-dark`, theme, width },
      height: width < 640 ? 844 : width < 1_000 ? 1_024 : 900,
    })),
  );

async function photograph(browser: Browser, origin: string, view: View): Promise<string[]> {
  const { phone = false, desk = false } = view;
  const own = looks.filter(({ width }) => (!phone || width < 640) && (!desk || width >= 1_024));
  const [first] = phone ? own : own.slice(-1);
  const context = await browser.newContext({
    ...{ baseURL: origin, reducedMotion: "reduce", locale: "en-US", colorScheme: "light" },
    viewport: { width: first?.width ?? 1440, height: first?.height ?? 900 },
  });
  context.setDefaultTimeout(15_000);
  try {
    if (view.as !== null) await signIn(context, origin, people[view.as]);
    const page = await context.newPage();
    const complaints = complaintsOf(page, origin);
    await page.goto(view.path);
    await page.locator("h1").first().waitFor();
    await settle(page);
    let state = 0;
    const look = async () => {
      await settle(page);
      const suffix = state++ === 0 ? "" : `-${state}`;
      for (const one of own)
        await shoot(page, one, view, join(values.out, `${view.name}${suffix}.${one.name}.png`));
    };
    await (view.open === undefined ? look() : view.open(page, look));
    return complaints.map((complaint) => `${view.name}: ${complaint}`);
  } catch (error) {
    return [`${view.name}: ${String(error).split("\n").slice(0, 4).join(" ")}`];
  } finally {
    await context.close();
  }
}

async function signIn(context: BrowserContext, origin: string, email: string): Promise<void> {
  const reply = await context.request.post("/api/sign-in", {
    data: { email, password },
    headers: { origin },
  });
  if (!reply.ok()) throw new Error(`sign-in answered ${reply.status()}`);
}

function complaintsOf(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    // The browser notes every refused request; some of the views are about one.
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("blob:")) complaints.push(`leaves the origin: ${url}`);
  });
  return complaints;
}

async function shoot(page: Page, look: Look, { window = false }: View, path: string): Promise<void> {
  await page.setViewportSize({ width: look.width, height: look.height });
  await page.emulateMedia({ colorScheme: look.theme });
  // What sticks to the window would be drawn in the middle of the whole page.
  if (!window) await page.evaluate("scrollTo(0, 0)");
  await page.evaluate(`(async () => {
    const shown = [...document.images].filter((image) => image.checkVisibility());
    for (const image of shown) image.loading = "eager";
    await Promise.all(shown.map((image) => image.decode().catch(() => undefined)));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  })()`);
  await page.screenshot({ path, fullPage: !window });
}

/**
 * Waits until the page's data is loaded and its skeletons are gone. Pages that poll are never idle: hence the limit.
 */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle", { timeout: 1_500 }).catch(() => undefined);
  const skeleton = page.locator(".animate-breathe").first();
  await skeleton.waitFor({ state: "detached", timeout: 3_000 }).catch(() => undefined);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "screenshots" },
    widths: { type: "string", default: "320,390,768,1024,1440,1920" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(`npm run screenshots -- [--out screenshots] [--widths 390,1440] [part of a name …]

Views: ${views.map(({ name }) => name).join(", ")}`);
  process.exit();
}
const looks = looksAt(values.widths.split(",").map(Number));
const wanted = views.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
await mkdir(values.out, { recursive: true });
const dashboard = await startMadeUpService();
const browser = await launchBrowser();
try {
  for (const view of wanted) {
    // Passkeys are bound to a name, and are not offered at an address.
    const origin = dashboard.url.replace("127.0.0.1", "localhost");
    const complaints = await photograph(browser, origin, view);
    for (const complaint of complaints) console.log(complaint);
  }
  console.log(`${wanted.length} views in ${values.out}/`);
} finally {
  await browser.close();
  await dashboard.close();
}
