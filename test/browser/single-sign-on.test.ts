/** A person's way through signing up, in and out with a real identity provider and its own pages. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.js";
import { startDashboard, type TestDashboard } from "../support/processes/dashboard-server.js";
import {
  clientId,
  clientSecret,
  IdentityProvider,
  providerSetting,
} from "../support/processes/identity-provider.js";
import { expectNoFaults } from "./support/look.js";
import { press } from "./support/opening.js";
import { password, returningContext } from "./support/visit.js";

let provider: IdentityProvider;
let dashboard: TestDashboard;
let browser: Browser;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  const env = { SOTTO_OIDC_PROVIDERS: providerSetting(provider.issuer) };
  [dashboard, browser] = await Promise.all([startDashboard({ webDir: "dist/web", env }), launchBrowser()]);
  await provider.serve(dashboard.url);
  await dashboard.setUp();
});
afterAll(async () => {
  await browser.close();
  await dashboard.close();
  await provider.close();
});

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

/** From our page, through the provider's. */
async function signInThere(page: Page, login: string): Promise<void> {
  await page.getByRole("link", { name: "Continue with Test login" }).click();
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

it("signs up, sets a password, signs out at both, and in again", async () => {
  provider.people.set("grace", { email: "grace@example.com", email_verified: true });
  const page = await newPage();
  await page.goto(`${dashboard.url}/sign-up`);
  await expectNoFaults(page, "sign-up");
  await signInThere(page, "grace");
  await page.waitForURL(`${dashboard.url}/app`);
  await page.goto(`${dashboard.url}/app/account`);
  await page.getByText("You have none: you sign in with an identity provider.").waitFor();
  await expectNoFaults(page, "account without a password");
  await press(page, "Unlink Test login");
  await press(page, "Unlink");
  await page.getByText("This is the only way to sign in to your account").waitFor();
  await press(page, "Cancel");
  await page.getByLabel("New password").fill(password);
  await press(page, "Set password");
  await page.getByRole("button", { name: "Change password" }).waitFor();
  await page.getByRole("button", { name: "grace@example.com" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.waitForURL(`${dashboard.url}/sign-in`);
  await expectNoFaults(page, "sign-in");
  await signInThere(page, "grace");
  await page.waitForURL(`${dashboard.url}/app`);
  await page.context().close();
});

it("links an account with a password once, and says why a sign-in failed", async () => {
  await dashboard.signUp("ada@example.com");
  provider.people.set("ada", { email: "ada@example.com", email_verified: true });
  const page = await newPage();
  await page.goto(`${dashboard.url}/sign-in`);
  await page.getByRole("link", { name: "Continue with Test login" }).click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByText("The identity provider did not let you sign in.").waitFor();
  await expectNoFaults(page, "a sign-in that failed");
  await signInThere(page, "ada");
  await page.waitForURL(`${dashboard.url}/sign-in/join`);
  await page.getByText("ada@example.com").waitFor();
  await expectNoFaults(page, "join");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await press(page, "Link and sign in");
  await page.waitForURL(`${dashboard.url}/app`);
  await page.goto(`${dashboard.url}/app/account`);
  await page.getByRole("button", { name: "Unlink Test login" }).waitFor();
  await press(page, "Unlink Test login");
  await press(page, "Unlink");
  await page.getByText("Test login unlinked").waitFor();
  await press(page, "Link Test login");
  // The provider knows who it is.
  await page.getByRole("button", { name: "Unlink Test login" }).waitFor();
  await page.context().close();
});

it("an admin adds a provider, tests it, and people can choose it", async () => {
  const context = await returningContext(browser, dashboard.url, "operator@example.com");
  const page = await context.newPage();
  await page.goto(`${dashboard.url}/admin/sign-in`);
  await page.getByText("Set in the configuration").waitFor();
  await expectNoFaults(page, "single sign-on");
  await press(page, "Add provider");
  await page.getByLabel("Name", { exact: true }).fill("Second login");
  await page.getByLabel("Issuer").fill(provider.issuer);
  await page.getByLabel("Client id").fill(clientId);
  await page.getByLabel("Client secret").fill("a wrong one");
  await press(page, "Test");
  await page.getByText("does not accept the client id or the secret").waitFor();
  await page.getByLabel("Client secret").fill(clientSecret);
  await press(page, "Test");
  await page.getByText("The provider answers").waitFor();
  await press(page, "Add provider");
  await page.getByText("Second login saved").waitFor();
  await page.getByRole("button", { name: "Edit Second login" }).waitFor();
  await context.close();
  const visitor = await newPage();
  await visitor.goto(`${dashboard.url}/sign-in`);
  await visitor.getByRole("link", { name: "Continue with Second login" }).waitFor();
  const names = await visitor.getByRole("link", { name: /^Continue with/ }).allInnerTexts();
  expect(names).toEqual(["Continue with Test login", "Continue with Second login"]);
  await visitor.context().close();
});
