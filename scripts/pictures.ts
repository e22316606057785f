/**
 * Takes the pictures of the README (docs/images) and of the landing page (web/public/pictures), from the built pages
 * and a service with made-up data: `npm run build && npm run pictures`. The landing page shows its own pictures, so
 * build once more afterwards. They are committed.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "../test/support/browser.js";
import { password } from "../test/support/processes/dashboard-server.js";
import { people, startMadeUpService } from "./showcase/made-up-service.js";
import { question } from "./showcase/past.js";

const pictures = "web/public/pictures";

interface Shot {
  path: string;
  as?: keyof typeof people;
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
    if (shot.as !== undefined) {
      const reply = await context.request.post("/api/sign-in", {
        data: { email: people[shot.as], password },
        headers: { origin },
      });
      if (!reply.ok()) throw new Error(`sign-in answered ${reply.status()}`);
    }
    // The notice of a second factor that is due would be on top of every picture.
    await context.route("**/api/site", async (route) => {
      const site = (await (await route.fetch()).json()) as { me: object | null };
      await route.fulfill({ json: { ...site, me: site.me && { ...site.me, missingFactor: null } } });
    });
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
  await page.getByRole("article").last().getByText("is one such signal").waitFor();
}

async function compare(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("Ask both").waitFor();
  await ask(page);
  await page
    .getByText(/tokens in, \d+ out/)
    .nth(1)
    .waitFor();
}

const desk = { width: 1280, height: 800 };

const readme: Record<string, Shot> = {
  landing: { path: "/", theme: "light", ...desk },
  admin: { path: "/app", as: "admin", theme: "dark", ...desk },
  usage: { path: "/app/usage?period=7d", as: "returning", theme: "light", ...desk },
  keys: { path: "/app/keys?sort=name", as: "returning", theme: "light", ...desk },
  playground: { path: "/app/playground", as: "returning", theme: "dark", act: compare, ...desk },
};

const themes = ["light", "dark"] as const;
const product = themes.flatMap((theme): [name: string, shot: Shot][] => {
  const large = { theme, as: "returning", ...desk, scale: 1.5625 } as const;
  const phone = { theme, as: "returning", width: 390, height: 600, scale: 2 } as const;
  return [
    [`playground-${theme}`, { path: "/app/playground", act: ask, ...large }],
    [`usage-${theme}`, { path: "/app/usage?period=7d", ...large }],
    [`playground-phone-${theme}`, { path: "/app/playground", act: ask, ...phone }],
    [`usage-phone-${theme}`, { path: "/app/usage?period=7d", ...phone }],
  ];
});

function write(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes);
  console.log(`${path}: ${Math.round(bytes.length / 1024)} KB`);
}

// The address that the README names: it is in the code on the pages.
const dashboard = await startMadeUpService({ SOTTO_PORT: "8080" });
const browser = await launchBrowser();
try {
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
