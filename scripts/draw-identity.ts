/**
 * Draws the pictures that other sites and home screens show of Sotto: web/public/og.png and apple-touch-icon.png.
 * They are committed; run this again when the identity changes: `npx tsx scripts/draw-identity.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../test/support/browser.js";
import { hairpin, height, middle, strokes, width } from "../web/components/figures/fade-shape.js";

const font = readFileSync("node_modules/@fontsource-variable/inter/files/inter-latin-opsz-normal.woff2");
const paper = "oklch(0.172 0.008 225)";
const accent = "oklch(0.8 0.085 205)";

const lines = strokes
  .map(
    ({ x, half, opacity }) =>
      `<line x1="${x}" x2="${x}" y1="${middle - half}" y2="${middle + half}" stroke-opacity="${opacity}" />`,
  )
  .join("");

const linkPicture = `
<style>
  @font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${font.toString("base64")}); }
  * { margin: 0; }
  body { width: 1200px; height: 630px; box-sizing: border-box; padding: 72px 80px; display: flex; flex-direction: column;
    background: ${paper}; color: oklch(0.945 0.005 210); font-family: Inter; }
  header { display: flex; align-items: center; gap: 18px; font-size: 34px; font-weight: 560; letter-spacing: -0.02em; }
  h1 { margin-top: 64px; font-size: 92px; font-weight: 560; letter-spacing: -0.03em; line-height: 1.06; }
  p { margin-top: 22px; font-size: 31px; color: oklch(0.715 0.012 215); }
  footer { margin-top: auto; display: flex; align-items: center; gap: 6px; }
</style>
<header>
  <svg width="58" viewBox="0 0 34 20" fill="none" stroke-width="2" stroke-linecap="round">
    <path d="M1.5 2.5 22 8.6M1.5 17.5 22 11.4" stroke="currentColor" /><circle cx="29" cy="10" r="3.2" stroke="${accent}" />
  </svg>
  Sotto
</header>
<h1>The chat API that forgets.</h1>
<p>OpenAI-compatible. Not stored, not logged, not trained on.</p>
<footer>
  <svg width="1010" height="110" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" fill="none" stroke-linecap="round">
    <g stroke="${accent}" stroke-width="2.4">${lines}</g>
    <path d="${hairpin}" stroke="currentColor" stroke-width="2" />
  </svg>
  <svg width="24" viewBox="0 0 24 24" fill="none"><circle cx="12" cy="12" r="10" stroke="${accent}" stroke-width="3" /></svg>
</footer>`;

/** Home screens round the corners themselves. */
const icon = `<style>* { margin: 0; } svg { display: block; }</style>${readFileSync(
  "web/public/favicon.svg",
  "utf8",
)
  .replace("<svg ", '<svg width="180" height="180" ')
  .replace('rx="8"', 'rx="0"')}`;

async function draw(browser: Browser, html: string, path: string, [x, y]: [number, number]): Promise<void> {
  const page = await browser.newPage({ viewport: { width: x, height: y } });
  await page.setContent(html);
  await page.evaluate("document.fonts.ready.then(() => undefined)");
  const bytes = await page.screenshot();
  writeFileSync(path, bytes);
  console.log(`${path}: ${bytes.length} bytes`);
  await page.close();
}

const browser = await launchBrowser();
await draw(browser, linkPicture, "web/public/og.png", [1200, 630]);
await draw(browser, icon, "web/public/apple-touch-icon.png", [180, 180]);
await browser.close();
