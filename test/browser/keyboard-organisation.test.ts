/** Everything that organisations need, by the keyboard alone: second factors, teams, providers, webhooks. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import type { OneTimeLink } from "../../src/protocol/dashboard/api.js";
import { addPhoneApp, PhoneApp } from "../support/clients/factors.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import type { Browser as Visitor } from "../support/processes/dashboard-server.js";
import { addAuthenticator } from "./support/authenticator.js";
import { Keyboard } from "./support/keyboard.js";
import { setStage } from "./support/stage.js";
import { openPage, password, returningContext } from "./support/visit.js";

const clock = new FakeClock(new Date());
let operator: Visitor;
const stage = setStage(
  async (dashboard) => {
    operator = await dashboard.setUp();
    await dashboard.signUp("ada@example.com");
  },
  { clock },
);

let context: BrowserContext | undefined;
let page: Page;
let keyboard: Keyboard;
let faults: string[];
afterEach(async () => {
  await context?.close();
  context = undefined;
  expect(faults).toEqual([]);
});

/** Passkeys are bound to a name, so the pages are opened by one. */
const origin = () => stage.url.replace("127.0.0.1", "localhost");

async function enter(email: string): Promise<void> {
  context = await returningContext(stage.browser, origin(), email);
  ({ page, faults } = await openPage(context, origin()));
  keyboard = new Keyboard(page);
}
const open = async (path: string, heading: string) => {
  await page.goto(origin() + path);
  await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
};
const row = (text: string) => page.getByRole("row").filter({ hasText: text });
const dialog = (name: string) =>
  page.getByRole("dialog", { name, exact: true }).or(page.getByRole("alertdialog", { name, exact: true }));
const isOnPage = () => expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");

/** Opens it from where the focus is, looks around in it, leaves it by Escape, and opens it again. */
async function lookAt(name: string, opener: RegExp, openIt = () => keyboard.press("Enter")): Promise<void> {
  await openIt();
  await dialog(name).waitFor();
  await keyboard.isTrappedIn(dialog(name));
  await keyboard.press("Escape");
  await dialog(name).waitFor({ state: "detached" });
  await keyboard.isOn(opener);
  await openIt();
  await dialog(name).waitFor();
}

/** A question, whose safe answer has the focus. */
async function agree(name: string, opener: RegExp, openIt?: () => Promise<void>): Promise<void> {
  await lookAt(name, opener, openIt);
  await keyboard.isOn(/^Cancel$/);
  await keyboard.to(/./);
  await keyboard.press("Enter");
}

/** Once they are closed, the focus is on the page again. */
async function keepCodes(): Promise<void> {
  await keyboard.choose(/^I saved them$/);
  await dialog("Save your recovery codes").waitFor({ state: "detached" });
  await isOnPage();
}

describe("with the keyboard alone, a person", () => {
  it("sets up an app, keeps the codes, proves again who they are, and removes it", async () => {
    const email = "app@example.com";
    await stage.dashboard.signUp(email);
    await enter(email);
    await open("/app/security", "Security");
    const opener = /^Set up an app$/;
    await keyboard.to(opener);
    await lookAt("Set up an authenticator app", opener);
    const key = await page.getByRole("textbox", { name: "Or type this key into the app" }).textContent();
    const app = new PhoneApp((key ?? "").replaceAll(" ", ""), clock);
    await keyboard.to(/^Code$/);
    await keyboard.type("000000");
    await keyboard.press("Enter");
    await page.getByRole("alert").first().waitFor();
    await keyboard.isOn(/^Code$/);
    await keyboard.type(app.code());
    await keyboard.press("Enter");
    const codes = dialog("Save your recovery codes");
    await codes.waitFor();
    await keyboard.isTrappedIn(codes);
    // What is shown once is not lost by a slip.
    await keyboard.press("Escape");
    await codes.waitFor();
    await keepCodes();
    await page.getByText("On since").waitFor();

    clock.advance(11 * 60_000);
    await keyboard.to(/^Create new codes…$/);
    await agree("Create new codes", /^Create new codes…$/);
    const asked = dialog("Confirm that it is you");
    await asked.waitFor();
    await keyboard.isOn(/^Password$/);
    await keyboard.isTrappedIn(asked);
    await keyboard.to(/^Password$/);
    await keyboard.type("not this one");
    await keyboard.press("Enter");
    await asked.getByRole("alert").first().waitFor();
    await keyboard.choose(/^Use a code from your app$/);
    await keyboard.isOn(/^Code$/);
    await keyboard.type(app.code());
    await keyboard.press("Enter");
    await codes.waitFor();
    await keepCodes();

    await keyboard.to(/^Remove app…$/, "Shift+Tab");
    await agree("Remove authenticator app", /^Remove app…$/);
    await page.getByRole("button", { name: "Set up an app" }).waitFor();
  });

  it("adds, renames and removes a passkey, and signs out other browsers", async () => {
    const email = "passkey@example.com";
    await stage.dashboard.signUp(email);
    await enter(email);
    await addAuthenticator(page);
    await open("/app/security", "Security");
    await keyboard.to(/^Add passkey$/);
    await lookAt("Add passkey", /^Add passkey$/);
    await keyboard.isOn(/^Name$/);
    await keyboard.type("Laptop");
    await keyboard.press("Enter");
    await dialog("Save your recovery codes").waitFor();
    await keepCodes();
    await keyboard.to(/^Rename Laptop$/);
    await lookAt("Rename passkey", /^Rename Laptop$/);
    await keyboard.isOn(/^Name$/);
    await keyboard.type("Desk");
    await keyboard.press("Enter");
    await page.getByRole("list", { name: "Passkeys" }).getByText("Desk").waitFor();
    await keyboard.to(/^Remove Desk$/);
    await agree("Remove passkey", /^Remove Desk$/);
    await page.getByRole("list", { name: "Passkeys" }).waitFor({ state: "detached" });
    await isOnPage();

    // The sign-up's own.
    await keyboard.to(/^Sign out others…$/);
    await agree("Sign out other browsers", /^Sign out others…$/);
    await expect.poll(() => page.getByRole("table", { name: "Sessions" }).getByRole("row").count()).toBe(2);
    await isOnPage();
  });

  it("signs in with a recovery code in place of the app", async () => {
    const email = "lost@example.com";
    const { recoveryCodes } = await addPhoneApp(await stage.dashboard.signUp(email), clock);
    context = await stage.browser.newContext({ reducedMotion: "reduce" });
    ({ page, faults } = await openPage(context, origin()));
    keyboard = new Keyboard(page);
    await open("/sign-in", "Sign in");
    await keyboard.to(/^Email$/);
    await keyboard.type(email);
    await keyboard.to(/^Password$/);
    await keyboard.type(password);
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    await keyboard.isOn(/^Code$/);
    await keyboard.choose(/^Use a recovery code$/);
    await keyboard.isOn(/^Recovery code$/);
    await keyboard.type(recoveryCodes[0] ?? "");
    await keyboard.press("Enter");
    await page.waitForURL(`${origin()}/app`);
    await page.getByText("9 recovery codes left").waitFor();
  });

  it("runs a team: invites, changes roles and limits, removes, saves, and deletes it", async () => {
    const body = { name: "Office", planId: "free", ownerEmail: "ada@example.com" };
    const { team } = await operator.post<{ team: { id: string } }>("/api/admin/teams", body);
    const bob = await stage.dashboard.signUp("bob@example.com");
    const { account } = await bob.get<{ account: { id: string } }>("/api/me");
    await operator.must("PUT", `/api/admin/teams/${team.id}/members/${account.id}`, { role: "member" });
    await enter("ada@example.com");
    await open("/app", "Overview");
    await keyboard.to(/^Space:/);
    await keyboard.arrowTo("Office");
    await page.getByRole("heading", { level: 1, name: "Office" }).waitFor();
    await isOnPage();

    await keyboard.to(/^Invite$/);
    await lookAt("Invite to Office", /^Invite$/);
    await keyboard.isOn(/^Email$/);
    await keyboard.type("nobody");
    await keyboard.press("Enter");
    await page.getByRole("alert").first().waitFor();
    await keyboard.isOn(/^Email$/);
    await keyboard.type("carol@example.com");
    await keyboard.press("Enter");
    await page.getByText("Invitation for carol@example.com", { exact: true }).waitFor();
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(/^Invite$/);

    const menu = /^Actions for bob@example\.com$/;
    await keyboard.to(menu);
    await lookAt("Change role", menu, () => keyboard.arrowTo("Change role"));
    await keyboard.isOn(/^Role$/);
    await keyboard.press("ArrowUp");
    await keyboard.choose(/^Change role$/);
    await row("bob@example.com").getByText("Admin").waitFor();
    await keyboard.isOn(menu);
    await lookAt("Change limits", menu, () => keyboard.arrowTo("Change limits"));
    await keyboard.to(/^Set lower limits than the team’s/);
    await keyboard.press("Space");
    await keyboard.to(/^Requests per day$/);
    await keyboard.type("7");
    await keyboard.press("Enter");
    await row("bob@example.com").getByText("7 requests per day").waitFor();
    await keyboard.isOn(menu);
    await agree("Remove member", menu, () => keyboard.arrowTo("Remove"));
    await row("bob@example.com").waitFor({ state: "detached" });
    await isOnPage();

    const invitation = /^Revoke the invitation for carol/;
    await keyboard.to(invitation);
    await agree("Revoke invitation", invitation);
    await page.getByText("No pending invitations").waitFor();
    await isOnPage();

    await keyboard.to(/^Name$/);
    await keyboard.type("Bureau");
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Bureau" }).waitFor();
    await keyboard.to(/^Members need a second factor/);
    await keyboard.press("Space");
    await keyboard.to(/^Days to add it$/);
    await keyboard.type("400");
    await keyboard.press("Enter");
    await page.getByRole("alert").first().waitFor();
    await keyboard.isOn(/^Days to add it$/);
    await keyboard.type("30");
    await keyboard.press("Enter");
    await page.getByText("A team that you are in requires one by").waitFor();

    await keyboard.to(/^Leave team…$/);
    await lookAt("Leave team", /^Leave team…$/);
    await keyboard.press("Escape");
    await keyboard.to(/^Delete team…$/);
    await lookAt("Delete team", /^Delete team…$/);
    await keyboard.isOn(/to confirm$/);
    await keyboard.type("Bureau");
    await keyboard.press("Enter");
    await page.waitForURL(`${origin()}/app`);
  });

  it("joins a team by its link, adds the second factor that it requires, and leaves", async () => {
    const host = await stage.dashboard.signUp("host@example.com");
    const body = { name: "Vault", planId: "free", ownerEmail: "host@example.com" };
    const { team } = await operator.post<{ team: { id: string } }>("/api/admin/teams", body);
    const { link } = await host.post<OneTimeLink>(`/api/teams/${team.id}/invites`, {});
    await host.must("PUT", `/api/teams/${team.id}/security`, { allowFrom: null, secondFactorDays: 0 });
    await stage.dashboard.signUp("guest@example.com");
    await enter("guest@example.com");
    await open(`/join${new URL(link).hash}`, "Join a team");
    await keyboard.choose(/^Join Vault$/);

    await page.getByRole("heading", { level: 1, name: "Add a second factor" }).waitFor();
    await keyboard.to(/^Set up an app$/);
    await lookAt("Set up an authenticator app", /^Set up an app$/);
    const key = await page.getByRole("textbox", { name: "Or type this key into the app" }).textContent();
    await keyboard.to(/^Code$/);
    await keyboard.type(new PhoneApp((key ?? "").replaceAll(" ", ""), clock).code());
    await keyboard.press("Enter");
    await dialog("Save your recovery codes").waitFor();
    await keepCodes();

    await page.getByRole("heading", { level: 1, name: "Vault" }).waitFor();
    await keyboard.to(/^Leave team…$/);
    await agree("Leave team", /^Leave team…$/);
    await page.waitForURL(`${origin()}/app`);
    await isOnPage();
  });
});

describe("with the keyboard alone, the operator", () => {
  it("creates a team, suspends it, limits it and deletes it", async () => {
    await enter("operator@example.com");
    await open("/admin/teams", "Teams");
    await keyboard.to(/^Create team$/);
    await lookAt("Create team", /^Create team$/);
    await keyboard.isOn(/^Name$/);
    await keyboard.type("Research");
    await keyboard.to(/^Owner$/);
    await keyboard.type("ada@example.com");
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Research" }).waitFor();
    await keyboard.to(/^Suspend…$/);
    await agree("Suspend team", /^Suspend…$/);
    await keyboard.isOn(/^Resume$/);
    await keyboard.press("Enter");
    await keyboard.isOn(/^Suspend…$/);
    await keyboard.to(/^Requests per day$/);
    await keyboard.type("20");
    await keyboard.press("Enter");
    await page.getByText("Plan and quotas of Research saved").waitFor();
    await keyboard.to(/^Delete…$/, "Shift+Tab");
    await lookAt("Delete team", /^Delete…$/);
    await keyboard.isOn(/to confirm$/);
    await keyboard.type("Research");
    await keyboard.press("Enter");
    await page.waitForURL(`${origin()}/admin/teams`);
  });

  it("adds a provider, edits it and deletes it", async () => {
    await enter("operator@example.com");
    await open("/admin/sign-in", "Single sign-on");
    await keyboard.to(/^Add provider$/);
    await lookAt("Add provider", /^Add provider$/);
    await keyboard.isOn(/^Name$/);
    await keyboard.press("Enter");
    await page.getByRole("alert").first().waitFor();
    await keyboard.to(/^Name$/);
    await keyboard.type("Office login");
    await keyboard.to(/^Issuer$/);
    await keyboard.type("https://login.example.com");
    await keyboard.to(/^Client id$/);
    await keyboard.type("sotto");
    await keyboard.to(/^Groups claim$/);
    await keyboard.type("groups");
    await keyboard.choose(/^Add group$/);
    await keyboard.to(/^Group 1$/, "Shift+Tab");
    await keyboard.type("staff");
    await keyboard.press("Enter");
    await row("Office login").getByText("1 rule").waitFor();
    await keyboard.isOn(/^Add provider$/);
    await keyboard.to(/^Edit Office login$/);
    await lookAt("Edit provider", /^Edit Office login$/);
    await keyboard.isOn(/^Name$/);
    await keyboard.type("Bureau login");
    await keyboard.press("Enter");
    await row("Bureau login").waitFor();
    await keyboard.to(/^Delete Bureau login$/);
    await agree("Delete provider", /^Delete Bureau login$/);
    await page.getByText("No identity providers yet").waitFor();
    await isOnPage();
  });

  it("creates a webhook, tests, edits, rotates and deletes it", async () => {
    await enter("operator@example.com");
    await open("/admin/webhooks", "Webhooks");
    await keyboard.to(/^Create webhook$/);
    await lookAt("Create webhook", /^Create webhook$/);
    await keyboard.isOn(/^Address$/);
    await keyboard.type("http://169.254.169.254/");
    await keyboard.press("Enter");
    await page.getByRole("alert").first().waitFor();
    await keyboard.isOn(/^Address$/);
    await keyboard.type("http://127.0.0.1:1/hook");
    await keyboard.press("Enter");
    await page.getByText(/whsec_/).waitFor();
    await keyboard.isTrappedIn(dialog("Webhook created"));
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(/^Create webhook$/);

    const menu = /^Actions for http:\/\/127/;
    await keyboard.to(menu);
    await keyboard.arrowTo("Send a test event");
    await page.getByText("Test event sent").waitFor();
    await keyboard.to(/^Redeliver /);
    await keyboard.to(menu, "Shift+Tab");
    await lookAt("Edit webhook", menu, () => keyboard.arrowTo("Edit"));
    await keyboard.to(/^Description$/);
    await keyboard.type("Pager");
    await keyboard.press("Enter");
    await row("Pager").first().waitFor();
    await keyboard.isOn(menu);
    await lookAt("Rotate secret", menu, () => keyboard.arrowTo("Rotate secret"));
    await keyboard.choose(/^Rotate secret$/);
    await page.getByText(/whsec_/).waitFor();
    await keyboard.choose(/^Done$/);
    await keyboard.isOn(menu);
    await agree("Delete webhook", menu, () => keyboard.arrowTo("Delete"));
    await page.getByText("No webhooks yet").waitFor();
    await isOnPage();
  });

  it("asks for a second factor, and creates a key for the operator's API", async () => {
    await enter("operator@example.com");
    await open("/admin/accounts", "Accounts");
    await keyboard.to(/^Accounts$/);
    await keyboard.to(/^Accounts$/);
    await keyboard.press("ArrowLeft");
    await page.getByRole("heading", { name: "Required second factor" }).waitFor();
    await keyboard.to(/^Required for$/);
    await keyboard.press("ArrowDown");
    await keyboard.to(/^Days to add it$/);
    await keyboard.type("14");
    await keyboard.press("Enter");
    await page.getByText("This service requires one by").waitFor();

    await open("/app/keys", "Keys");
    await keyboard.to(/^Create key$/);
    await lookAt("Create key", /^Create key$/);
    await keyboard.isOn(/^Name$/);
    await keyboard.type("Terraform");
    await keyboard.to(/^For the operator’s API/);
    await keyboard.press("Space");
    await keyboard.to(/^admin:write/);
    await keyboard.press("Space");
    await keyboard.choose(/^Create key$/);
    await page.getByRole("heading", { name: "Key created" }).waitFor();
    await keyboard.choose(/^Done$/);
    await row("Terraform").waitFor();
  });
});
