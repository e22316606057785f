/** Second factors, passkeys and sessions as people meet them, in a real browser with a virtual authenticator. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { addPhoneApp, PhoneApp } from "../support/clients/factors.js";
import { FakeClock } from "../support/inputs/fake-clock.js";
import type { Me } from "../../src/protocol/dashboard/api.js";
import type { Browser as Visitor } from "../support/processes/dashboard-server.js";
import { addAuthenticator } from "./support/authenticator.js";
import { openDialog, press, question, refused } from "./support/opening.js";
import { setStage } from "./support/stage.js";
import { openPage, password } from "./support/visit.js";
import { violations } from "./support/axe.js";

const clock = new FakeClock(new Date());
let operator: Visitor;
const stage = setStage(
  async (dashboard) => {
    operator = await dashboard.setUp();
  },
  { clock },
);

let contexts: BrowserContext[] = [];
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  contexts = [];
});

/** Passkeys are bound to a name, so the pages are opened by one. */
const origin = () => stage.url.replace("127.0.0.1", "localhost");

async function newPage(): Promise<Page> {
  const context = await stage.browser.newContext({ reducedMotion: "reduce", acceptDownloads: true });
  context.setDefaultTimeout(60_000);
  contexts.push(context);
  return (await openPage(context, origin())).page;
}

async function enterPassword(page: Page, email: string): Promise<void> {
  await page.goto(`${origin()}/sign-in`);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel("Code", { exact: true }).fill(code);
  await page.keyboard.press("Enter");
}

async function signOut(page: Page, email: string): Promise<void> {
  await page.getByRole("button", { name: `Account: ${email}` }).click();
  // A passkey that is offered there may have signed in again before the click returns.
  await Promise.all([
    page.waitForURL(`${origin()}/sign-in`),
    page.getByRole("menuitem", { name: "Sign out" }).click(),
  ]);
}

/** On the page's root element, once it has been made: only then is it one that waits. */
const marksConditionalRequest = (page: Page) =>
  page.evaluate(() => {
    const get = navigator.credentials.get.bind(navigator.credentials);
    navigator.credentials.get = (options) => {
      const reply = get(options);
      if (options?.mediation === "conditional") document.documentElement.dataset.asked = "";
      return reply;
    };
  });

/** An account with an authenticator app. */
async function newPerson(email: string) {
  const visitor = await stage.dashboard.signUp(email);
  const added = await addPhoneApp(visitor, clock);
  clock.advance(90_000);
  return { visitor, ...added };
}

describe("a passkey", () => {
  it("is added on the Security page and signs in alone", async () => {
    const email = "passkey@example.com";
    await stage.dashboard.signUp(email);
    const page = await newPage();
    const agree = await addAuthenticator(page);
    await enterPassword(page, email);
    await page.waitForURL(`${origin()}/app`);
    await page.goto(`${origin()}/app/security`);
    await openDialog(page, "Add passkey");
    await page.getByLabel("Name").fill("Laptop");
    await press(page, "Continue");
    await page.getByRole("dialog", { name: "Save your recovery codes" }).waitFor();
    expect(await page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem").count()).toBe(10);
    expect(await violations(page)).toEqual([]);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("sotto-recovery-codes.txt");
    await press(page, "I saved them");
    await page.getByRole("list", { name: "Passkeys" }).getByText("Laptop").waitFor();
    expect(await violations(page)).toEqual([]);

    // The browser offers it at the email field, and this one takes it at once.
    await signOut(page, email);
    await page.waitForURL(`${origin()}/app`);
    await agree(false);
    await marksConditionalRequest(page);
    await signOut(page, email);
    await page.locator("html[data-asked]").waitFor();
    // What waits already is not answered any more.
    await agree(true);
    await press(page, "Sign in with a passkey");
    await page.waitForURL(`${origin()}/app`);
    await page.goto(`${origin()}/app/security`);
    await page.getByRole("row").filter({ hasText: "This one" }).getByText("Passkey").waitFor();

    await press(page, "Rename Laptop");
    await page.getByRole("textbox", { name: "Name" }).fill("Old laptop");
    await page.keyboard.press("Enter");
    await press(page, "Remove Old laptop");
    await question(page, "Remove passkey");
    await press(page, "Remove passkey");
    await page.getByRole("list", { name: "Passkeys" }).waitFor({ state: "detached" });
    await signOut(page, email);
    await page.getByText("The passkey was not accepted.").waitFor();
  });

  it("is not offered where the page is not the configured one", async () => {
    const page = await newPage();
    await page.goto(`${stage.url}/sign-in`);
    await page.getByLabel("Email").waitFor();
    expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);
    await page.goto(`${origin()}/sign-in`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    expect(await page.getByLabel("Email").getAttribute("autocomplete")).toBe("username webauthn");
  });
});

describe("an authenticator app", () => {
  it("is set up by typing its key, and asked for after the password, by keyboard alone", async () => {
    const email = "app@example.com";
    await stage.dashboard.signUp(email);
    const page = await newPage();
    await enterPassword(page, email);
    await page.waitForURL(`${origin()}/app`);
    await page.goto(`${origin()}/app/security`);
    await press(page, "Set up an app");
    await page.getByRole("dialog", { name: "Set up an authenticator app" }).waitFor();
    await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
    expect(await violations(page)).toEqual([]);
    const key = await page.getByRole("textbox", { name: "Or type this key into the app" }).textContent();
    const app = new PhoneApp((key ?? "").replaceAll(" ", ""), clock);
    await enterCode(page, "000000");
    await refused(page);
    await enterCode(page, app.code());
    await press(page, "I saved them");
    await page.getByText("On since").waitFor();

    await signOut(page, email);
    clock.advance(60_000);
    await enterPassword(page, email);
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    expect(await violations(page)).toEqual([]);
    const field = page.getByLabel("Code", { exact: true });
    expect(await field.getAttribute("autocomplete")).toBe("one-time-code");
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type(app.code(9));
    await page.keyboard.press("Enter");
    await refused(page);
    await enterCode(page, app.code());
    await page.waitForURL(`${origin()}/app`);
  });

  it("is replaced by a recovery code when it is lost, once, and the page says how many are left", async () => {
    const email = "recovery@example.com";
    const { recoveryCodes } = await newPerson(email);
    const page = await newPage();
    for (const isFirst of [true, false]) {
      await enterPassword(page, email);
      await press(page, "Use a recovery code");
      await page.getByLabel("Recovery code").fill(recoveryCodes[0] ?? "");
      await page.keyboard.press("Enter");
      if (!isFirst) break;
      await page.getByText("9 recovery codes left").waitFor();
      await page.waitForURL(`${origin()}/app`);
      await signOut(page, email);
    }
    await page.getByText("This recovery code is wrong or was used already.").waitFor();
  });

  it("is asked for where a session expired, over the page that stays", async () => {
    const email = "expired@example.com";
    const { app } = await newPerson(email);
    const page = await newPage();
    await enterPassword(page, email);
    await enterCode(page, app.code());
    await page.waitForURL(`${origin()}/app`);
    await page.goto(`${origin()}/app/keys`);
    await openDialog(page, "Create key");
    await page.getByLabel("Name").fill("Kept");
    await page.context().clearCookies();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Sign in" });
    await dialog.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    clock.advance(60_000);
    await dialog.getByLabel("Code", { exact: true }).fill(app.code());
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("Name").inputValue()).toBe("Kept");
  });
});

it("a session that is ended elsewhere asks to sign in again", async () => {
  const email = "elsewhere@example.com";
  await stage.dashboard.signUp(email);
  const [here, there] = [await newPage(), await newPage()];
  for (const page of [there, here]) {
    await enterPassword(page, email);
    await page.waitForURL(`${origin()}/app`);
    await page.goto(`${origin()}/app/security`);
    await page.getByText("This one").waitFor();
  }
  // The sign-up's own, which no browser is known of.
  await here.getByRole("button", { name: "Sign out unknown browser" }).click();
  await here.getByText("Signed out there").waitFor();
  await press(here, "Sign out others…");
  await press(here, "Sign out others");
  await here.getByText("Other browsers were signed out").waitFor();
  await expect.poll(() => here.getByRole("table", { name: "Sessions" }).getByRole("row").count()).toBe(2);
  await there.reload();
  await there.getByText("Sign in to continue.").waitFor();
});

it("a sensitive action asks again after ten minutes, and is done then", async () => {
  const email = "again@example.com";
  const { app } = await newPerson(email);
  const page = await newPage();
  await enterPassword(page, email);
  await enterCode(page, app.code());
  await page.waitForURL(`${origin()}/app`);
  await page.goto(`${origin()}/app/security`);
  await press(page, "Create new codes…");
  await question(page, "Create new codes");
  clock.advance(11 * 60_000);
  await press(page, "Create codes");
  const asked = page.getByRole("dialog", { name: "Confirm that it is you" });
  await asked.waitFor();
  expect(await violations(page)).toEqual([]);
  await asked.getByLabel("Password", { exact: true }).fill("not this one");
  await page.keyboard.press("Enter");
  await asked.getByText("The password is wrong.").waitFor();
  await asked.getByRole("button", { name: "Use a code from your app" }).click();
  await asked.getByLabel("Code", { exact: true }).fill(app.code());
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Save your recovery codes" }).waitFor();
  await press(page, "I saved them");

  clock.advance(11 * 60_000);
  await press(page, "Remove app…");
  await press(page, "Remove app");
  await asked.getByRole("button", { name: "Close" }).click();
  await page.getByText("Confirm that it is you, then try again.").waitFor();
  await page.getByText("On since").waitFor();

  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Security", exact: true }).click();
  await press(page, "Remove app…");
  await press(page, "Remove app");
  await asked.waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  await asked.waitFor({ state: "hidden" });
});

/** The operator has one, so that nothing is asked of them. */
let operatorsApp: Promise<unknown> | undefined;
async function requireFactor(requiredFor: "off" | "admins" | "all", graceDays: number): Promise<void> {
  await operator.post("/api/me/confirm", { password });
  await (operatorsApp ??= addPhoneApp(operator, clock));
  await operator.must("PUT", "/api/admin/second-factor", { requiredFor, graceDays });
}

/** Where the page asks for a second factor: one is added, to its recovery codes. */
async function enrol(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Add a second factor" }).waitFor();
  await press(page, "Set up an app");
  const asked = page.getByRole("dialog", { name: "Confirm that it is you" });
  const setUp = page.getByRole("dialog", { name: "Set up an authenticator app" });
  await asked.or(setUp).waitFor();
  if (await asked.isVisible()) {
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
  }
  const key = await page.getByRole("textbox", { name: "Or type this key into the app" }).textContent();
  await enterCode(page, new PhoneApp((key ?? "").replaceAll(" ", ""), clock).code());
  await press(page, "I saved them");
}

it("a second factor that only admins must have is asked of them alone", async () => {
  const [admin, user] = ["second.admin@example.com", "plain@example.com"];
  const visitor = await stage.dashboard.signUp(admin);
  await stage.dashboard.signUp(user);
  const { account } = await visitor.get<Me>("/api/me");
  await requireFactor("admins", 0);
  await operator.must("POST", `/api/admin/accounts/${account.id}/role`, { role: "admin" });
  try {
    const [theirs, plain] = [await newPage(), await newPage()];
    await enterPassword(plain, user);
    await plain.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    expect(await plain.getByText("Add a second factor").count()).toBe(0);

    await enterPassword(theirs, admin);
    await enrol(theirs);
    await theirs.goto(`${origin()}/admin/accounts`);
    await theirs.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
    // Whoever becomes an admin is asked from then on.
    const { accounts } = await operator.get<{ accounts: { id: string; email: string }[] }>(
      "/api/admin/accounts?search=plain",
    );
    await operator.must("POST", `/api/admin/accounts/${accounts[0]?.id}/role`, { role: "admin" });
    await plain.reload();
    await plain.getByRole("heading", { name: "Add a second factor" }).waitFor();
  } finally {
    await requireFactor("off", 7);
  }
});

it("a required second factor is added before anything else", async () => {
  const email = "required@example.com";
  const page = await newPage();
  await stage.dashboard.signUp(email);
  await requireFactor("all", 1);
  try {
    await enterPassword(page, email);
    await page.getByText("This service requires one by").waitFor();
    expect(await violations(page)).toEqual([]);
    clock.advance(2 * 24 * 60 * 60_000);
    await page.goto(`${origin()}/app/keys`);
    await page.getByRole("heading", { name: "Add a second factor" }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await enrol(page);
    await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
  } finally {
    await requireFactor("off", 7);
  }
});
