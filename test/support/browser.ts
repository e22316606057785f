/**
 * A real Chromium. Where the machine has one it is used; elsewhere the one that comes as an npm package, which
 * exists for x64 only. Without either, the tests that need it fail and say what to install.
 */
import { existsSync } from "node:fs";
import sparticuz from "@sparticuz/chromium";
import { chromium, type Browser } from "playwright-core";

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

export async function launchBrowser(): Promise<Browser> {
  const found = installed.find((path) => existsSync(path));
  if (found !== undefined) return chromium.launch({ executablePath: found, args: quiet });
  if (process.arch !== "x64")
    throw new Error("Install Chromium for the browser tests: apt-get install chromium");
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: [...sparticuz.args, ...quiet],
  });
}
