/** What someone does with hundreds of keys, by pointer and by keyboard. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { noKeyLimits } from "../../../src/core/entities.js";
import type { KeyWithSecret, Me } from "../../../src/protocol/dashboard/api.js";
import { violations } from "../support/axe.js";
import { Keyboard } from "../support/keyboard.js";
import { expectNoFaults, widths } from "../support/look.js";
import { layoutErrors } from "../support/layout-faults.js";
import { setStage } from "../support/stage.js";
import { chooseAction, openPage, returningContext } from "../support/visit.js";
import { postChat } from "../../support/clients/post-chat.js";
import { eventually } from "../../support/eventually.js";

let context: BrowserContext;
let page: Page;
let keyboard: Keyboard;
let faults: string[];
let rotated: KeyWithSecret;

afterAll(() => expect(faults).toEqual([]));
const stage = setStage(async (dashboard) => {
  const ada = await dashboard.signUp("ada@example.com");
  const { account } = await ada.get<Me>("/api/me");
  const key = { models: null, expiresInDays: null };
  const old = await ada.post<KeyWithSecret>("/api/keys", {
    ...key,
    name: "Nightly build",
    tags: ["ci", "build"],
  });
  rotated = await ada.post<KeyWithSecret>(`/api/keys/${old.key.id}/rotate`, { graceHours: 0 });
  const revoked = await ada.post<KeyWithSecret>("/api/keys", { ...key, name: "Prototype" });
  await ada.post(`/api/keys/${revoked.key.id}/revoke`);
  await postChat(dashboard.url, rotated.secret, { model: "prism" });
  for (let i = 0; i < 500; i++) {
    await dashboard.app.store.createKey({
      ...{ accountId: account.id, name: `Service ${i}`, hash: Buffer.from(`${i}`.padStart(32, "-")) },
      ...{ lastFour: "abcd", models: i % 2 === 0 ? ["omega"] : null, operations: null, expiresAt: null },
      ...{ limits: noKeyLimits, tags: i === 250 ? ["special"] : [] },
    });
  }
  context = await returningContext(stage.browser, dashboard.url, "ada@example.com", {
    ...{ colorScheme: "light", locale: "en-US" },
  });
  ({ page, faults } = await openPage(context, dashboard.url));
  keyboard = new Keyboard(page);
});

const open = async (query: string) => {
  await page.goto(`${stage.url}/app/keys${query}`);
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
};
const row = (text: string) => page.getByRole("row").filter({ hasText: text });

const look = (name: string) => expectNoFaults(page, name);

describe("among 500 keys", () => {
  it("one is found by name, tag and status, and the choice stays in the address", async () => {
    await open("");
    await page.getByText("1 to 50 of 501").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("51 to 100 of 501").waitFor();
    await page.waitForURL(/page=1/);

    await page.getByLabel("Search keys").fill("service 25");
    await page.getByText("1 to 50").waitFor({ state: "detached" });
    await row("Service 250").waitFor();
    await page.getByLabel("Tag").selectOption("special");
    await row("Service 251").waitFor({ state: "detached" });
    await page.reload();
    await row("Service 250").waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
    await look("/app/keys with filters");

    await open("?status=revoked");
    await row("Prototype").waitFor();
    await open("?search=nothing+like+it");
    await page.getByText("No matching keys").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("1 to 50 of 501").waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  it("each shows the day and model of its last use, what it replaced, and its usage", async () => {
    await open("?search=Nightly");
    const fresh = row("Nightly build").first();
    await fresh.getByText("prism").waitFor();
    await fresh.getByText("1 request").waitFor();
    await fresh.getByText("build", { exact: true }).waitFor();
    await fresh.getByText("Replaces").getByRole("button").click();
    await row("Replaced by").waitFor();
    await row("Replaced by").getByText("Revoked").waitFor();
    await look("/app/keys, lineage");
    await open("?search=Nightly");
    await row("Nightly build").first().getByRole("link", { name: "1 request" }).click();
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await page.locator('dt:text-is("Requests") + dd').getByText("1", { exact: true }).waitFor();
    // The list of keys comes in several pages, and may be later than the usage.
    const name = `Nightly build (…${rotated.key.lastFour})`;
    await eventually(async () => (await page.getByLabel("Key", { exact: true }).inputValue()) === name);
  });

  it("one is edited with the keyboard, and errors are shown beside their fields", async () => {
    await open("?search=service+77");
    await row("Service 77").waitFor();
    await keyboard.chooseFrom(/^Actions for Service 77$/, "Edit");
    await keyboard.isOn(/^Name$/);
    await keyboard.type("Service 77, renamed");
    await keyboard.to(/^Tags$/);
    await keyboard.type("-wrong");
    await keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "beginning with a letter or digit" }).waitFor();
    await keyboard.isOn(/^Tags$/);
    expect(await violations(page)).toEqual([]);
    await keyboard.type("Team A, nightly");
    await keyboard.to(/^Set lower limits/);
    await keyboard.press("Space");
    await keyboard.to(/^Requests per minute$/);
    await keyboard.type("30");
    await keyboard.press("Enter");
    await row("Service 77, renamed").getByText("At most 30 requests per minute").waitFor();
    await row("Service 77, renamed").getByText("team a").waitFor();
    await keyboard.isOn(/^Actions for Service 77/);
    // Opened again, it has what was saved.
    await chooseAction(page, "Service 77, renamed", "Edit");
    expect(await page.getByLabel("Requests per minute").inputValue()).toBe("30");
    expect(await page.getByLabel("Tags").inputValue()).toBe("team a, nightly");
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      expect((await layoutErrors(page)).map((error) => `editing at ${width}: ${error}`)).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
