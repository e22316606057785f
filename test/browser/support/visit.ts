/** What a person does in the dashboard, in the words that are on the screen. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { password } from "../../support/processes/browser-requests.js";

export { password };

/** Opens a page that notes what must never happen: a request to elsewhere, a broken policy, a script error. */
export async function openPage(
  context: BrowserContext,
  origin: string,
): Promise<{ page: Page; faults: string[] }> {
  const faults: string[] = [];
  const page = await context.newPage();
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("blob:")) faults.push(`request to ${url}`);
  });
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  return { page, faults };
}

/** A browser in which a new account is signed in already. */
export async function signedInContext(
  browser: Browser,
  origin: string,
  email: string,
): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(60_000);
  const data = { email, password };
  const reply = await context.request.post(`${origin}/api/sign-up`, { data, headers: { origin } });
  if (!reply.ok()) throw new Error(`sign-up answered ${reply.status()}`);
  return context;
}

/** A browser in which an account that exists is signed in. */
export async function returningContext(
  browser: Browser,
  origin: string,
  email: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(60_000);
  const data = { email, password };
  const reply = await context.request.post(`${origin}/api/sign-in`, { data, headers: { origin } });
  if (!reply.ok()) throw new Error(`sign-in answered ${reply.status()}`);
  return context;
}

export async function signUp(page: Page, origin: string, email: string): Promise<void> {
  await page.goto(`${origin}/sign-up`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(`${origin}/app`);
}

/** The secret that is on the screen this once. */
export async function shownSecret(page: Page): Promise<string> {
  const secret = page.getByText(/^sk-sotto-\w+$/).first();
  await secret.waitFor();
  return (await secret.textContent()) ?? "";
}

export async function chooseAction(page: Page, of: string, action: string): Promise<void> {
  await page
    .getByRole("button", { name: `Actions for ${of}` })
    .first()
    .click();
  await page.getByRole("menuitem", { name: action }).click();
}
