/**
 * What a browser measures while it loads a page for the first time, from its own trace: largest contentful paint,
 * layout shift, long tasks; and how many requests and bytes it took. The connection is slowed to that of a good phone
 * (60 ms, 10 Mbit/s), since on loopback the number of round trips would not show. Medians of five loads each.
 */
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { launchBrowser } from "../../test/support/browser.js";
import {
  password,
  startDashboard,
  type TestDashboard,
} from "../../test/support/processes/dashboard-server.js";
import { median } from "../statistics.js";
import { readTrace, traced, type Vitals } from "./trace.js";

const loads = 5;
const network = { offline: false, latency: 60, downloadThroughput: 1_250_000, uploadThroughput: 625_000 };
const email = "operator@example.com";
const quietMs = 500;

const pages = ["/", "/docs", "/app", "/app/usage", "/app/playground"];

interface Load extends Vitals {
  requests: number;
  bytes: number;
}

export async function benchPages(): Promise<void> {
  const dashboard = await startDashboard({ webDir: "dist/web" });
  const browser = await launchBrowser();
  try {
    await furnish(dashboard);
    console.log(`${network.latency} ms, 10 Mbit/s, cold cache, medians of ${loads} loads`);
    console.log("page               LCP ms     CLS   long tasks (ms)   requests     KB");
    for (const path of pages) {
      const measured: Load[] = [];
      for (let load = 0; load < loads; load++) measured.push(await measure(browser, dashboard.url, path));
      console.log(row(path, measured));
    }
  } finally {
    await browser.close();
    await dashboard.close();
  }
}

/** Someone who has used the service for a day. */
async function furnish(dashboard: TestDashboard): Promise<void> {
  const operator = await dashboard.setUp(email);
  await operator.post("/api/keys", { name: "Website", models: null, expiresInDays: null });
  const { keys } = await operator.get<{ keys: { id: string }[] }>("/api/keys");
  const { account } = await operator.get<{ account: { id: string } }>("/api/me");
  for (const { id: keyId } of keys) {
    dashboard.app.dashboard.usage.record({
      ...{ accountId: account.id, keyId, model: "omega", outcome: "ok" },
      ...{ promptTokens: 1_200, completionTokens: 340, firstTokenMs: 220 },
    });
  }
  await dashboard.app.dashboard.usage.flush();
}

async function measure(browser: Browser, origin: string, path: string): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-US" });
  try {
    if (path.startsWith("/app")) await signIn(context, origin);
    const page = await context.newPage();
    const link = await context.newCDPSession(page);
    await link.send("Network.enable");
    await link.send("Network.emulateNetworkConditions", network);
    const sent = countRequests(link);
    const trace = await traced(browser, page, async () => {
      await page.goto(origin + path);
      await page.locator("h1").first().waitFor();
      await settled(page);
    });
    return { ...readTrace(trace), requests: sent.requests(), bytes: sent.bytes() };
  } finally {
    await context.close();
  }
}

async function signIn(context: BrowserContext, origin: string): Promise<void> {
  const reply = await context.request.post(`${origin}/api/sign-in`, {
    data: { email, password },
    headers: { origin },
  });
  if (!reply.ok()) throw new Error(`sign-in answered ${reply.status()}`);
}

/** Only requests for loading the page: afterwards the dashboard keeps polling once a second. */
function countRequests(link: CDPSession): { requests: () => number; bytes: () => number } {
  const urls = new Map<string, string>();
  const sizes = new Map<string, number>();
  link.on("Network.requestWillBeSent", ({ requestId, request }) => void urls.set(requestId, request.url));
  link.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId);
    if (url !== undefined && !sizes.has(url)) sizes.set(url, encodedDataLength);
  });
  return {
    requests: () => new Set(urls.values()).size,
    bytes: () => [...sizes.values()].reduce((sum, size) => sum + size, 0),
  };
}

/** No skeletons are left, and there were no paints for a while. */
async function settled(page: Page): Promise<void> {
  await page.locator(".animate-breathe").first().waitFor({ state: "detached" });
  await page.waitForTimeout(quietMs);
}

function row(path: string, measured: readonly Load[]): string {
  const of = (read: (load: Load) => number) => median(measured.map(read));
  const tasks = `${of(({ longTasks }) => longTasks)} (${of((load) => load.longTaskMs).toFixed(0)})`;
  return [
    path.padEnd(16),
    of(({ lcpMs }) => lcpMs)
      .toFixed(0)
      .padStart(9),
    of(({ shift }) => shift)
      .toFixed(3)
      .padStart(8),
    tasks.padStart(17),
    String(of(({ requests }) => requests)).padStart(11),
    (of(({ bytes }) => bytes) / 1024).toFixed(0).padStart(7),
  ].join("");
}
