/** A browser without a network: nothing waits for it, everything says so, and forms keep what was entered. */
import type { BrowserContext, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import { modelIds } from "../../src/core/models.js";
import { openDialog, press } from "./support/opening.js";
import { setStage } from "./support/stage.js";
import { chooseAction, openPage, returningContext } from "./support/visit.js";

const offline = "You're offline. Check your connection and try again.";

let context: BrowserContext;
let page: Page;

const stage = setStage(async (dashboard) => {
  const operator = await dashboard.setUp();
  await operator.post("/api/keys", { name: "Robot", models: null, expiresInDays: null });
  context = await returningContext(stage.browser, dashboard.url, "operator@example.com");
  ({ page } = await openPage(context, dashboard.url));
});
afterEach(() => context.setOffline(false));

const keyNames = async () => {
  const reply = await context.request.get(`${stage.url}/api/keys`);
  return ((await reply.json()) as { keys: { name: string }[] }).keys.map(({ name }) => name);
};

describe("offline", () => {
  it("no key is created behind the reader's back: it fails immediately and the form stays", async () => {
    await page.goto(`${stage.url}/app/keys`);
    await openDialog(page, "Create key");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Ghost");
    await context.setOffline(true);
    await press(page, "Create key");
    await dialog.getByRole("alert").filter({ hasText: offline }).waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Ghost");
    expect(await dialog.getByRole("button", { name: "Create key" }).getAttribute("aria-busy")).toBeNull();
    await press(page, "Cancel");
    const reread = page.waitForResponse(/\/api\/keys\/page/);
    await context.setOffline(false);
    await reread;
    expect(await keyNames()).toEqual(["Robot"]);

    await openDialog(page, "Create key");
    await page.getByRole("dialog").getByLabel("Name").fill("Wanted");
    await press(page, "Create key");
    await page.getByText("Key created").waitFor();
    expect(await keyNames()).toContain("Wanted");
  });

  const changes: { name: string; path: string; send: () => Promise<void> }[] = [
    {
      name: "creating a key on the overview",
      path: "/app?quickstart",
      send: () => press(page, "Create key"),
    },
    {
      name: "disabling a key",
      path: "/app/keys",
      send: () => chooseAction(page, "Robot", "Disable"),
    },
    {
      name: "revoking a key",
      path: "/app/keys",
      send: async () => {
        await chooseAction(page, "Robot", "Revoke");
        await press(page, "Revoke key");
      },
    },
    {
      name: "a new password",
      path: "/app/account",
      send: async () => {
        await page.getByLabel("New password").fill("another long password");
        await press(page, "Change password");
      },
    },
    {
      name: "an invitation",
      path: "/admin/accounts",
      send: async () => {
        await openDialog(page, "Invite");
        await press(page, "Create link");
      },
    },
    {
      name: "an entry of the changelog",
      path: "/admin/changelog",
      send: async () => {
        await openDialog(page, "New entry");
        await page.getByLabel("Title").fill("Faster");
        await press(page, "Publish");
      },
    },
    {
      name: "a message in the playground",
      path: "/app/playground",
      send: async () => {
        await page.getByRole("textbox", { name: "Message" }).fill("hello");
        await press(page, "Send");
      },
    },
    {
      name: "signing out",
      path: "/app/limits",
      send: async () => {
        await press(page, /^Account: operator@/);
        await page.getByRole("menuitem", { name: "Sign out" }).click();
      },
    },
  ];
  it.each(changes)("$name fails immediately", async ({ path, send }) => {
    await page.goto(stage.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    await context.setOffline(true);
    await send();
    await page.getByText(offline).first().waitFor();
  });

  it("a failed load shows an error, can be retried, and succeeds once the network recovers", async () => {
    await page.goto(`${stage.url}/app/usage`);
    await page.getByText("No requests in this period").waitFor();
    await context.setOffline(true);
    await page.getByText("7 days").click();
    await page.getByText("Could not load the usage").waitFor();
    await page.getByText(offline).waitFor();
    await press(page, "Try again");
    await page.getByText("Could not load the usage").waitFor();
    await context.setOffline(false);
    await page.getByText("No requests in this period").waitFor();
  });
});

it("a dialog whose request is in progress cannot be cancelled: its result would be lost", async () => {
  await page.goto(`${stage.url}/app/keys`);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/keys", async (route) => {
    if (route.request().method() === "POST") await held;
    await route.continue();
  });
  await openDialog(page, "Create key");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Slow");
  await press(page, "Create key");
  await dialog.getByRole("button", { name: "Cancel", disabled: true }).waitFor();
  await page.keyboard.press("Escape");
  release();
  await page.getByText("Key created").waitFor();
  await page.unroute("**/api/keys");
});

it("a field's error disappears when the field is edited, and comes back if it still applies", async () => {
  await page.goto(`${stage.url}/app/keys`);
  await openDialog(page, "Create key");
  const dialog = page.getByRole("dialog");
  const name = dialog.getByLabel("Name");
  const complaint = dialog.getByRole("alert");
  await press(page, "Create key");
  await complaint.waitFor();
  await name.fill("M");
  await complaint.waitFor({ state: "detached" });
  expect(await name.getAttribute("aria-invalid")).toBeNull();
  await name.fill("");
  await press(page, "Create key");
  await complaint.waitFor();

  // A group of controls as well.
  await name.fill("My program");
  await dialog.getByLabel("All models").uncheck();
  for (const model of modelIds) await dialog.getByLabel(model, { exact: true }).uncheck();
  await press(page, "Create key");
  const group = dialog.getByRole("group", { name: "Models" }).getByRole("alert");
  await group.waitFor();
  await dialog.getByLabel("All models").check();
  await group.waitFor({ state: "detached" });
});

it("a limit that is invalid is explained at its field, which gets the focus", async () => {
  await page.goto(`${stage.url}/app/keys`);
  await openDialog(page, "Create key");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Limited");
  await dialog.getByLabel("Set lower limits than my plan’s").check();
  const wrong = dialog.getByLabel("Tokens per day");
  await wrong.fill("many");
  await press(page, "Create key");
  await dialog.getByRole("alert").waitFor();
  expect(await dialog.locator('[aria-invalid="true"]').count()).toBe(1);
  expect(await wrong.getAttribute("aria-invalid")).toBe("true");
  expect(await wrong.evaluate((input) => input === document.activeElement)).toBe(true);
  await press(page, "Cancel");
});

it("a page that was not loaded yet leaves the shell as it is, and loads after reconnecting", async () => {
  await page.goto(`${stage.url}/app/keys`);
  const shell = page.getByRole("navigation", { name: "Dashboard" });
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await context.setOffline(true);
  await shell.getByRole("link", { name: "Plans" }).click();
  await page.getByRole("heading", { name: "You're offline" }).waitFor();
  await shell.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
  await shell.getByRole("link", { name: "Plans" }).click();
  await page.getByRole("heading", { name: "You're offline" }).waitFor();
  await context.setOffline(false);
  await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
});

it("a page that polls without success stays at its error, and shows what it reads at last", async () => {
  await page.route("**/api/admin/engines", (route) => route.abort());
  await page.goto(`${stage.url}/admin/engines`);
  const failure = page.getByText(/^Could not load/);
  await failure.waitFor();
  const changes = await page.evaluateHandle(() => {
    const seen = { loading: 0 };
    new MutationObserver(() => {
      if (!document.body.textContent.includes("Could not load")) seen.loading += 1;
    }).observe(document.body, { childList: true, subtree: true });
    return seen;
  });
  const tried = () => page.waitForRequest("**/api/admin/engines");
  await tried();
  await tried();
  await tried();
  expect(await changes.evaluate((seen) => seen.loading)).toBe(0);
  await page.unroute("**/api/admin/engines");
  await failure.waitFor({ state: "detached" });
});
