/** How pages take the end of a session: what was being written is kept, what was read is not. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OneTimeLink } from "../../src/protocol/dashboard/api.js";
import type { Browser as Visitor } from "../support/processes/dashboard-server.js";
import { openDialog, press } from "./support/opening.js";
import { setStage } from "./support/stage.js";
import { chooseAction, openPage, password, returningContext } from "./support/visit.js";

const expired = "Your session expired. Sign in to continue";

let operator: Visitor;
let context: BrowserContext;
let page: Page;

const stage = setStage(async (dashboard) => {
  operator = await dashboard.setUp();
  await operator.post("/api/keys", { name: "Robot", models: null, expiresInDays: null });
  await dashboard.signUp("ada@example.com");
});
beforeEach(async () => {
  context = await returningContext(stage.browser, stage.url, "operator@example.com");
  ({ page } = await openPage(context, stage.url));
});
afterEach(() => context.close());

/** For the browser it is the same as a session that the service no longer knows. */
const loseSession = () => context.clearCookies();

const signInAgain = async () => {
  await page.getByRole("dialog", { name: "Sign in" }).getByText(expired).waitFor();
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Sign in" }).waitFor({ state: "detached" });
};

describe("when the session expires", () => {
  it("a form that was refused for it says nothing of it after signing in again, and can be sent", async () => {
    await page.goto(`${stage.url}/app/keys`);
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name").fill("Kept");
    await loseSession();
    await page.keyboard.press("Enter");
    await signInAgain();
    const form = page.getByRole("dialog", { name: "Create key" });
    expect(await form.getByLabel("Name").inputValue()).toBe("Kept");
    expect(await form.getByText(/signed out|sign in/i).count()).toBe(0);
    await form.getByRole("button", { name: "Create key" }).click();
    await page.getByText("Key created").waitFor();
  });

  it("a draft in the playground is still there after signing in again", async () => {
    await page.clock.install();
    await page.goto(`${stage.url}/app/playground`);
    const message = page.getByRole("textbox", { name: "Message" });
    await message.fill("half a thought");
    await page.getByLabel("System prompt").fill("Answer in verse.");
    await loseSession();
    // Who is signed in is asked every minute.
    await page.clock.fastForward(61_000);
    await page.getByText(expired).waitFor();
    expect(await message.isVisible()).toBe(false);
    await signInAgain();
    expect(await message.inputValue()).toBe("half a thought");
    expect(await page.getByLabel("System prompt").inputValue()).toBe("Answer in verse.");
    stage.dashboard.engine.script = () => ({ fragments: ["and its other half"] });
    await press(page, "Send");
    await page.getByText("and its other half", { exact: true }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
  });

  it("a message that was refused for it can be sent again", async () => {
    await page.goto(`${stage.url}/app/playground`);
    await page.getByRole("textbox", { name: "Message" }).fill("are you there?");
    await loseSession();
    await press(page, "Send");
    await signInAgain();
    await page.getByText("are you there?", { exact: true }).waitFor();
    stage.dashboard.engine.script = () => ({ fragments: ["here again"] });
    await press(page, "Regenerate");
    await page.getByText("here again", { exact: true }).waitFor();
  });

  it("a form in a dialog keeps its entries", async () => {
    await page.goto(`${stage.url}/app/keys`);
    await openDialog(page, "Create key");
    await page.getByLabel("Name").fill("Late key");
    await loseSession();
    await press(page, "Create key");
    await page.getByText(expired).waitFor();
    expect(await page.getByLabel("Name").isVisible()).toBe(false);
    await signInAgain();
    expect(await page.getByLabel("Name").inputValue()).toBe("Late key");
    await press(page, "Create key");
    await page.getByText("Key created").waitFor();
  });

  it("loaded data is cleared when the tab is shown again, and reloaded after signing in", async () => {
    await page.clock.install();
    await page.goto(`${stage.url}/app/keys`);
    const key = page.getByText("Robot", { exact: true });
    await key.waitFor();
    await loseSession();
    await page.clock.fastForward(10_000);
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await page.getByText(expired).waitFor();
    await expect.poll(() => key.count()).toBe(0);
    await signInAgain();
    await key.waitFor();
  });

  it("loaded data stays cleared although a change is reverted", async () => {
    await page.goto(`${stage.url}/app/keys`);
    const key = page.getByText("Robot", { exact: true });
    await key.waitFor();
    await loseSession();
    await chooseAction(page, "Robot", "Disable");
    await page.getByText(expired).waitFor();
    await expect.poll(() => key.count()).toBe(0);
  });

  it("a wrong password is refused there, and someone else starts at the sign-in page", async () => {
    await page.goto(`${stage.url}/app/keys`);
    await page.getByText("Robot", { exact: true }).waitFor();
    await loseSession();
    await openDialog(page, "Create key");
    await page.getByLabel("Name").fill("x");
    await press(page, "Create key");
    await page.getByText(expired).waitFor();
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "wrong" }).waitFor();
    await press(page, "Use another account");
    await page.waitForURL(`${stage.url}/sign-in`);
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${stage.url}/app`);
    await page.getByText("ada@example.com").first().waitFor();
  });
});

describe("the tabs of one browser", () => {
  it("sign out together", async () => {
    await page.goto(`${stage.url}/app/keys`);
    await page.getByText("Robot", { exact: true }).waitFor();
    const { page: other } = await openPage(context, stage.url);
    await other.goto(`${stage.url}/app`);
    await press(other, /^Account: operator@/);
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    await other.waitForURL(`${stage.url}/sign-in`);
    await page.waitForURL(/\/sign-in/);
    await page.getByText("You signed out in another tab.").waitFor();
    expect(await page.getByText("Robot", { exact: true }).count()).toBe(0);
  });

  it("continue with whoever signs in, and show that account nothing of another's", async () => {
    await page.goto(`${stage.url}/app/keys`);
    await page.getByText("Robot", { exact: true }).waitFor();
    await loseSession();
    const { page: other } = await openPage(context, stage.url);
    await other.goto(`${stage.url}/app/usage`);
    await other.getByText("Sign in to continue.").waitFor();
    await other.getByLabel("Email").fill("ada@example.com");
    await other.getByLabel("Password", { exact: true }).fill(password);
    await other.keyboard.press("Enter");
    await other.waitForURL(`${stage.url}/app/usage`);
    await page.waitForURL(`${stage.url}/app`);
    await page.getByRole("button", { name: "Account: ada@example.com" }).waitFor();
  });
});

it("an invitation for an address fills it in", async () => {
  const email = "new.person+sotto@example.com";
  const { link } = await operator.post<OneTimeLink>("/api/admin/invites", { email });
  await context.clearCookies();
  await page.goto(link);
  expect(await page.getByLabel("Email").inputValue()).toBe(email);
  await page.getByText("Your invitation is for this address.").waitFor();
  expect(page.url()).toBe(`${stage.url}/sign-up`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${stage.url}/app`);
});
