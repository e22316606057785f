/**
 * Screenshots of every page, light, dark and on a phone, in the git-ignored folder screenshots/.
 *
 *   npx tsx scripts/screenshots.ts [--base http://127.0.0.1:8080] [--email … --password …] [--cookie name=value]
 *                                  [--chromium /usr/bin/chromium] [--out screenshots] [/page …]
 *
 * Without pages it takes all of them; those behind the sign-in only when an account or a cookie is given.
 * Prints console errors and requests to other hosts; a good page has none.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { pageAddresses } from "../src/protocol/pages/page-addresses.js";

const isBehindSignIn = (page: string) => page.startsWith("/app") || page.startsWith("/admin");
const publicPages = [...pageAddresses.filter((page) => !isBehindSignIn(page)), "/no-such-page"];
/** `/admin` alone leads on to the first of its pages; the page of an account takes its id. */
const accountPages = pageAddresses.filter(
  (page) => isBehindSignIn(page) && page !== "/admin" && !page.includes(":"),
);

const looks = {
  light: { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1440, height: 900 } },
  phone: { colorScheme: "light", viewport: { width: 375, height: 812 }, deviceScaleFactor: 2 },
} satisfies Record<string, BrowserContextOptions>;

interface Visit {
  baseURL: string;
  pages: readonly string[];
  out: string;
  account?: { email: string; password: string } | undefined;
  /** Set before each page; the session of a running service, or a switch of a stand-in. */
  cookies?: readonly { name: string; value: string }[] | undefined;
}

interface ScreenshotOptions extends Visit {
  chromiumPath: string;
}

async function takeScreenshots(options: ScreenshotOptions): Promise<string[]> {
  await mkdir(options.out, { recursive: true });
  const browser = await chromium.launch({
    executablePath: options.chromiumPath,
    args: [
      "--no-sandbox",
      "--headless=new",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  try {
    const complaints: string[] = [];
    const isOpen = (page: string) => !/^\/(app|admin)\b/.test(page);
    const { baseURL, out, pages, account, cookies } = options;
    for (const [name, look] of Object.entries(looks)) {
      // Signed-in visitors are redirected away from the sign-in pages.
      complaints.push(
        ...(await takeLook(browser, { baseURL, out, pages: pages.filter(isOpen) }, name, look)),
      );
      const inside = { baseURL, out, pages: pages.filter((page) => !isOpen(page)), account, cookies };
      complaints.push(...(await takeLook(browser, inside, name, look)));
    }
    return complaints;
  } finally {
    await browser.close();
  }
}

async function takeLook(
  browser: Browser,
  { baseURL, pages, out, account, cookies = [] }: Visit,
  name: string,
  look: BrowserContextOptions,
): Promise<string[]> {
  const context = await browser.newContext({ ...look, baseURL, reducedMotion: "reduce" });
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, url: baseURL })));
  if (account !== undefined) {
    const reply = await context.request.post("/api/sign-in", {
      data: account,
      headers: { origin: new URL(baseURL).origin },
    });
    if (!reply.ok()) throw new Error(`sign-in answered ${reply.status()}`);
  }
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${name} ${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`${name} ${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL)) complaints.push(`${name}: leaves the origin: ${request.url()}`);
  });
  for (const address of pages) {
    await page.goto(address);
    await settle(page);
    await page.screenshot({ path: join(out, `${fileName(address)}.${name}.png`), fullPage: true });
  }
  await context.close();
  return complaints;
}

/** Waits until the page's data is loaded and its skeletons are gone. Pages that poll are never idle: hence the limit. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined);
  await page
    .locator(".animate-breathe")
    .first()
    .waitFor({ state: "detached", timeout: 3_000 })
    .catch(() => undefined);
}

function fileName(address: string): string {
  return address === "/"
    ? "landing"
    : address
        .slice(1)
        .replace(/[#?].*$/, "")
        .replaceAll("/", "-");
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      base: { type: "string", default: "http://127.0.0.1:8080" },
      email: { type: "string" },
      password: { type: "string" },
      cookie: { type: "string", multiple: true, default: [] },
      chromium: { type: "string", default: "/usr/bin/chromium" },
      out: { type: "string", default: "screenshots" },
    },
  });
  const { email, password } = values;
  const cookies = values.cookie.map((text) => {
    const [name = "", ...rest] = text.split("=");
    return { name, value: rest.join("=") };
  });
  const signedIn = email !== undefined || cookies.length > 0;
  const pages = positionals.length > 0 ? positionals : [...publicPages, ...(signedIn ? accountPages : [])];
  const complaints = await takeScreenshots({
    baseURL: values.base,
    pages,
    out: values.out,
    chromiumPath: values.chromium,
    cookies,
    ...(email === undefined || password === undefined ? {} : { account: { email, password } }),
  });
  console.log(`${pages.length * Object.keys(looks).length} pictures in ${values.out}/`);
  for (const complaint of complaints) console.log(complaint);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
