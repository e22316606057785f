/**
 * A real Chromium. `CHROMIUM` chooses it: the path of a program, or `npm` for the one that comes as an npm package and
 * exists for x64 only. Without it the machine's own is used where there is one, and elsewhere the one from npm.
 */
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext } from "playwright-core";
import { chromiumFromNpm } from "./npm-chromium.js";

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const chosen = process.env.CHROMIUM ?? installed.find((path) => existsSync(path)) ?? "npm";

const usesChromiumFromNpm = chosen === "npm";

/** For `describe.skipIf`: there is no Chromium here. */
export const noBrowser = usesChromiumFromNpm && process.arch !== "x64";

/** Vitest calls it, so that the tests do not all unpack it at the same time. */
export default async function beforeTests(): Promise<void> {
  if (usesChromiumFromNpm && !noBrowser) await chromiumFromNpm();
}

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await program());
}

/** One that keeps pages which were left in memory and shows them again on Back, as people's browsers do. */
export async function launchWithBackCache(): Promise<Browser> {
  return chromium.launch({ ...(await program()), ignoreDefaultArgs: ["--disable-back-forward-cache"] });
}

/** One that keeps what browsers keep, in this folder: history, caches, open tabs and what was typed in them. */
export async function launchProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, await program());
}

async function program(): Promise<{ executablePath: string; args: string[]; env: NodeJS.ProcessEnv }> {
  // Without a locale Chromium's language is "en-US@posix", which is no language tag.
  const env = { ...process.env, LC_ALL: "en_US.UTF-8" };
  if (noBrowser) throw new Error("Install Chromium for the browser tests: apt-get install chromium");
  // The switches of the one from npm are for serverless functions: one process, which ends with its first page, and no
  // web security.
  return { executablePath: usesChromiumFromNpm ? await chromiumFromNpm() : chosen, args: quiet, env };
}
