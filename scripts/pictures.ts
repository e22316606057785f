/**
 * Takes the pictures of the README (docs/images) and of the landing page (web/public/pictures), from the built pages
 * and a service with a week of made-up usage: `npm run build && npm run pictures`. The landing page shows its own
 * pictures, so build once more afterwards. They are committed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { systemClock, type Clock } from "../src/core/ports.js";
import type { ModelId } from "../src/protocol/models.js";
import { launchBrowser } from "../test/support/browser.js";
import { uniformNumbers } from "../test/support/inputs/uniform-numbers.js";
import { password, startDashboard, type TestDashboard } from "../test/support/processes/dashboard-server.js";

const email = "operator@example.com";
const hourMs = 60 * 60_000;
const days = 7;
const pictures = "web/public/pictures";

/** Moved back for the time in which the past is made. */
class PastClock implements Clock {
  agoMs = 0;
  now = (): Date => new Date(systemClock.now().getTime() - this.agoMs);
  monotonicMs = (): number => systemClock.monotonicMs();
}

const question = "Explain backpressure in one paragraph, for someone who knows queues.";
const answer =
  "Backpressure is what a system does when work arrives faster than it can be finished. Instead of letting the queue " +
  "grow until memory runs out, the slow part tells the fast part to wait: a full buffer stops reading, the socket " +
  "behind it fills, and in the end the sender pauses. **The signal travels upstream**, and each stage holds only as " +
  "much as it can handle. `write()` returning `false` in Node is one such signal.";

async function furnish(dashboard: TestDashboard, clock: PastClock): Promise<void> {
  const operator = await dashboard.setUp(email);
  for (const name of ["Website", "Support bot", "CI"]) {
    await operator.post("/api/keys", { name, models: null, expiresInDays: null });
  }
  const { keys } = await operator.get<{ keys: { id: string }[] }>("/api/keys");
  const { account } = await operator.get<{ account: { id: string } }>("/api/me");
  const draw = uniformNumbers(7);
  const models: ModelId[] = ["omega", "omega", "omega", "prism", "lambda"];
  for (let hour = days * 24; hour >= 0; hour--) {
    clock.agoMs = hour * hourMs;
    for (let request = requestsAt(clock.now(), draw); request > 0; request--) {
      dashboard.app.dashboard.usage.record({
        accountId: account.id,
        keyId: keys[Math.floor(draw() ** 2 * keys.length)]?.id ?? "playground",
        model: models[Math.floor(draw() * models.length)] ?? "omega",
        outcome: draw() < 0.007 ? "error" : "ok",
        promptTokens: Math.round(120 + 700 * draw()),
        completionTokens: Math.round(40 + 360 * draw()),
        firstTokenMs: Math.round(90 + 90 * draw() + (draw() < 0.08 ? 300 * draw() : 0)),
      });
    }
  }
  clock.agoMs = 0;
  await dashboard.app.dashboard.usage.flush();
}

/** Office hours, quiet nights and weekends. */
function requestsAt(time: Date, draw: () => number): number {
  const hour = time.getUTCHours();
  const isWeekend = time.getUTCDay() === 0 || time.getUTCDay() === 6;
  const daylight = Math.max(0, Math.sin(((hour - 5) / 15) * Math.PI));
  return Math.round((8 + 260 * daylight) * (isWeekend ? 0.35 : 1) * (0.8 + 0.4 * draw()));
}

interface Shot {
  path: string;
  theme: "light" | "dark";
  width: number;
  height: number;
  scale?: number;
  /** Done before the picture is taken. */
  act?: (page: Page) => Promise<void>;
}

async function take(browser: Browser, origin: string, shot: Shot): Promise<Buffer> {
  const options: BrowserContextOptions = {
    ...{ colorScheme: shot.theme, reducedMotion: "reduce", locale: "en-US", baseURL: origin },
    ...{ viewport: { width: shot.width, height: shot.height }, deviceScaleFactor: shot.scale ?? 1 },
  };
  const context = await browser.newContext(options);
  try {
    if (shot.path.startsWith("/app")) {
      const reply = await context.request.post("/api/sign-in", {
        data: { email, password },
        headers: { origin },
      });
      if (!reply.ok()) throw new Error(`sign-in answered ${reply.status()}`);
    }
    const page = await context.newPage();
    await page.goto(shot.path);
    await page.locator("h1").first().waitFor();
    await shot.act?.(page);
    await page.locator(".animate-breathe").first().waitFor({ state: "detached" });
    await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined);
    return await page.screenshot();
  } finally {
    await context.close();
  }
}

/** Chromium writes it, so that no other program is needed. */
async function asWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const source = JSON.stringify(`data:image/png;base64,${png.toString("base64")}`);
  const written = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = ${source};
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.86);
  })()`);
  await page.close();
  return Buffer.from(written.slice(written.indexOf(",") + 1), "base64");
}

async function ask(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(question);
  await page.keyboard.press("Enter");
  await page.getByRole("article").getByText("is one such signal").waitFor();
}

async function lastWeek(page: Page): Promise<void> {
  await page.getByText("7 days", { exact: true }).click();
}

const readme: Record<string, Shot> = {
  landing: { path: "/", theme: "light", width: 1280, height: 800 },
  overview: { path: "/app", theme: "dark", width: 1280, height: 800 },
  usage: { path: "/app/usage", theme: "light", width: 1280, height: 800, act: lastWeek },
};

const themes = ["light", "dark"] as const;
const product = themes.flatMap((theme): [name: string, shot: Shot][] => {
  const desk = { theme, width: 1280, height: 800, scale: 1.5625 };
  const phone = { theme, width: 390, height: 600, scale: 2 };
  return [
    [`playground-${theme}`, { path: "/app/playground", act: ask, ...desk }],
    [`usage-${theme}`, { path: "/app/usage", act: lastWeek, ...desk }],
    [`playground-phone-${theme}`, { path: "/app/playground", act: ask, ...phone }],
    [`usage-phone-${theme}`, { path: "/app/usage", act: lastWeek, ...phone }],
  ];
});

function write(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes);
  console.log(`${path}: ${Math.round(bytes.length / 1024)} KB`);
}

const clock = new PastClock();
// The address that the README names: it is in the code on the pages.
const dashboard = await startDashboard({ webDir: "dist/web", clock, env: { SOTTO_PORT: "8080" } });
const browser = await launchBrowser();
try {
  dashboard.engine.options = { ...dashboard.engine.options, contextTokens: 32_768 };
  dashboard.engine.script = () => ({ fragments: answer.split(/(?<= )/) });
  await furnish(dashboard, clock);
  mkdirSync(pictures, { recursive: true });
  const only = process.argv.slice(2);
  const isWanted = (name: string) => only.length === 0 || only.includes(name);
  for (const [name, shot] of product.filter(([name]) => isWanted(name))) {
    write(`${pictures}/${name}.webp`, await asWebp(browser, await take(browser, dashboard.url, shot)));
  }
  for (const [name, shot] of Object.entries(readme).filter(([name]) => isWanted(name))) {
    write(`docs/images/${name}.png`, await take(browser, dashboard.url, shot));
  }
} finally {
  await browser.close();
  await dashboard.close();
}
