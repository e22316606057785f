/** A person's way through signing up, in and out with a real identity provider and its own pages. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OneTimeLink } from "../../src/protocol/dashboard/api.js";
import { tokenHash } from "../../src/core/sign-in/secret-token.js";
import { launchBrowser } from "../support/browser.js";
import { eventually } from "../support/eventually.js";
import {
  startDashboard,
  type Browser as Visitor,
  type TestDashboard,
} from "../support/processes/dashboard-server.js";
import {
  clientId,
  clientSecret,
  IdentityProvider,
  providerSetting,
} from "../support/processes/identity-provider.js";
import { Keyboard } from "./support/keyboard.js";
import { expectNoFaults } from "./support/look.js";
import { press } from "./support/opening.js";
import { password, returningContext } from "./support/visit.js";

let provider: IdentityProvider;
let dashboard: TestDashboard;
let browser: Browser;
let operator: Visitor;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  const signUp = { signUp: "domains", domains: ["example.com"] };
  const env = { SOTTO_OIDC_PROVIDERS: providerSetting(provider.issuer, signUp) };
  [dashboard, browser] = await Promise.all([startDashboard({ webDir: "dist/web", env }), launchBrowser()]);
  await provider.serve(dashboard.url);
  operator = await dashboard.setUp();
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

/** The provider compares its clock with ours, so only the session is moved. */
async function proveLongAgo(page: Page): Promise<void> {
  const cookies = await page.context().cookies();
  const hash = tokenHash(cookies.find(({ name }) => name === "sotto_session")?.value ?? "");
  if (hash === null) throw new Error("Nobody is signed in.");
  await dashboard.app.store.sessions.noteConfirmed(hash, new Date(0));
}

/** From our page, through the provider's. */
async function signInThere(page: Page, login: string): Promise<void> {
  await page.getByRole("link", { name: "Continue with Test login" }).click();
  await enterLogin(page, login);
}

async function enterLogin(page: Page, login: string): Promise<void> {
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

it("links an account with a password once, by the keyboard alone, and says why a sign-in failed", async () => {
  await dashboard.signUp("ada@example.com");
  provider.people.set("ada", { email: "ada@example.com", email_verified: true });
  const page = await newPage();
  const keyboard = new Keyboard(page);
  await page.goto(`${dashboard.url}/sign-in`);
  await page.getByRole("link", { name: "Continue with Test login" }).waitFor();
  await keyboard.choose(/^Continue with Test login$/);
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByText("The identity provider did not let you sign in.").waitFor();
  await expectNoFaults(page, "a sign-in that failed");
  await keyboard.choose(/^Continue with Test login$/);
  await enterLogin(page, "ada");
  await page.waitForURL(`${dashboard.url}/sign-in/join`);
  await page.getByText("ada@example.com").waitFor();
  await expectNoFaults(page, "join");
  await keyboard.to(/^Password$/);
  await keyboard.type("not this one");
  await keyboard.press("Enter");
  await page.getByRole("alert").first().waitFor();
  await keyboard.to(/^Password$/);
  await keyboard.type(password);
  await keyboard.press("Enter");
  await page.waitForURL(`${dashboard.url}/app`);
  await page.goto(`${dashboard.url}/app/account`);
  await page.getByRole("button", { name: "Unlink Test login" }).waitFor();
  await keyboard.choose(/^Unlink Test login$/);
  await keyboard.isOn(/^Cancel$/);
  await keyboard.choose(/^Unlink$/);
  await page.getByText("Test login unlinked").waitFor();
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await keyboard.choose(/^Link Test login$/);
  // The provider knows who it is.
  await page.getByRole("button", { name: "Unlink Test login" }).waitFor();
  await page.context().close();
});

it("asks again in a window of its own, and the page keeps what was typed", async () => {
  provider.people.set("lin", { email: "lin@example.com", email_verified: true });
  const page = await newPage();
  await page.goto(`${dashboard.url}/sign-in`);
  await signInThere(page, "lin");
  await page.waitForURL(`${dashboard.url}/app`);
  await page.goto(`${dashboard.url}/app/account`);
  await page.getByLabel("New address").fill("lin@example.org");
  await proveLongAgo(page);
  await press(page, "Change address");
  const asked = page.getByRole("dialog", { name: "Confirm that it is you" });
  await asked.getByRole("button", { name: "Continue with Test login" }).waitFor();
  await expectNoFaults(page, "confirm with a provider");

  const [refused] = await Promise.all([page.waitForEvent("popup"), press(page, "Continue with Test login")]);
  await refused.getByRole("link", { name: "Cancel" }).click();
  await refused.getByText("The identity provider did not let you sign in.").waitFor();
  await expectNoFaults(refused, "not confirmed");
  // The click closes the window that it is made in, often before the browser has reported it as done.
  await Promise.all([refused.waitForEvent("close"), press(refused, "Close window").catch(() => undefined)]);

  const [there] = await Promise.all([page.waitForEvent("popup"), press(page, "Continue with Test login")]);
  await there.getByPlaceholder("Enter any login").fill("lin");
  await there.getByPlaceholder("and password").fill("any");
  await there.getByRole("button", { name: "Sign-in" }).click();
  await page.getByText("Address changed").waitFor();
  await asked.waitFor({ state: "detached" });
  await page.getByText("lin@example.org").first().waitFor();
  await eventually(() => there.isClosed());
  await page.context().close();
});

it("an invitation is accepted with a provider that creates no accounts by itself", async () => {
  const invited = await operator.post<OneTimeLink>("/api/admin/invites", { email: "kim@example.net" });
  provider.people.set("kim", { email: "kim@example.net", email_verified: true });
  provider.people.set("stranger", { email: "stranger@example.net", email_verified: true });
  const follow = async (login: string): Promise<Page> => {
    const page = await newPage();
    await page.goto(invited.link);
    await press(page, "Continue with Test login");
    await enterLogin(page, login);
    return page;
  };
  const stranger = await follow("stranger");
  await stranger.getByText("This invitation is for another address").waitFor();
  await stranger.context().close();
  const page = await follow("kim");
  await page.waitForURL(`${dashboard.url}/app`);
  await page.context().close();
  const late = await newPage();
  await late.goto(invited.link);
  await expectNoFaults(late, "an invitation");
  await press(late, "Continue with Test login");
  await late.getByRole("alert").waitFor();
  await late.context().close();
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
  await page.getByText("The provider responds").waitFor();
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
